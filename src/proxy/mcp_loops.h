/*
 * mcp_loops.h - does the agent go in circles, seen over all calls of its session?
 *
 * The same detector as within a task (entropy_memory.h, entropy.h), fed with one call after the
 * other as they end. Belongs to one thread.
 */
#ifndef DEVS_MCP_LOOPS_H
#define DEVS_MCP_LOOPS_H

#include <stdbool.h>

#include "entropy.h"
#include "mcp_output.h"

struct json;
struct mcp_loops;

/* `limits` are copied. The caller ends *out with mcp_loops_close(). */
void mcp_loops_open(struct mcp_loops **out, const struct entropy_limits *limits);
void mcp_loops_close(struct mcp_loops *loops);

/* A call that is over. */
struct mcp_loops_call {
    const char *tool;
    const struct json *args; /* an object; NULL = none */
    const struct mcp_output *output;
    bool failed, transient;
};

/* What the rungs say after it: *verdict, and unless that is "ok" a line for the agent in
 * *nudge. */
void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge);

#endif
