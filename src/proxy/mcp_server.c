/* mcp_server.c - answers the messages of a client: requests, batches, and pending calls.
 *
 * A table says which methods each era of the protocol has. The server owns a call until
 * mcp_server_answer(). The replies to a batch are sent together, once the last reply is there. */
#include "mcp_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp_request.h"
#include "text.h"
#include "xalloc.h"

/* Replies. */

static const char instructions[] =
    "Commands, tests and files of this project, run under devs: temporary failures are retried "
    "after a wait, others are returned with their class and the evidence. Do "
    "not wrap retries around these tools. Where a result says that you are in a loop, change the "
    "approach; where it says stop, stop and tell the person.";

/* Writes a result with these members ("" = none), in the form of the era. `id` is JSON. */
static void mcp_reply_result(struct str *out, const char *id, enum mcp_era era, const char *members)
{
    str_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", id);
    if (era == MCP_ERA_STATELESS)
        str_addf(out, "\"resultType\":\"complete\"%s", *members != '\0' ? "," : "");
    str_add(out, members);
    str_add(out, "}}");
}

/* Writes an error reply. `id` is JSON; "" = unknown, written as null. `data` is JSON; NULL =
 * none. */
static void mcp_reply_error(struct str *out, const char *id, enum mcp_error code,
                            const char *message, const char *data)
{
    str_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d", *id ? id : "null",
             (int)code);
    str_json_text(out, "message", message);
    if (data) {
        str_json_key(out, "data");
        str_add(out, data);
    }
    str_add(out, "}}");
}

static void add_server(struct str *out)
{
    str_add(out, "{\"name\":\"devs\",\"title\":\"devs\",\"version\":\"" DEVS_VERSION "\"}");
}

/* Appends the beginning of an error, up to and including the verdict in structuredContent. */
static void begin_error(struct str *out, const struct str *text, const char *verdict)
{
    str_add(out, "\"content\":[{\"type\":\"text\",\"text\":");
    str_add_json(out, str_text(text), text->len);
    str_add(out, "}],\"isError\":true,\"structuredContent\":{");
    str_json_text(out, "verdict", verdict);
}

void mcp_reply_refusal(struct str *out, const char *why, const char *what_to_do)
{
    struct str text = {0};
    str_addf(&text, "not executed: %s", why);
    if (*what_to_do != '\0')
        str_addf(&text, "\n%s", what_to_do);
    begin_error(out, &text, "not-executed");
    str_json_text(out, "why", why);
    str_json_i64(out, "attempts", 0);
    if (*what_to_do != '\0')
        str_json_text(out, "next", what_to_do);
    str_add_char(out, '}');
    str_done(&text);
}

void mcp_reply_unknown(struct str *out, const char *why)
{
    static const char next[] = "Check what it may have changed before you call again.";
    struct str text = {0};
    str_addf(&text, "it is not known how the call ended: %s\n%s", why, next);
    begin_error(out, &text, "unknown");
    str_json_text(out, "why", why);
    str_json_text(out, "next", next);
    str_add_char(out, '}');
    str_done(&text);
}

/* Pending calls, and the batches they came in. */

/* Call this when a request of the batch has its reply, or will not get one. After the last request,
 * sends the replies and frees the batch. */
static void close_batch(struct mcp_server *server, struct mcp_batch *batch)
{
    if (--batch->open > 0)
        return;
    if (batch->replies.len > 0) {
        str_add_char(&batch->replies, ']');
        mcp_out_add(server->out, str_text(&batch->replies), batch->replies.len);
    }
    str_done(&batch->replies);
    free(batch);
}

/* Sends a reply, or adds it to its batch. Takes ownership of the text. */
static void send_reply(struct mcp_server *server, struct mcp_batch *batch, struct str *text)
{
    if (batch) {
        str_add_char(&batch->replies, batch->replies.len > 0 ? ',' : '[');
        str_add_n(&batch->replies, str_text(text), text->len);
        close_batch(server, batch);
    } else {
        mcp_out_add(server->out, str_text(text), text->len);
    }
    str_done(text);
}

/* Replies to the message that is being read. Takes ownership of the text. */
static void mcp_calls_reply(struct mcp_server *server, struct str *text)
{
    if (server->batch)
        server->batch->open++;
    send_reply(server, server->batch, text);
}

