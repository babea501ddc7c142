#include "mcp_server.h"

#include <stdio.h>
#include <string.h>

#include "mcp_calls.h"
#include "mcp_reply.h"
#include "mcp_tool.h"
#include "text.h"

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

static void refuse(const struct asked *asked, enum mcp_error code, const char *why)
{
    send_error(asked->server, str_text(&asked->message->id), code, why);
}

static void answer(const struct asked *asked, struct str *members)
{
    struct str text = {0};
    mcp_reply_result(&text, str_text(&asked->message->id), asked->era, str_text(members));
    mcp_calls_reply(asked->server, &text);
    str_done(members);
}

/* It goes into the log, and onto screens. */
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

static void initialize(const struct asked *asked)
{
    struct mcp_server *server = asked->server;
    const char *wanted = json_text(json_get(asked->message->params, "protocolVersion"), NULL);
    struct str members = {0};
    if (!wanted) {
        refuse(asked, MCP_ERROR_PARAMS, "protocolVersion is missing");
        return;
    }
    enum mcp_version version = MCP_NEWEST_LEGACY;
    if (!mcp_version_parse(wanted, &version) || mcp_version_era(version) != MCP_ERA_LEGACY)
        version = MCP_NEWEST_LEGACY;
    server->version = version;
    take_client(server, json_get(asked->message->params, "clientInfo"));
    mcp_reply_initialize(&members, version);
    answer(asked, &members);
}

static void ping(const struct asked *asked)
{
    struct str members = {0};
    answer(asked, &members);
}

static void discover(const struct asked *asked)
{
    struct str members = {0};
    mcp_reply_discover(&members);
    answer(asked, &members);
}

static void list_tools(const struct asked *asked)
{
    struct str members = {0};
    if (json_get(asked->message->params, "cursor")) {
        refuse(asked, MCP_ERROR_PARAMS, "there is one page only: no cursor was given out");
        return;
    }
    mcp_reply_tools(&members, asked->era);
    answer(asked, &members);
}

static void answer_refusal(struct mcp_server *server, struct mcp_call *call, const struct err *why)
{
    struct str members = {0};
    mcp_reply_refusal(&members, why->message, why->hint);
    mcp_server_answer(server, call, str_text(&members));
    str_done(&members);
}

/* A call beyond the limit is told as a tool's result, so that the model sees it too. */
static void refuse_one_more(const struct asked *asked)
{
    struct str members = {0};
    struct str why = {0};
    str_addf(&why, "%d calls are under way, no more are taken at once", MCP_CALLS_MAX);
    mcp_reply_refusal(&members, str_text(&why), "Wait until some have ended, then call again.");
    answer(asked, &members);
    str_done(&why);
}

static void call_tool(const struct asked *asked)
{
    struct mcp_server *server = asked->server;
    const struct json *params = asked->message->params;
    const char *name = json_text(json_get(params, "name"), NULL);
    enum mcp_tool tool = MCP_TOOL_EXECUTE;
    struct err err = {0};
    if (!name || !mcp_tool_parse(name, &tool)) {
        struct str why = {0};
        str_addf(&why, name ? "unknown tool '%.64s'" : "the tool's name is missing",
                 name ? name : "");
        refuse(asked, MCP_ERROR_PARAMS, str_text(&why));
        str_done(&why);
    } else if (mcp_calls_find(server, str_text(&asked->message->id))) {
        refuse(asked, MCP_ERROR_REQUEST, "a call with this id is still under way");
    } else if (server->call_count == MCP_CALLS_MAX) {
        refuse_one_more(asked);
    } else {
        struct mcp_call *call = mcp_calls_add(server, asked->message, asked->era);
        if (mcp_request_read(tool, json_get(params, "arguments"), server->root, &call->request,
                             &err))
            server->host.begin(server->host.ctx, call);
        else
            answer_refusal(server, call, &err);
    }
}

enum { IN_LEGACY = 1 << MCP_ERA_LEGACY, IN_STATELESS = 1 << MCP_ERA_STATELESS };

static const struct {
    const char *name;
    unsigned eras;
    void (*answer)(const struct asked *asked);
} methods[] = {
    {"initialize", IN_LEGACY, initialize},
    {"ping", IN_LEGACY, ping},
    {"server/discover", IN_LEGACY | IN_STATELESS, discover},
    {"tools/list", IN_LEGACY | IN_STATELESS, list_tools},
    {"tools/call", IN_LEGACY | IN_STATELESS, call_tool},
};

static void refuse_version(const struct asked *asked, const char *wanted)
{
    struct str data = {0};
    struct str text = {0};
    struct mcp_server *server = asked->server;
    str_add(&data, "{\"supported\":");
    mcp_version_list(&data);
    str_json_text(&data, "requested", wanted);
    str_add_char(&data, '}');
    mcp_reply_error(&text, str_text(&asked->message->id), MCP_ERROR_VERSION,
                    "unsupported protocol version", str_text(&data));
    mcp_calls_reply(server, &text);
    str_done(&data);
}

/* Which era is this request of? False: it was answered with what is wrong. */
static bool settle_era(struct asked *asked)
{
    const struct json *meta = json_get(asked->message->params, "_meta");
    const struct json *claim = json_get(meta, version_key);
    enum mcp_version version = asked->server->version;
    asked->era = MCP_ERA_LEGACY;
    if (!claim)
        return true;
    if (!mcp_version_parse(json_text(claim, ""), &version)) {
        refuse_version(asked, json_text(claim, ""));
        return false;
    }
    asked->era = mcp_version_era(version);
    if (asked->era == MCP_ERA_LEGACY)
        return true;
    if (json_kind(json_get(meta, capabilities_key)) != JSON_KIND_OBJECT) {
        refuse(asked, MCP_ERROR_PARAMS,
               "_meta lacks io.modelcontextprotocol/clientCapabilities, an object");
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
        /* The answer needs a stateless form, however it was asked for. */
        if (methods[i].answer == discover)
            asked.era = MCP_ERA_STATELESS;
        methods[i].answer(&asked);
        return;
    }
    struct str why = {0};
    str_addf(&why, "no method '%.*s'", MCP_METHOD_MAX, message->method);
    refuse(&asked, MCP_ERROR_METHOD, str_text(&why));
    str_done(&why);
}

/* Others need nothing done, or are of a newer time. */
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
    case MCP_RESPONSE: /* we ask for nothing */
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
        send_error(server, "", MCP_ERROR_REQUEST, "this version of the protocol has no batches");
        return;
    }
    if (count == 0 || count > MCP_BATCH_MAX) {
        send_error(server, "", MCP_ERROR_REQUEST, "a batch has 1 to 64 messages");
        return;
    }
    mcp_calls_begin_batch(server);
    for (size_t i = 0; i < count; i++)
        take_message(server, json_at(list, i));
    mcp_calls_end_batch(server);
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
