/*
 * mcp_result.h - tells an agent about a finished call: as text for the model, and as data. Pure.
 */
#ifndef DEVS_MCP_RESULT_H
#define DEVS_MCP_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "entropy.h"
#include "mcp_output.h"
#include "mcp_request.h"
#include "run_state.h"

/* A finished call. Everything is borrowed for the call. */
struct mcp_ended {
    const struct run_state *state;
    int64_t run; /* run number */
    int task;    /* the task of the call; it has ended */
    const struct mcp_request *request;
    const struct mcp_output *output;    /* of the last attempt */
    const struct entropy_verdict *loop; /* about the session's calls */
    const char *nudge;                  /* "" = none */
};

/* Returns true if the call failed for any reason. */
bool mcp_ended_failed(const struct mcp_ended *ended);
/* Returns true if the call failed for a reason that may go away on its own. */
bool mcp_ended_is_transient(const struct mcp_ended *ended);

/* Appends the members of the tool's result. */
void mcp_result_write(const struct mcp_ended *ended, struct str *out);

/* Appends one line about the progress of a running call: "try 2 of 3 in 0:18, after a network
 * failure". `now` is on the clocks of the log. */
void mcp_progress_words(const struct run_state *state, int task, const struct moment *now,
                        struct str *out);

#endif
