/*
 * Whatever an agent's client sends: lines of any length and content. Each request has one reply,
 * every reply is one line of JSON, and the server stays in step.
 *
 * The first byte says how long the pieces are that the bytes come in. Calls are answered as soon
 * as the next line comes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mcp_server.h"
#include "mcp_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES_MAX = 4096 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void begin(void *ctx, struct mcp_call *call)
{
    must(call->id.len > 0);
    must(call->request.tool < MCP_TOOL_COUNT);
    must((call->request.path != NULL) ==
         (call->request.tool == MCP_TOOL_READ || call->request.tool == MCP_TOOL_WRITE));
    must(!call->request.path || call->request.path[0] != '/');
    (void)ctx;
}

static void take_back(void *ctx, struct mcp_call *call)
{
    must(call->is_taken_back);
    (void)ctx;
}

static void take_line(void *ctx, const char *line, size_t len)
{
    struct mcp_server *server = ctx;
    if (server->call_count > MCP_CALLS_MAX / 2) {
        struct mcp_call *call = server->calls[0];
        mcp_server_progress(server, call, "half");
        mcp_server_answer(server, call, "\"content\":[]");
    }
    mcp_server_line(server, line, len);
}

/* What was said is lines of JSON that say which version they are of, or lists of such. */
static void check_said(const struct mcp_out *out)
{
    const char *at = str_text(&out->bytes);
    const char *const end = at + out->bytes.len;
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        struct json *json = NULL;
        must(feed != NULL);
        must(json_parse_data(at, (size_t)(feed - at), &json, NULL, NULL));
        const struct json *one = json_kind(json) == JSON_KIND_ARRAY ? json_at(json, 0) : json;
        must(strcmp(json_text(json_get(one, "jsonrpc"), ""), "2.0") == 0);
        json_free(json);
        at = feed + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct mcp_host host = {.begin = begin, .take_back = take_back};
    struct mcp_lines lines = {.max = LINE_BYTES_MAX};
    struct mcp_out out = {.fd = 1}; /* nothing is written to it */
    struct mcp_server server;
    if (size == 0)
        return 0;
    const size_t piece = (size_t)data[0] + 1;
    const char *bytes = (const char *)data + 1;
    mcp_server_init(&server, &out, "/srv/shop", &host);
    for (size_t at = 0; at < size - 1; at += piece)
        mcp_lines_add(&lines, bytes + at, at + piece < size - 1 ? piece : size - 1 - at, take_line,
                      &server);
    mcp_lines_end(&lines, take_line, &server);
    mcp_server_done(&server);
    check_said(&out);
    mcp_lines_done(&lines);
    mcp_out_done(&out);
    return 0;
}