/* Finds the pending call with this id (JSON); NULL = none. */
static struct mcp_call *mcp_calls_find(const struct mcp_server *server, const char *id)
{
    for (size_t i = 0; i < server->call_count; i++) {
        if (strcmp(str_text(&server->calls[i]->id), id) == 0)
            return server->calls[i];
    }
    return NULL;
}

void mcp_server_answer(struct mcp_server *server, struct mcp_call *call, const char *members)
{
    struct str text = {0};
    size_t at = 0;
    while (server->calls[at] != call)
        at++;
    server->call_count--;
    for (; at < server->call_count; at++)
        server->calls[at] = server->calls[at + 1];
    if (!call->is_taken_back) {
        mcp_reply_result(&text, str_text(&call->id), call->era, members);
        send_reply(server, call->batch, &text);
    } else if (call->batch) {
        close_batch(server, call->batch);
    }
    mcp_request_done(&call->request);
    str_done(&call->id);
    str_done(&call->token);
    free(call);
}

void mcp_server_progress(struct mcp_server *server, struct mcp_call *call, const char *message)
{
    struct str text = {0};
    if (call->token.len == 0 || call->is_taken_back || mcp_out_waiting(server->out) > MCP_OUT_HIGH)
        return;
    str_addf(&text,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
             "\"progressToken\":%s",
             str_text(&call->token));
    str_json_i64(&text, "progress", ++call->progress);
    str_json_text(&text, "message", message);
    str_add(&text, "}}");
    mcp_out_add(server->out, str_text(&text), text.len);
    str_done(&text);
}

/* Requests. */

static const char version_key[] = "io.modelcontextprotocol/protocolVersion";
static const char capabilities_key[] = "io.modelcontextprotocol/clientCapabilities";
static const char client_key[] = "io.modelcontextprotocol/clientInfo";

/* A request being answered. */
struct asked {
    struct mcp_server *server;
    const struct mcp_message *message;
    enum mcp_era era;
};

void mcp_server_init(struct mcp_server *server, struct mcp_out *out, const char *root,
                     const struct mcp_host *host)
{
    *server =
        (struct mcp_server){.out = out, .root = root, .host = *host, .version = MCP_NEWEST_LEGACY};
}

static void send_error(struct mcp_server *server, const char *id, enum mcp_error code,
                       const char *why)
{
    struct str text = {0};
    mcp_reply_error(&text, id, code, why, NULL);
    mcp_calls_reply(server, &text);
}

static void refuse_request(const struct asked *asked, enum mcp_error code, const char *why)
{
    send_error(asked->server, str_text(&asked->message->id), code, why);
}

/* Sends the result and frees `members`. */
static void answer_request(const struct asked *asked, struct str *members)
{
    struct str text = {0};
    mcp_reply_result(&text, str_text(&asked->message->id), asked->era, str_text(members));
    mcp_calls_reply(asked->server, &text);
    str_done(members);
}

/* Stores the client's name, sanitized because it goes into the log and onto screens. */
static void take_client(struct mcp_server *server, const struct json *info)
{
    const char *name = json_text(json_get(info, "name"), NULL);
    if (!name || server->client[0] != '\0')
        return;
    struct str clean = {0};
    text_clean(&clean, name, strlen(name));
    const size_t line = strcspn(str_text(&clean), "\n");
    const size_t len = text_cut(str_text(&clean), line, sizeof(server->client) - 1);
    (void)snprintf(server->client, sizeof(server->client), "%.*s", (int)len, str_text(&clean));
    str_done(&clean);
}

static void answer_initialize(const struct asked *asked)
{
    struct mcp_server *server = asked->server;
    const char *wanted = json_text(json_get(asked->message->params, "protocolVersion"), NULL);
    struct str members = {0};
    if (!wanted) {
        refuse_request(asked, MCP_ERROR_PARAMS, "protocolVersion is missing");
        return;
    }
    enum mcp_version version = MCP_NEWEST_LEGACY;
    if (!mcp_version_parse(wanted, &version) || mcp_version_era(version) != MCP_ERA_LEGACY)
        version = MCP_NEWEST_LEGACY;
    server->version = version;
    take_client(server, json_get(asked->message->params, "clientInfo"));
    str_json_text(&members, "protocolVersion", mcp_version_name(version));
    str_add(&members, ",\"capabilities\":{\"tools\":{\"listChanged\":false}},\"serverInfo\":");
    add_server(&members);
    str_json_text(&members, "instructions", instructions);
    answer_request(asked, &members);
}

static void answer_ping(const struct asked *asked)
{
    struct str members = {0};
    answer_request(asked, &members);
}

