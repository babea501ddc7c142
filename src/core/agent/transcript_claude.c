/*
 * transcript_claude.c - a line of ~/.claude/projects/FOLDER/SESSION.jsonl.
 *
 * {"type":"user|assistant|system|...","sessionId","cwd","timestamp","isSidechain","isMeta",
 *  "message":{"role","content":text or [{"type":"text|tool_use|tool_result|thinking"}],"usage"}}.
 * An answer of the model comes as a line for each of its parts, all with the same message.id.
 */
#include <string.h>

#include "attr.h"
#include "transcript_parts.h"

bool transcript_claude_is_book(const char *type)
{
    static const char *const types[] = {
        "summary",
        "file-history-snapshot",
        "queue-operation",
        "ai-title",
        "custom-title",
        "agent-name",
        "last-prompt",
        "progress",
        "attachment",
        "permission-mode",
        "mode",
        "pr-link",
        "tag",
        "agent-setting",
        "worktree-state",
        "saved_hook_context",
        "bridge-session",
    };
    return transcript_is_of(type, types, ARRAY_LEN(types));
}

/* What the CLI itself puts among a person's words: commands of its own and what they said. */
static bool is_of_the_cli(const char *text)
{
    static const char *const begins[] = {
        "<local-command",       "<command-name>",
        "<command-message>",    "<bash-input>",
        "<bash-stdout>",        "<bash-stderr>",
        "<system-reminder>",    "<task-notification>",
        "[Request interrupted", "Caveat: The messages below",
    };
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    }
    return false;
}

static void read_words(struct transcript *t, const struct json *line, const char *text)
{
    if (json_bool(json_get(line, "isMeta"), false))
        return;
    if (json_bool(json_get(line, "isCompactSummary"), false) || is_of_the_cli(text))
        transcript_notice(t, text, false);
    else
        transcript_prompt(t, text);
}

static void read_user(struct transcript *t, const struct json *line, const struct json *content)
{
    const char *words = json_text(content, NULL);
    if (words)
        read_words(t, line, words);
    for (size_t i = 0; i < json_count(content); i++) {
        const struct json *part = json_at(content, i);
        const char *type = json_text(json_get(part, "type"), "");
        if (strcmp(type, "tool_result") == 0)
            transcript_result_of(t, part, "tool_use_id", "is_error");
        else if (strcmp(type, "text") == 0)
            read_words(t, line, json_text(json_get(part, "text"), ""));
    }
}

/* A turn is an answer of the model; its tokens grow from part to part. */
static void count_answer(struct transcript *t, const struct json *line, const struct json *message)
{
    const struct json *usage = json_get(message, "usage");
    const int64_t in = json_i64(json_get(usage, "input_tokens"), 0);
    const int64_t out = json_i64(json_get(usage, "output_tokens"), 0);
    const double cost = json_number(json_get(line, "costUSD"), 0);
    const char *id = json_text(json_get(message, "id"), NULL);
    const int64_t max = INT64_C(1) << 40;
    bool is_new = true;
    struct transcript_message none = {0};
    struct transcript_message *seen = id ? transcript_message(t, id, &is_new) : &none;
    if (is_new && !t->is_side)
        t->used.turns++;
    if (in >= 0 && out >= 0 && in < max && out < max) {
        t->used.tokens = agent_used_sum(t->used.tokens, in + out - seen->tokens);
        seen->tokens = in + out;
    }
    if (cost > 0 && cost < 1e6)
        t->used.cost_micro = agent_used_sum(t->used.cost_micro, (int64_t)(cost * 1e6));
    transcript_count(t);
}

static void read_assistant(struct transcript *t, const struct json *line,
                           const struct json *message)
{
    const struct json *content = json_get(message, "content");
    const bool is_error = json_bool(json_get(line, "isApiErrorMessage"), false);
    const char *words = json_text(content, NULL);
    if (words)
        transcript_text(t, words);
    for (size_t i = 0; i < json_count(content); i++) {
        const struct json *part = json_at(content, i);
        const char *type = json_text(json_get(part, "type"), "");
        const char *text = json_text(json_get(part, "text"), "");
        if (strcmp(type, "tool_use") == 0 || strcmp(type, "server_tool_use") == 0)
            transcript_call(t, json_text(json_get(part, "id"), NULL),
                            json_text(json_get(part, "name"), "?"), json_get(part, "input"));
        else if (strcmp(type, "text") == 0 && is_error)
            transcript_notice(t, text, true);
        else if (strcmp(type, "text") == 0)
            transcript_text(t, text);
    }
    if (!is_error)
        count_answer(t, line, message);
}

/* Milliseconds, which have a part behind the point; 0 of what no CLI would wait. */
static int64_t delay_of(const struct json *value)
{
    const double ms = json_number(value, 0);
    return ms > 0 && ms < 1e12 ? (int64_t)ms : 0;
}

static void read_system(struct transcript *t, const struct json *line)
{
    const char *subtype = json_text(json_get(line, "subtype"), "");
    const struct json *error = json_get(line, "error");
    struct str words = {0};
    if (strcmp(subtype, "compact_boundary") == 0) {
        const struct json *about = json_get(line, "compactMetadata");
        const int64_t tokens = json_i64(json_get(about, "preTokens"), 0);
        str_add(&words, "the conversation was compacted");
        if (tokens > 0)
            str_addf(&words, " (%lld tokens)", (long long)tokens);
        transcript_notice(t, str_text(&words), false);
    } else if (strcmp(subtype, "api_error") == 0) {
        transcript_retry(t,
                         &(struct agent_item){
                             .text = json_text(json_get(error, "message"), "the model API said no"),
                             .attempt = json_i64(json_get(line, "retryAttempt"), 0),
                             .most = json_i64(json_get(line, "maxRetries"), 0),
                             .delay_ms = delay_of(json_get(line, "retryInMs")),
                             .status = json_i64(json_get(error, "status"), 0)});
    }
    str_done(&words);
}

/* A sub-agent's file has the id of its parent, and one of its own: there it is nobody's side. */
static void set_session(struct transcript *t, const struct json *line)
{
    const char *id = json_text(json_get(line, "sessionId"), NULL);
    const char *sub = json_text(json_get(line, "agentId"), NULL);
    struct str both = {0};
    if (t->session[0] != '\0' || !id)
        return;
    t->is_sub = sub && json_bool(json_get(line, "isSidechain"), false);
    str_add(&both, id);
    if (t->is_sub)
        str_addf(&both, "/%s", sub);
    transcript_set_session(t, both.data);
    str_done(&both);
}

bool transcript_read_claude(struct transcript *t, const struct json *line)
{
    const char *type = json_text(json_get(line, "type"), "");
    const struct json *message = json_get(line, "message");
    if (transcript_claude_is_book(type))
        return true;
    transcript_set_time(t, json_get(line, "timestamp"));
    set_session(t, line);
    transcript_set_folder(t, json_text(json_get(line, "cwd"), NULL));
    t->is_side = json_bool(json_get(line, "isSidechain"), false) && !t->is_sub;
    bool known = true;
    if (strcmp(type, "user") == 0)
        read_user(t, line, json_get(message, "content"));
    else if (strcmp(type, "assistant") == 0)
        read_assistant(t, line, message);
    else if (strcmp(type, "system") == 0)
        read_system(t, line);
    else
        known = false;
    t->is_side = false;
    return known;
}
