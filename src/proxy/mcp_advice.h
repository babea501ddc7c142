/*
 * mcp_advice.h - what an agent should do about a call that failed. Pure.
 */
#ifndef DEVS_MCP_ADVICE_H
#define DEVS_MCP_ADVICE_H

#include "mcp_result.h"

/* Append what to do next, one or more sentences; nothing after a plain success. */
void mcp_advice(const struct mcp_ended *ended, struct str *out);

/* Append why the call was executed once, if more tries were never meant: no sentence end; nothing
 * where its policy could have tried again. */
void mcp_once(const struct mcp_ended *ended, struct str *out);

#endif
