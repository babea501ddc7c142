#include "mcp_reply.h"

#include "mcp_tool.h"

static const char instructions[] =
    "Commands, tests and files of this project, run under devs: failures that pass by themselves "
    "are waited out and tried again, others are returned with their class and the evidence. Do "
    "not wrap retries around these tools. Where a result says that you go in circles, change the "
    "approach; where it says stop, stop and tell the person.";

void mcp_reply_result(struct str *out, const char *id, enum mcp_era era, const char *members)
{
    str_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{", id);
    if (era == MCP_ERA_STATELESS)
        str_addf(out, "\"resultType\":\"complete\"%s", *members != '\0' ? "," : "");
    str_add(out, members);
    str_add(out, "}}");
}

void mcp_reply_error(struct str *out, const char *id, enum mcp_error code, const char *message,
                     const char *data)
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

void mcp_reply_progress(struct str *out, const char *token, int64_t value, const char *message)
{
    str_addf(out,
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
             "\"progressToken\":%s",
             token);
    str_json_i64(out, "progress", value);
    str_json_text(out, "message", message);
    str_add(out, "}}");
}

static void add_server(struct str *out)
{
    str_add(out, "{\"name\":\"devs\",\"title\":\"devs\",\"version\":\"" DEVS_VERSION "\"}");
}

void mcp_reply_initialize(struct str *out, enum mcp_version version)
{
    str_json_text(out, "protocolVersion", mcp_version_name(version));
    str_add(out, ",\"capabilities\":{\"tools\":{\"listChanged\":false}},\"serverInfo\":");
    add_server(out);
    str_json_text(out, "instructions", instructions);
}

void mcp_reply_discover(struct str *out)
{
    str_add(out, "\"supportedVersions\":");
    mcp_version_list(out);
    str_add(out, ",\"capabilities\":{\"tools\":{\"listChanged\":false}}");
    str_json_text(out, "instructions", instructions);
    str_json_i64(out, "ttlMs", MCP_TTL_MS);
    str_json_text(out, "cacheScope", "public");
    str_add(out, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    add_server(out);
    str_add_char(out, '}');
}

void mcp_reply_tools(struct str *out, enum mcp_era era)
{
    str_add(out, "\"tools\":");
    mcp_tool_list(out);
    if (era == MCP_ERA_STATELESS) {
        str_json_i64(out, "ttlMs", MCP_TTL_MS);
        str_json_text(out, "cacheScope", "public");
    }
}

/* Up to the members of structuredContent behind the verdict. */
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
    static const char next[] = "Look at what it would have changed before you call again.";
    struct str text = {0};
    str_addf(&text, "how it ended is not known: %s\n%s", why, next);
    begin_error(out, &text, "unknown");
    str_json_text(out, "why", why);
    str_json_text(out, "next", next);
    str_add_char(out, '}');
    str_done(&text);
}
