/*
 * mcp_wire.c - lines from and to the client, JSON-RPC messages, and versions of MCP.
 *
 * Lines that are too long are skipped. Output is queued and written without blocking.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attr.h"
#include "mcp_wire.h"

/* Lines from the client. */

static void end_line(struct mcp_lines *lines, mcp_line_fn *each, void *ctx)
{
    const char *line = str_text(&lines->part);
    if (lines->skipping)
        each(ctx, NULL, 0);
    else if (strspn(line, " \t\r") < lines->part.len) /* not blank */
        each(ctx, line, lines->part.len);
    lines->skipping = false;
    str_clear(&lines->part);
}

void mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len, mcp_line_fn *each,
                   void *ctx)
{
    const size_t max = lines->max > 0 ? lines->max : MCP_LINE_MAX;
    while (len > 0) {
        const char *end = memchr(bytes, '\n', len);
        const size_t part = end ? (size_t)(end - bytes) : len;
        if (!lines->skipping && part <= max - lines->part.len) {
            str_add_n(&lines->part, bytes, part);
        } else if (!lines->skipping) {
            lines->skipping = true; /* the line is too long */
            str_done(&lines->part); /* frees its memory, which may be a lot */
        }
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

/* JSON-RPC messages. */

bool mcp_is_id(const struct json *json)
{
    size_t len = 0;
    switch (json_kind(json)) {
    case JSON_KIND_INTEGER:
        return true;
    case JSON_KIND_STRING:
        (void)json_bytes(json, &len);
        return len <= MCP_ID_MAX / 6 - 1; /* a character can become six: \u0001 */
    default:
        return false;
    }
}

static void break_message(struct mcp_message *message, const char *why)
{
    message->kind = MCP_BROKEN;
    message->error = MCP_ERROR_REQUEST;
    message->why = why;
}

void mcp_message_read(const struct json *json, struct mcp_message *out)
{
    const struct json *id = json_get(json, "id");
    const struct json *method = json_get(json, "method");
    const struct json *params = json_get(json, "params");
    *out = (struct mcp_message){0};
    if (json_kind(json) != JSON_KIND_OBJECT) {
        break_message(out, "a message must be an object");
        return;
    }
    if (mcp_is_id(id))
        json_write(&out->id, id);
    if (strcmp(json_text(json_get(json, "jsonrpc"), ""), "2.0") != 0) {
        break_message(out, "a message must have \"jsonrpc\":\"2.0\"");
    } else if (method) {
        out->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
        out->method = json_text(method, NULL);
        if (id && !mcp_is_id(id))
            break_message(out, "an id must be a string of at most 169 bytes or an integer");
        else if (!out->method)
            break_message(out, "the method must be a string");
        else if (params && json_kind(params) != JSON_KIND_OBJECT)
            break_message(out, "params must be an object");
        else
            out->params = params;
    } else if (json_get(json, "result") || json_get(json, "error")) {
        out->kind = MCP_RESPONSE;
    } else {
        break_message(out, "a message must have a method");
    }
}

void mcp_message_done(struct mcp_message *message)
{
    str_done(&message->id);
    *message = (struct mcp_message){0};
}

/* Versions of MCP. */

static const char *const names[] = {
    [MCP_2024_11_05] = "2024-11-05", [MCP_2025_03_26] = "2025-03-26",
    [MCP_2025_06_18] = "2025-06-18", [MCP_2025_11_25] = "2025-11-25",
    [MCP_2026_07_28] = "2026-07-28",
};
static_assert(ARRAY_LEN(names) == MCP_VERSION_COUNT, "every version has a name");

const char *mcp_version_name(enum mcp_version version)
{
    return names[version];
}

bool mcp_version_parse(const char *name, enum mcp_version *out)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        *out = (enum mcp_version)i;
        return true;
    }
    return false;
}

enum mcp_era mcp_version_era(enum mcp_version version)
{
    return version <= MCP_NEWEST_LEGACY ? MCP_ERA_LEGACY : MCP_ERA_STATELESS;
}

bool mcp_version_has_batches(enum mcp_version version)
{
    return version == MCP_2025_03_26;
}

void mcp_version_list(struct str *out)
{
    str_add_char(out, '[');
    for (int i = MCP_VERSION_COUNT - 1; i >= 0; i--)
        str_addf(out, "\"%s\"%s", names[i], i > 0 ? "," : "]");
}

/* Lines to the client. */

void mcp_out_add(struct mcp_out *out, const char *text, size_t len)
{
    if (out->fd < 0)
        return;
    if (out->written > MCP_OUT_HIGH) {
        /* Frees written bytes even if the client never reads everything. */
        struct str waiting = {0};
        str_add_n(&waiting, out->bytes.data + out->written, mcp_out_waiting(out));
        str_done(&out->bytes);
        out->bytes = waiting;
        out->written = 0;
    }
    str_add_n(&out->bytes, text, len);
    str_add_char(&out->bytes, '\n');
}

size_t mcp_out_waiting(const struct mcp_out *out)
{
    return out->bytes.len - out->written;
}

bool mcp_out_write(struct mcp_out *out)
{
    if (out->fd < 0)
        return false;
    if (mcp_out_waiting(out) == 0)
        return true;
    /* This does not block: a ready pipe accepts PIPE_BUF bytes, and sockets support
     * MSG_DONTWAIT. */
    const char *from = str_text(&out->bytes) + out->written;
    const size_t len = mcp_out_waiting(out);
    ssize_t done = send(out->fd, from, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (done < 0 && errno == ENOTSOCK)
        done = write(out->fd, from, len < PIPE_BUF ? len : PIPE_BUF);
    if (done < 0 && errno != EINTR && errno != EAGAIN) {
        out->fd = -1;
        str_done(&out->bytes);
        out->written = 0;
        return false;
    }
    if (done > 0)
        out->written += (size_t)done;
    if (mcp_out_waiting(out) == 0) {
        out->written = 0;
        str_clear(&out->bytes);
        if (out->bytes.cap > MCP_OUT_HIGH)
            str_done(&out->bytes);
    }
    return true;
}

void mcp_out_done(struct mcp_out *out)
{
    str_done(&out->bytes);
}
