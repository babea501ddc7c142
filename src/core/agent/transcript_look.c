/* transcript_look.c - which form a transcript has, by one of its first lines. */
#include <string.h>

#include "attr.h"
#include "transcript_parts.h"

static bool has_text(const struct json *line, const char *key)
{
    return json_text(json_get(line, key), NULL) != NULL;
}

static bool is_of(const char *type, const char *const *types, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(types[i], type) == 0)
            return true;
    }
    return false;
}

static bool is_claude(const struct json *line, const char *type)
{
    static const char *const first[] = {"file-history-snapshot", "queue-operation", "summary"};
    const bool has_message = has_text(line, "uuid") && json_get(line, "message");
    return is_of(type, first, ARRAY_LEN(first)) ||
           (has_text(line, "sessionId") && type[0] != '\0' &&
            (has_message || has_text(line, "uuid") || json_count(line) > 1) &&
            !json_get(line, "id"));
}

static bool is_codex(const struct json *line, const char *type)
{
    static const char *const envelopes[] = {"session_meta", "turn_context", "response_item",
                                            "event_msg", "compacted"};
    if (is_of(type, envelopes, ARRAY_LEN(envelopes)) && json_get(line, "payload"))
        return true;
    return type[0] == '\0' && (has_text(line, "record_type") ||
                               (has_text(line, "id") && has_text(line, "timestamp") &&
                                (json_get(line, "instructions") || json_get(line, "git"))));
}

static bool is_gemini(const struct json *line, const char *type)
{
    return (type[0] == '\0' && has_text(line, "sessionId") &&
            (has_text(line, "projectHash") || has_text(line, "startTime") ||
             json_get(line, "messages"))) ||
           (strcmp(type, "gemini") == 0 && has_text(line, "id"));
}

/* The CLI whose stdout this is a line of; NULL = none is known. */
static const char *writer_of(const struct json *line, const char *type)
{
    static const char *const of_codex[] = {"thread.started", "turn.started", "item.started",
                                           "item.completed", "turn.completed"};
    static const char *const of_gemini[] = {"init", "message", "tool_use", "tool_result"};
    static const char *const of_claude[] = {"system", "assistant", "user", "result"};
    if (json_get(line, "qwen_code_version"))
        return "qwen";
    if (is_of(type, of_codex, ARRAY_LEN(of_codex)))
        return "codex";
    if (is_of(type, of_claude, ARRAY_LEN(of_claude)) && has_text(line, "session_id"))
        return "claude";
    if (has_text(line, "sessionID"))
        return "opencode";
    if (is_of(type, of_gemini, ARRAY_LEN(of_gemini)) && has_text(line, "timestamp"))
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