static void answer_discover(const struct asked *asked)
{
    struct str members = {0};
    str_add(&members, "\"supportedVersions\":");
    mcp_version_list(&members);
    str_add(&members, ",\"capabilities\":{\"tools\":{\"listChanged\":false}}");
    str_json_text(&members, "instructions", instructions);
    str_json_i64(&members, "ttlMs", MCP_TTL_MS);
    str_json_text(&members, "cacheScope", "public");
    str_add(&members, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    add_server(&members);
    str_add_char(&members, '}');
    answer_request(asked, &members);
}

static void answer_list_tools(const struct asked *asked)
{
    struct str members = {0};
    if (json_get(asked->message->params, "cursor")) {
        refuse_request(asked, MCP_ERROR_PARAMS, "there is only one page: no cursor was issued");
        return;
    }
    str_add(&members, "\"tools\":");
    mcp_tool_list(&members);
    if (asked->era == MCP_ERA_STATELESS) { /* a lifetime exists only in this era */
        str_json_i64(&members, "ttlMs", MCP_TTL_MS);
        str_json_text(&members, "cacheScope", "public");
    }
    answer_request(asked, &members);
}

static void answer_call_tool(const struct asked *asked)
{
    struct mcp_server *server = asked->server;
    const struct json *params = asked->message->params;
    const char *name = json_text(json_get(params, "name"), NULL);
    enum mcp_tool tool = MCP_TOOL_EXECUTE;
    struct str members = {0};
    struct str why = {0};
    if (!name || !mcp_tool_parse(name, &tool)) {
        str_addf(&why, name ? "unknown tool '%.64s'" : "the tool's name is missing",
                 name ? name : "");
        refuse_request(asked, MCP_ERROR_PARAMS, str_text(&why));
    } else if (mcp_calls_find(server, str_text(&asked->message->id))) {
        refuse_request(asked, MCP_ERROR_REQUEST, "a call with this id is still in progress");
    } else if (server->call_count == MCP_CALLS_MAX) {
        /* Sent as a tool's result, so that the model sees it too. */
        str_addf(&why, "%d calls are already in progress, which is the maximum", MCP_CALLS_MAX);
        mcp_reply_refusal(&members, str_text(&why), "Wait until some have ended, then call again.");
        answer_request(asked, &members);
    } else {
        /* The server owns the call until mcp_server_answer(). */
        struct mcp_call *call = xcalloc(1, sizeof(*call));
        const struct json *token = json_get(json_get(params, "_meta"), "progressToken");
        struct err err = {0};
        str_add(&call->id, str_text(&asked->message->id));
        if (mcp_is_id(token))
            json_write(&call->token, token);
        call->era = asked->era;
        call->batch = server->batch; /* the batch being read */
        if (call->batch)
            call->batch->open++;
        server->calls[server->call_count++] = call;
        if (mcp_request_read(tool, json_get(params, "arguments"), server->root, &call->request,
                             &err)) {
            server->host.begin(server->host.ctx, call);
        } else {
            mcp_reply_refusal(&members, err.message, err.hint);
            mcp_server_answer(server, call, str_text(&members));
        }
    }
    str_done(&members);
    str_done(&why);
}

enum { IN_LEGACY = 1 << MCP_ERA_LEGACY, IN_STATELESS = 1 << MCP_ERA_STATELESS };

static const struct {
    const char *name;
    unsigned eras;
    void (*answer)(const struct asked *asked);
} methods[] = {
    {"initialize", IN_LEGACY, answer_initialize},
    {"ping", IN_LEGACY, answer_ping},
    {"server/discover", IN_LEGACY | IN_STATELESS, answer_discover},
    {"tools/list", IN_LEGACY | IN_STATELESS, answer_list_tools},
    {"tools/call", IN_LEGACY | IN_STATELESS, answer_call_tool},
};

/* Determines the era of a request. Returns false if the request is invalid and was answered. */
static bool settle_era(struct asked *asked)
{
    const struct json *meta = json_get(asked->message->params, "_meta");
    const struct json *claim = json_get(meta, version_key);
    enum mcp_version version = asked->server->version;
    asked->era = MCP_ERA_LEGACY;
    if (!claim)
        return true;
    if (!mcp_version_parse(json_text(claim, ""), &version)) {
        struct str data = {0};
        struct str text = {0};
        str_add(&data, "{\"supported\":");
        mcp_version_list(&data);
        str_json_text(&data, "requested", json_text(claim, ""));
        str_add_char(&data, '}');
        mcp_reply_error(&text, str_text(&asked->message->id), MCP_ERROR_VERSION,
                        "unsupported protocol version", str_text(&data));
        mcp_calls_reply(asked->server, &text);
        str_done(&data);
        return false;
    }
    asked->era = mcp_version_era(version);
    if (asked->era == MCP_ERA_LEGACY)
        return true;
    if (json_kind(json_get(meta, capabilities_key)) != JSON_KIND_OBJECT) {
        refuse_request(asked, MCP_ERROR_PARAMS,
                       "_meta must have an object io.modelcontextprotocol/clientCapabilities");
        return false;
    }
    take_client(asked->server, json_get(meta, client_key));
    return true;
}

static void take_request(struct mcp_server *server, const struct mcp_message *message)
{
    struct asked asked = {.server = server, .message = message};
    if (!settle_era(&asked))
        return;
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        if (strcmp(methods[i].name, message->method) != 0 || !(methods[i].eras & 1U << asked.era))
            continue;
        /* This answer is always in the stateless form. */
        if (methods[i].answer == answer_discover)
            asked.era = MCP_ERA_STATELESS;
        methods[i].answer(&asked);
        return;
    }
    struct str why = {0};
    str_addf(&why, "unknown method '%.*s'", MCP_METHOD_MAX, message->method);
    refuse_request(&asked, MCP_ERROR_METHOD, str_text(&why));
    str_done(&why);
}

