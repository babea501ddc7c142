#include "mcp_message.h"

#include <string.h>

bool mcp_is_id(const struct json *json)
{
    size_t len = 0;
    switch (json_kind(json)) {
    case JSON_KIND_INTEGER:
        return true;
    case JSON_KIND_STRING:
        (void)json_bytes(json, &len);
        return len <= MCP_ID_MAX / 6 - 1; /* a character may become six: \u0001 */
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

static void read_call(const struct json *json, struct mcp_message *message)
{
    const struct json *id = json_get(json, "id");
    const struct json *params = json_get(json, "params");
    message->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
    message->method = json_text(json_get(json, "method"), NULL);
    if (id && !mcp_is_id(id))
        break_message(message, "an id is a string of at most 169 bytes or an integer");
    else if (!message->method)
        break_message(message, "the method is no string");
    else if (params && json_kind(params) != JSON_KIND_OBJECT)
        break_message(message, "params are an object");
    else
        message->params = params;
}

void mcp_message_read(const struct json *json, struct mcp_message *out)
{
    *out = (struct mcp_message){0};
    if (json_kind(json) != JSON_KIND_OBJECT) {
        break_message(out, "a message is an object");
        return;
    }
    if (mcp_is_id(json_get(json, "id")))
        json_write(&out->id, json_get(json, "id"));
    if (strcmp(json_text(json_get(json, "jsonrpc"), ""), "2.0") != 0)
        break_message(out, "it does not say \"jsonrpc\":\"2.0\"");
    else if (json_get(json, "method"))
        read_call(json, out);
    else if (json_get(json, "result") || json_get(json, "error"))
        out->kind = MCP_RESPONSE;
    else
        break_message(out, "it has no method");
}

void mcp_message_done(struct mcp_message *message)
{
    str_done(&message->id);
    *message = (struct mcp_message){0};
}
