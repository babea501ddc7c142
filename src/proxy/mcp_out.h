/*
 * mcp_out.h - the messages on their way to the client: queued, and written as it takes them.
 *
 * Never blocks: of a pipe no more is written at a time than there is room for once it is
 * ready, whoever else has the same open file. Belongs to one thread.
 */
#ifndef DEVS_MCP_OUT_H
#define DEVS_MCP_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

enum {
    MCP_OUT_HIGH = 1024 * 1024, /* bytes queued from which on nothing more is read of a client */
};

struct mcp_out {
    int fd;           /* borrowed; -1 = the client is gone, all is thrown away */
    struct str bytes; /* whole messages */
    size_t written;   /* of these */
};

/* Queue a message; its line feed is added. `text` is JSON without one. */
void mcp_out_add(struct mcp_out *out, const char *text, size_t len);

/* Bytes that are waiting. */
size_t mcp_out_waiting(const struct mcp_out *out);

/* Write what the descriptor takes; it is ready, as poll() said. False once the client is gone. */
bool mcp_out_write(struct mcp_out *out);

void mcp_out_done(struct mcp_out *out);

#endif