/* Handles a cancellation. Ignores all other notifications, which need no action or are from newer
 * versions. */
static void take_notification(struct mcp_server *server, const struct mcp_message *message)
{
    struct str id = {0};
    if (strcmp(message->method, "notifications/cancelled") != 0)
        return;
    const struct json *wanted = json_get(message->params, "requestId");
    if (mcp_is_id(wanted))
        json_write(&id, wanted);
    struct mcp_call *call = id.len > 0 ? mcp_calls_find(server, str_text(&id)) : NULL;
    str_done(&id);
    if (!call || call->is_taken_back)
        return;
    call->is_taken_back = true;
    server->host.take_back(server->host.ctx, call);
}

static void take_message(struct mcp_server *server, const struct json *json)
{
    struct mcp_message message;
    mcp_message_read(json, &message);
    switch (message.kind) {
    case MCP_REQUEST:
        take_request(server, &message);
        break;
    case MCP_NOTIFICATION:
        take_notification(server, &message);
        break;
    case MCP_RESPONSE: /* devs sends no requests */
        break;
    case MCP_BROKEN:
        send_error(server, str_text(&message.id), message.error, message.why);
        break;
    }
    mcp_message_done(&message);
}

static void take_batch(struct mcp_server *server, const struct json *list)
{
    const size_t count = json_count(list);
    if (!mcp_version_has_batches(server->version)) {
        send_error(server, "", MCP_ERROR_REQUEST,
                   "this version of the protocol does not support batches");
        return;
    }
    if (count == 0 || count > MCP_BATCH_MAX) {
        send_error(server, "", MCP_ERROR_REQUEST, "a batch must have 1 to 64 messages");
        return;
    }
    /* All messages read until the end belong to the batch. Its replies are sent together once the
     * last reply is there. */
    struct mcp_batch *batch = xcalloc(1, sizeof(*batch));
    batch->open = 1; /* until the whole batch is read */
    server->batch = batch;
    for (size_t i = 0; i < count; i++)
        take_message(server, json_at(list, i));
    server->batch = NULL;
    close_batch(server, batch);
}

void mcp_server_line(void *ctx, const char *line, size_t len)
{
    struct mcp_server *server = ctx;
    struct json *json = NULL;
    struct err err = {0};
    if (!line) {
        send_error(server, "", MCP_ERROR_REQUEST, "the message is longer than 8 MiB");
    } else if (!json_parse_data(line, len, &json, NULL, &err)) {
        send_error(server, "", MCP_ERROR_PARSE, err.message);
    } else {
        if (json_kind(json) == JSON_KIND_ARRAY)
            take_batch(server, json);
        else
            take_message(server, json);
    }
    json_free(json);
}

void mcp_server_done(struct mcp_server *server)
{
    while (server->call_count > 0) {
        struct mcp_call *call = server->calls[server->call_count - 1];
        call->is_taken_back = true;
        mcp_server_answer(server, call, "");
    }
}
