#include "mcp_line.h"

#include <string.h>

static size_t line_max(const struct mcp_lines *lines)
{
    return lines->max > 0 ? lines->max : MCP_LINE_MAX;
}

static bool is_blank(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r')
            return false;
    }
    return true;
}

/* Keep what has come of a line, as long as it may be one. */
static void keep(struct mcp_lines *lines, const char *bytes, size_t len)
{
    if (lines->skipping)
        return;
    if (len <= line_max(lines) - lines->part.len) {
        str_add_n(&lines->part, bytes, len);
        return;
    }
    lines->skipping = true;
    str_done(&lines->part); /* it may have grown large */
}

static void end_line(struct mcp_lines *lines, mcp_line_fn *each, void *ctx)
{
    if (lines->skipping)
        each(ctx, NULL, 0);
    else if (!is_blank(str_text(&lines->part), lines->part.len))
        each(ctx, str_text(&lines->part), lines->part.len);
    lines->skipping = false;
    str_clear(&lines->part);
}

void mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len, mcp_line_fn *each,
                   void *ctx)
{
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        const size_t part = end ? (size_t)(end - bytes) : len;
        keep(lines, bytes, part);
        if (!end)
            return;
        end_line(lines, each, ctx);
        bytes += part + 1;
        len -= part + 1;
    }
}

void mcp_lines_end(struct mcp_lines *lines, mcp_line_fn *each, void *ctx)
{
    if (lines->skipping || lines->part.len > 0)
        end_line(lines, each, ctx);
}

void mcp_lines_done(struct mcp_lines *lines)
{
    str_done(&lines->part);
    *lines = (struct mcp_lines){0};
}
