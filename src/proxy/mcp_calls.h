/*
 * mcp_calls.h - the calls of a server that have no reply yet, and the way of every reply: alone,
 * or with the others of its batch. mcp_server_answer() and mcp_server_progress() (mcp_server.h) are
 * here too. Belongs to the server's thread.
 */
#ifndef DEVS_MCP_CALLS_H
#define DEVS_MCP_CALLS_H

#include "mcp_message.h"
#include "mcp_server.h"

/* What is read from now on came as one batch. */
void mcp_calls_begin_batch(struct mcp_server *server);
/* All of it was read; its replies go out together, when the last of them is there. */
void mcp_calls_end_batch(struct mcp_server *server);

/* The reply to what is being read. Takes the text, which is done with. */
void mcp_calls_reply(struct mcp_server *server, struct str *text);

/* The call with this id, as JSON; NULL = none is under way. */
struct mcp_call *mcp_calls_find(const struct mcp_server *server, const char *id);
/* One call more, of the batch that is being read. There are fewer than MCP_CALLS_MAX. The server
 * owns it until mcp_server_answer(). */
struct mcp_call *mcp_calls_add(struct mcp_server *server, const struct mcp_message *message,
                               enum mcp_era era);

#endif
