/* transcript_look.c - which form a transcript has, by one of its first lines. */
#include <string.h>

#include "attr.h"
#include "transcript_parts.h"

static bool has_text(const struct json *line, const char *key)
{
    return json_text(json_get(line, key), NULL) != NULL;
}

bool transcript_is_of(const char *type, const char *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(types[i], type) == 0)
            return true;
    }
    return false;
}

/* A line of Qwen has the members of one of Claude Code, and others in its message. */
static bool is_qwen(const struct json *line)
{
    return has_text(line, "sessionId") && has_text(line, "uuid") &&
           (json_get(line, "systemPayload") || json_get(json_get(line, "message"), "parts"));
}

static bool is_claude(const struct json *line, const char *type)
{
    static const char *const first[] = {"file-history-snapshot", "queue-operation", "summary"};
    static const char *const messages[] = {"user", "assistant"};
    if (transcript_is_of(type, first, ARRAY_LEN(first)))
        return true;
    if (!has_text(line, "sessionId") || json_get(line, "id"))
        return false;
    if (transcript_is_of(type, messages, ARRAY_LEN(messages)))
        return json_get(json_get(line, "message"), "content") != NULL;
    return strcmp(type, "system") == 0 ? has_text(line, "uuid") : transcript_claude_is_book(type);
}

static bool is_codex(const struct json *line, const char *type)
{
    static const char *const envelopes[] = {"session_meta", "turn_context", "response_item",
                                            "event_msg", "compacted"};
    if (transcript_is_of(type, envelopes, ARRAY_LEN(envelopes)) && json_get(line, "payload"))
        return true;
    return type[0] == '\0' && (has_text(line, "record_type") ||
                               (has_text(line, "id") && has_text(line, "timestamp") &&
                                (json_get(line, "instructions") || json_get(line, "git"))));
}

/* Documents of other agents have a session and messages, too; these have a type each. */
static bool is_gemini(const struct json *line, const char *type)
{
    static const char *const types[] = {"user", "gemini", "info", "warning", "error"};
    const struct json *messages = json_get(line, "messages");
    if (type[0] != '\0')
        return strcmp(type, "gemini") == 0 && has_text(line, "id");
    if (!has_text(line, "sessionId"))
        return false;
    if (json_count(messages) > 0)
        return transcript_is_of(json_text(json_get(json_at(messages, 0), "type"), ""), types,
                                ARRAY_LEN(types));
    return has_text(line, "projectHash") || has_text(line, "startTime") || messages;
}

static bool has_any(const struct json *line, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (json_get(line, keys[i]))
            return true;
    }
    return false;
}

/* The stream of cursor-agent has the same types and `session_id`, but none of these members. */
static bool is_claude_stream(const struct json *line, const char *type)
{
    static const char *const of_init[] = {"claude_code_version", "tools", "mcp_servers", "uuid"};
    static const char *const of_message[] = {"parent_tool_use_id", "uuid"};
    static const char *const of_result[] = {"num_turns", "total_cost_usd", "permission_denials",
                                            "api_error_status"};
    const struct json *message = json_get(line, "message");
    if (!has_text(line, "session_id"))
        return false;
    if (strcmp(type, "system") == 0)
        return !json_get(line, "apiKeySource") || has_any(line, of_init, ARRAY_LEN(of_init));
    if (strcmp(type, "result") == 0)
        return has_any(line, of_result, ARRAY_LEN(of_result));
    return (strcmp(type, "assistant") == 0 || strcmp(type, "user") == 0) &&
           (has_text(message, "id") || has_any(line, of_message, ARRAY_LEN(of_message)));
}

/* The CLI whose stdout this is a line of; NULL = none is known. */
static const char *writer_of(const struct json *line, const char *type)
{
    static const char *const of_codex[] = {"thread.started", "turn.started", "item.started",
                                           "item.completed", "turn.completed"};
    static const char *const of_gemini[] = {"init", "message", "tool_use", "tool_result"};
    static const char *const of_copilot[] = {"session.skills_loaded", "session.mcp_servers_loaded",
                                             "session.tools_updated"};
    const char *role = json_text(json_get(line, "role"), "");
    if (transcript_is_of(type, of_copilot, ARRAY_LEN(of_copilot)) && json_get(line, "data"))
        return "copilot";
    if (strcmp(role, "meta") == 0 && strcmp(type, "system.version") == 0)
        return "kimi";
    if (json_get(line, "qwen_code_version"))
        return "qwen";
    if (transcript_is_of(type, of_codex, ARRAY_LEN(of_codex)))
        return "codex";
    if (is_claude_stream(line, type))
        return "claude";
    if (has_text(line, "sessionID"))
        return "opencode";
    if (transcript_is_of(type, of_gemini, ARRAY_LEN(of_gemini)) && has_text(line, "timestamp"))
        return "gemini";
    return NULL;
}

enum transcript_form transcript_look(const struct json *line, const char **agent)
{
    const char *type = json_text(json_get(line, "type"), "");
    if (is_gemini(line, type)) {
        *agent = "gemini";
        return TRANSCRIPT_GEMINI;
    }
    if (is_codex(line, type)) {
        *agent = "codex";
        return TRANSCRIPT_CODEX;
    }
    if (is_qwen(line)) {
        *agent = "qwen";
        return TRANSCRIPT_QWEN;
    }
    if (is_claude(line, type)) {
        *agent = "claude";
        return TRANSCRIPT_CLAUDE;
    }
    if (strcmp(type, "session") == 0 && has_text(line, "id")) {
        *agent = "pi";
        return TRANSCRIPT_PI;
    }
    *agent = writer_of(line, type);
    return *agent ? TRANSCRIPT_STREAM : TRANSCRIPT_UNKNOWN;
}
