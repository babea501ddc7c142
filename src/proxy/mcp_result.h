/*
 * mcp_result.h - what an agent is told of a call that is over: words for the model, and the
 * same as data. Pure.
 */
#ifndef DEVS_MCP_RESULT_H
#define DEVS_MCP_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "entropy.h"
#include "mcp_output.h"
#include "mcp_request.h"
#include "run_state.h"

/* All borrowed for the call. */
struct mcp_ended {
    const struct run_state *state;
    int64_t run; /* its number */
    int task;    /* of the call; it is over */
    const struct mcp_request *request;
    const struct mcp_output *output;    /* of its last attempt */
    const struct entropy_verdict *loop; /* of the session's calls */
    const char *nudge;                  /* "" = none */
};

/* Did it fail, and of something that passes by itself? */
bool mcp_ended_failed(const struct mcp_ended *ended);
/* Did it fail of something that may pass by itself? */
bool mcp_ended_is_transient(const struct mcp_ended *ended);

/* Append the members of the tool's result. */
void mcp_result_write(const struct mcp_ended *ended, struct str *out);

/* Append how far a call is that is not over, one line: "try 2 of 3 in 0:18, after a network
 * failure". `now` on the clocks of the log. */
void mcp_progress_words(const struct run_state *state, int task, const struct moment *now,
                        struct str *out);

#endif
