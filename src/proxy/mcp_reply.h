/*
 * mcp_reply.h - the JSON text of what the server says. Pure.
 *
 * Texts that come in as JSON (ids, tokens, members) have been written by us or read as JSON
 * before; all else is quoted here.
 */
#ifndef DEVS_MCP_REPLY_H
#define DEVS_MCP_REPLY_H

#include <stdint.h>

#include "mcp_message.h"
#include "mcp_version.h"

enum { MCP_TTL_MS = 3600 * 1000 }; /* how long the lists may be kept: they do not change */

/* A result whose object has these members ("" = none), as the era wants it. `id` is JSON. */
void mcp_reply_result(struct str *out, const char *id, enum mcp_era era, const char *members);

/* `id` "" = it cannot be known: null. `data` is JSON, NULL = none. */
void mcp_reply_error(struct str *out, const char *id, enum mcp_error code, const char *message,
                     const char *data);

/* `token` is JSON. */
void mcp_reply_progress(struct str *out, const char *token, int64_t value, const char *message);

/* Members of the results of `initialize`, `server/discover` and `tools/list`. */
void mcp_reply_initialize(struct str *out, enum mcp_version version);
/* Append those of `server/discover`. */
void mcp_reply_discover(struct str *out);
/* Append those of `tools/list`, with how long they hold where that is said. */
void mcp_reply_tools(struct str *out, enum mcp_era era);

/* Members of a tool's result that is an error and nothing else: it was not executed. */
void mcp_reply_refusal(struct str *out, const char *why, const char *what_to_do);
/* Likewise: it may have been executed, and nobody can say how it ended. */
void mcp_reply_unknown(struct str *out, const char *why);

#endif
