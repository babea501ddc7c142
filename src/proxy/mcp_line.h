/*
 * mcp_line.h - the lines of a stream of messages, each of bounded length.
 *
 * A line that is too long is not kept: it is told once, and the next one is read from its
 * beginning, so that the stream stays in step. Belongs to one thread.
 */
#ifndef DEVS_MCP_LINE_H
#define DEVS_MCP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

enum { MCP_LINE_MAX = 8 * 1024 * 1024 }; /* bytes of a message, its line feed not counted */

/* `line` has no line feed and no NUL behind it that counts; NULL: it was too long. Borrowed for
 * the call. */
typedef void mcp_line_fn(void *ctx, const char *line, size_t len);

struct mcp_lines {
    struct str part; /* of a line whose end has not come */
    bool skipping;   /* what comes up to the next line feed belongs to one that is too long */
    size_t max;      /* 0 = MCP_LINE_MAX */
};

/* The next bytes. Calls back for each line that they end, but for blank ones. */
void mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len, mcp_line_fn *each,
                   void *ctx);
/* The stream is over: a last line may lack its line feed. */
void mcp_lines_end(struct mcp_lines *lines, mcp_line_fn *each, void *ctx);
void mcp_lines_done(struct mcp_lines *lines);

#endif
