/*
 * mcp_result_parts.h - what the files of mcp_result.h share. Pure.
 */
#ifndef DEVS_MCP_RESULT_PARTS_H
#define DEVS_MCP_RESULT_PARTS_H

#include "attr.h"
#include "mcp_result.h"
#include "test_report.h"

/* The two streams of the last attempt, fit for reading; of a file that was read its bytes. */
struct mcp_shown {
    struct str texts[2];
};

/* "stdout", "stderr" for 0 and 1. */
const char *mcp_stream_name(int stream);
/* The step of the call's task. */
const struct step_state *mcp_ended_step(const struct mcp_ended *ended);
/* Is stdout the text of a file? */
bool mcp_ended_is_file(const struct mcp_ended *ended);
/* Why the text of a file is not to be written back as it is; "" = it may be. Static. */
const char *mcp_file_warning(const struct mcp_shown *shown);

/* mcp_result_tests.c: what a test program says of itself; nothing of another call. The names of
 * failing tests are elements of a JSON array; returns how many there are. */
ATTR_MUST_USE bool mcp_find_report(const struct mcp_ended *ended, struct test_report *out);
/* Append them; 0 where the output names none. */
int mcp_find_failing(const struct mcp_ended *ended, struct str *out);

/* mcp_result_words.c: all of it for the model to read. */
void mcp_result_words(const struct mcp_ended *ended, const struct mcp_shown *shown,
                      const char *advice, struct str *out);

/* mcp_result_data.c: the same as members of an object. */
void mcp_result_data(const struct mcp_ended *ended, const struct mcp_shown *shown,
                     const char *advice, struct str *out);

#endif
