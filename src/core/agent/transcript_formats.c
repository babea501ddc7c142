/*
 * The formats in which Claude Code, Codex, Gemini CLI and Pi keep their sessions.
 */
#include <string.h>

#include "agent_internal.h"
#include "attr.h"

static void add_part(const struct json *part, struct str *out)
{
    const char *text = json_text(part, NULL);
    if (!text)
        text = json_text(json_get(part, "text"), NULL);
    if (!text && json_text(json_get(part, "type"), NULL))
        text = strcmp(json_text(json_get(part, "type"), ""), "image") == 0 ? "(a picture)" : NULL;
    if (!text)
        return;
    str_add(out, out->len > 0 && out->data[out->len - 1] != '\n' ? "\n" : "");
    str_add(out, text);
}

/* Appends the text in a message's content: a string, or the "text" of its parts, separated by
 * line feeds. */
static void add_content(const struct json *content, struct str *out)
{
    if (json_kind(content) != JSON_KIND_ARRAY) {
        add_part(content, out);
        return;
    }
    for (size_t i = 0; i < json_count(content); i++)
        add_part(json_at(content, i), out);
}

/* Reports the result in an object: "content" is the text, `id_key` the call's id, `failed_key`
 * whether it failed. */
static void report_result(struct transcript *t, const struct json *object, const char *id_key,
                          const char *failed_key)
{
    struct str text = {0};
    add_content(json_get(object, "content"), &text);
    const struct transcript_result result = {.id = json_text(json_get(object, id_key), NULL),
                                             .text = str_text(&text),
                                             .exit = -1,
                                             .failed =
                                                 json_bool(json_get(object, failed_key), false)};
    transcript_result(t, &result);
    str_done(&text);
}

/*
 * A line of ~/.claude/projects/FOLDER/SESSION.jsonl.
 *
 * {"type":"user|assistant|system|...","sessionId","cwd","timestamp","isSidechain","isMeta",
 * "message":{"role","content":text or [{"type":"text|tool_use|tool_result|thinking"}],"usage"}}.
 * An answer of the model comes as a line for each of its parts, all with the same message.id.
 */

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

static bool begins_with_any(const char *text, const char *const *begins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    }
    return false;
}

static void read_claude_prompt(struct transcript *t, const struct json *line, const char *text)
{
    /* Text that the CLI itself inserts in the user's name: its own commands and their output. */
    static const char *const own[] = {
        "<local-command",       "<command-name>",
        "<command-message>",    "<bash-input>",
        "<bash-stdout>",        "<bash-stderr>",
        "<system-reminder>",    "<task-notification>",
        "[Request interrupted", "Caveat: The messages below",
    };
    if (json_bool(json_get(line, "isMeta"), false))
        return;
    if (json_bool(json_get(line, "isCompactSummary"), false) ||
        begins_with_any(text, own, ARRAY_LEN(own)))
        transcript_notice(t, text, false);
    else
        transcript_prompt(t, text);
}

static void read_claude_user(struct transcript *t, const struct json *line,
                             const struct json *content)
{
    const char *words = json_text(content, NULL);
    if (words)
        read_claude_prompt(t, line, words);
    for (size_t i = 0; i < json_count(content); i++) {
        const struct json *part = json_at(content, i);
        const char *type = json_text(json_get(part, "type"), "");
        if (strcmp(type, "tool_result") == 0)
            report_result(t, part, "tool_use_id", "is_error");
        else if (strcmp(type, "text") == 0)
            read_claude_prompt(t, line, json_text(json_get(part, "text"), ""));
    }
}

/* Counts an answer of the model as one turn. Its tokens grow from part to part. */
static void count_claude_answer(struct transcript *t, const struct json *line,
                                const struct json *message)
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

static void read_claude_assistant(struct transcript *t, const struct json *line,
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
        count_claude_answer(t, line, message);
}

static void read_claude_system(struct transcript *t, const struct json *line)
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
        /* Milliseconds with a fraction; 0 for more than any CLI would wait. */
        const double delay_ms = json_number(json_get(line, "retryInMs"), 0);
        transcript_retry(
            t, &(struct agent_item){
                   .text = json_text(json_get(error, "message"), "the model API returned an error"),
                   .attempt = json_i64(json_get(line, "retryAttempt"), 0),
                   .most = json_i64(json_get(line, "maxRetries"), 0),
                   .delay_ms = delay_ms > 0 && delay_ms < 1e12 ? (int64_t)delay_ms : 0,
                   .status = json_i64(json_get(error, "status"), 0)});
    }
    str_done(&words);
}

/* Sets the session's id. The file of a sub-agent has its parent's id and its own, which are joined;
 * the sub-agent is the main side there. */
static void set_claude_session(struct transcript *t, const struct json *line)
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
    set_claude_session(t, line);
    transcript_set_folder(t, json_text(json_get(line, "cwd"), NULL));
    t->is_side = json_bool(json_get(line, "isSidechain"), false) && !t->is_sub;
    bool known = true;
    if (strcmp(type, "user") == 0)
        read_claude_user(t, line, json_get(message, "content"));
    else if (strcmp(type, "assistant") == 0)
        read_claude_assistant(t, line, message);
    else if (strcmp(type, "system") == 0)
        read_claude_system(t, line);
    else
        known = false;
    t->is_side = false;
    return known;
}

/* A line of ~/.codex/sessions/Y/M/D/rollout-TIME-ID.jsonl.
 *
 * Since September 2025 {"timestamp","type":"session_meta|turn_context|response_item|event_msg|
 * compacted","payload":{...}}; before that, the first line was
 * {"id","timestamp","instructions","git"}, followed by the payloads of response_item as they are,
 * without a time, among {"record_type":"state"}. */

static bool is_text(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* Finds the folder between <cwd> and </cwd>: old files have no line of their own for it. */
static void find_codex_folder(struct transcript *t, const char *text)
{
    const char *at = strstr(text, "<cwd>");
    const char *end = at ? strstr(at, "</cwd>") : NULL;
    struct str path = {0};
    if (!end)
        return;
    at += strlen("<cwd>");
    str_add_n(&path, at, (size_t)(end - at));
    transcript_set_folder(t, str_text(&path));
    str_done(&path);
}

/* Reports a prompt once, although some versions write it both as an item and as an event. */
static void read_codex_prompt(struct transcript *t, const char *words)
{
    if (transcript_is_said_again(t, words))
        return;
    t->used.turns += t->has_turns ? 0 : 1;
    transcript_prompt(t, words);
}

static void read_codex_message(struct transcript *t, const struct json *item)
{
    /* Text that the CLI inserts in the user's name. */
    static const char *const own[] = {
        "<environment_context>", "<user_instructions>",        "# AGENTS.md instructions",
        "<turn_aborted>",        "<permissions instructions>", "<INSTRUCTIONS>",
    };
    const char *role = json_text(json_get(item, "role"), "");
    struct str text = {0};
    add_content(json_get(item, "content"), &text);
    const char *words = str_text(&text);
    if (is_text(role, "assistant"))
        transcript_text(t, words);
    else if (is_text(role, "user") && begins_with_any(words, own, ARRAY_LEN(own)))
        find_codex_folder(t, words);
    else if (is_text(role, "user"))
        read_codex_prompt(t, words);
    str_done(&text);
}

/* Parses JSON within a string. Returns NULL if the string is not JSON or has too many values. */
static struct json *parse_inner(const char *text)
{
    const size_t len = strlen(text);
    struct json *json = NULL;
    if (json_values_at_most(text, len, TRANSCRIPT_VALUES_MAX + 1) > TRANSCRIPT_VALUES_MAX ||
        !json_parse_data(text, len, &json, NULL, NULL))
        return NULL;
    return json;
}

/* Skips a head such as "Chunk ID: ...\nWall time: ...\nProcess exited with code 0\nOutput:\n",
 * which reports the result and differs each time. The output follows. */
static const char *below_head(const char *text)
{
    static const char *const begins[] = {"Chunk ID: ", "Wall time: ", "Exit code: "};
    static const char mark[] = "\nOutput:\n";
    enum { HEAD_BYTES_MAX = 400 };
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        const char *at = strstr(text, mark);
        const bool is_head = strncmp(text, begins[i], strlen(begins[i])) == 0;
        if (is_head && at && at - text < HEAD_BYTES_MAX)
            return at + strlen(mark);
    }
    return text;
}

/* Reads a result: the shell tool writes {"output":"...","metadata":{"exit_code":0}} in a string,
 * other tools write {"content", "success"} or plain text. */
static void read_codex_result(struct transcript *t, const struct json *item)
{
    const struct json *output = json_get(item, "output");
    const struct json *content = json_get(output, "content");
    struct json *json = NULL;
    struct str text = {0};
    add_content(content ? content : output, &text);
    const char *words = str_text(&text);
    struct transcript_result result = {
        .id = json_text(json_get(item, "call_id"), NULL), .text = words, .exit = -1};
    if (json_get(output, "success")) {
        result.failed = !json_bool(json_get(output, "success"), true);
    } else {
        result.text = below_head(words);
        result.exit = transcript_exit(words);
        json = words[0] == '{' ? parse_inner(words) : NULL;
    }
    if (json) {
        const int64_t code = json_i64(json_get(json_get(json, "metadata"), "exit_code"), -1);
        result.text = json_text(json_get(json, "output"), words);
        result.exit = code >= 0 && code <= 255 ? (int)code : -1;
    }
    transcript_result(t, &result);
    json_free(json);
    str_done(&text);
}

static bool read_codex_item(struct transcript *t, const struct json *item)
{
    const char *type = json_text(json_get(item, "type"), "");
    const char *id = json_text(json_get(item, "call_id"), NULL);
    if (is_text(type, "message")) {
        read_codex_message(t, item);
    } else if (is_text(type, "function_call")) {
        /* the arguments are JSON within a string */
        struct json *args = parse_inner(json_text(json_get(item, "arguments"), ""));
        transcript_call(t, id, json_text(json_get(item, "name"), "?"), args);
        json_free(args);
    } else if (is_text(type, "custom_tool_call")) {
        /* a tool with a single text argument, such as apply_patch */
        struct str object = {0};
        struct json *args = NULL;
        str_add_char(&object, '{');
        str_json_text(&object, "input", json_text(json_get(item, "input"), ""));
        str_add_char(&object, '}');
        if (!json_parse_data(object.data, object.len, &args, NULL, NULL))
            args = NULL;
        transcript_call(t, id, json_text(json_get(item, "name"), "?"), args);
        json_free(args);
        str_done(&object);
    } else if (is_text(type, "function_call_output") || is_text(type, "custom_tool_call_output")) {
        read_codex_result(t, item);
    } else if (is_text(type, "local_shell_call")) {
        transcript_call(t, id ? id : json_text(json_get(item, "id"), NULL), "local_shell",
                        json_get(item, "action"));
    } else if (is_text(type, "web_search_call")) {
        /* a search on the model's side, without a result */
        const char *status = json_text(json_get(item, "status"), "");
        transcript_call(t, "web_search", "web_search", json_get(item, "action"));
        transcript_result(t, &(struct transcript_result){.id = "web_search",
                                                         .text = "",
                                                         .exit = -1,
                                                         .failed = is_text(status, "failed")});
    } else {
        return is_text(type, "reasoning") || is_text(type, "ghost_snapshot") ||
               is_text(type, "compaction");
    }
    return true;
}

/* Reads an event. The file has events beside the items; most repeat an item. */
static void read_codex_event(struct transcript *t, const struct json *event)
{
    const int64_t max = INT64_C(1) << 40;
    const char *type = json_text(json_get(event, "type"), "");
    const char *message = json_text(json_get(event, "message"), "");
    if (is_text(type, "user_message")) {
        read_codex_prompt(t, message);
    } else if (is_text(type, "token_count")) {
        const struct json *sum = json_get(json_get(event, "info"), "total_token_usage");
        const int64_t in = json_i64(json_get(sum, "input_tokens"), 0);
        const int64_t out = json_i64(json_get(sum, "output_tokens"), 0);
        if (in < 0 || out < 0 || in > max || out > max || in + out == 0)
            return;
        t->used.tokens = in + out;
        transcript_count(t);
    } else if (is_text(type, "task_started") || is_text(type, "turn_started")) {
        /* Before the first turn is reported, each prompt is a turn; that prompt belongs to this
         * turn. */
        if (t->has_turns || t->used.turns == 0)
            t->used.turns++;
        t->has_turns = true;
    } else if (is_text(type, "error")) {
        transcript_notice(t, message, true);
    } else if (is_text(type, "stream_error")) {
        transcript_retry(t, &(struct agent_item){.text = message});
    } else if (is_text(type, "turn_aborted")) {
        transcript_notice(t, "the turn was interrupted", true);
    }
}

static void read_codex_meta(struct transcript *t, const struct json *meta)
{
    const char *id = json_text(json_get(meta, "id"), NULL);
    transcript_set_session(t, id ? id : json_text(json_get(meta, "session_id"), NULL));
    transcript_set_folder(t, json_text(json_get(meta, "cwd"), NULL));
}

bool transcript_read_codex(struct transcript *t, const struct json *line)
{
    const char *type = json_text(json_get(line, "type"), NULL);
    const struct json *payload = json_get(line, "payload");
    transcript_set_time(t, json_get(line, "timestamp"));
    if (!type) {
        read_codex_meta(t, line);
        return true;
    }
    if (is_text(type, "session_meta"))
        read_codex_meta(t, payload);
    else if (is_text(type, "turn_context"))
        transcript_set_folder(t, json_text(json_get(payload, "cwd"), NULL));
    else if (is_text(type, "response_item"))
        return read_codex_item(t, payload);
    else if (is_text(type, "event_msg"))
        read_codex_event(t, payload);
    else if (is_text(type, "compacted"))
        transcript_notice(t, "the conversation was compacted", false);
    else if (payload)
        return is_text(type, "world_state") || is_text(type, "token_usage_record");
    else
        return read_codex_item(t, line);
    return true;
}

/* A chat of gemini-cli, ~/.gemini/tmp/PROJECT/chats/session-*.json[l], and of qwen-code,
 * ~/.qwen/projects/FOLDER/chats/ID.jsonl, which has the same parts in messages of its own.
 *
 * Gemini: one document {"sessionId","startTime","messages":[...]}, or the same without messages as
 * the first line, then a message a line {"id","timestamp","type":"user|gemini|info|error|warning",
 * "content":text or [{"text"}],"toolCalls":[{"id","name","args","result","status"}],
 * "tokens":{"total"}}, among them {"$set":{...}} and {"$rewindTo":id}. A message that changes is
 * written again.
 *
 * Qwen: {"uuid","sessionId","timestamp","cwd","type":"user|assistant|tool_result|system",
 * "message":{"role","parts":[{"text","thought"} or {"functionCall":{"id","name","args"}} or
 * {"functionResponse":{"id","response":{"output" or "error"}}}]},"usageMetadata","toolCallResult":
 * {"callId","status"}}. Among the "system" lines, only the telemetry of an API error has a meaning
 * here. */

/* Returns the text of {"functionResponse":{"response":{"output" or "error"}}}. */
static const char *response_text(const struct json *part)
{
    const struct json *answer = json_get(json_get(part, "functionResponse"), "response");
    const char *text = json_text(json_get(answer, "output"), NULL);
    return text ? text : json_text(json_get(answer, "error"), "");
}

/* Reports a new call. A call without an id is as new as its message. */
static void read_gemini_call(struct transcript *t, const struct json *call, bool is_new)
{
    const char *id = json_text(json_get(call, "id"), "");
    const char *status = json_text(json_get(call, "status"), "");
    if (id[0] != '\0')
        (void)transcript_message(t, id, &is_new);
    if (!is_new)
        return;
    const struct json *result = json_get(call, "result"); /* a list of responses, or a string */
    struct str text = {0};
    add_content(result, &text);
    for (size_t i = 0; i < json_count(result); i++)
        str_add(&text, response_text(json_at(result, i)));
    transcript_call(t, id, json_text(json_get(call, "name"), "?"), json_get(call, "args"));
    transcript_set_time(t, json_get(call, "timestamp"));
    if (!is_text(status, "executing") && !is_text(status, "scheduled"))
        transcript_result(t, &(struct transcript_result){.id = id,
                                                         .text = str_text(&text),
                                                         .exit = -1,
                                                         .failed = is_text(status, "error")});
    str_done(&text);
}

/* Counts an answer of the model as one turn, with its tokens; `cost` is in USD, 0 if unknown. */
static void count_answer(struct transcript *t, int64_t in, int64_t out, double cost)
{
    const int64_t max = INT64_C(1) << 40;
    t->used.turns++;
    if (in >= 0 && out >= 0 && in < max && out < max)
        t->used.tokens = agent_used_sum(t->used.tokens, in + out);
    if (cost > 0 && cost < 1e6)
        t->used.cost_micro = agent_used_sum(t->used.cost_micro, (int64_t)(cost * 1e6));
    transcript_count(t);
}

/* Reads the text once, and new calls whenever the message is written again. */
static bool read_gemini_message(struct transcript *t, const struct json *message)
{
    const char *type = json_text(json_get(message, "type"), "");
    const char *id = json_text(json_get(message, "id"), NULL);
    const struct json *calls = json_get(message, "toolCalls");
    const struct json *tokens = json_get(message, "tokens");
    bool is_new = true;
    struct str text = {0};
    transcript_set_time(t, json_get(message, "timestamp"));
    if (id)
        (void)transcript_message(t, id, &is_new);
    add_content(json_get(message, "content"), &text);
    const char *words = str_text(&text);
    const bool is_known = is_text(type, "user") || is_text(type, "gemini") ||
                          is_text(type, "info") || is_text(type, "warning") ||
                          is_text(type, "error");
    if (is_new && is_text(type, "user") && strncmp(words, "<session_context>", 17) != 0)
        transcript_prompt(t, words);
    else if (is_new && is_text(type, "gemini"))
        transcript_text(t, words);
    else if (is_new && is_known && !is_text(type, "user"))
        transcript_notice(t, words, is_text(type, "error"));
    for (size_t i = 0; i < json_count(calls); i++)
        read_gemini_call(t, json_at(calls, i), is_new);
    if (is_new && is_text(type, "gemini"))
        count_answer(t, json_i64(json_get(tokens, "input"), 0),
                     json_i64(json_get(tokens, "output"), 0), 0);
    str_done(&text);
    return is_known;
}

bool transcript_read_gemini(struct transcript *t, const struct json *line)
{
    const struct json *set = json_get(line, "$set");
    const struct json *about = set ? set : line;
    const struct json *messages = json_get(about, "messages");
    transcript_set_session(t, json_text(json_get(about, "sessionId"), NULL));
    if (json_get(about, "sessionId"))
        transcript_set_time(t, json_get(about, "startTime"));
    for (size_t i = 0; i < json_count(messages); i++)
        (void)read_gemini_message(t, json_at(messages, i)); /* the document counts them, too */
    if (json_get(line, "$rewindTo"))
        transcript_notice(t, "the conversation was rewound to an earlier message", false);
    if (json_get(line, "type"))
        return read_gemini_message(t, line);
    return set || messages || json_get(line, "$rewindTo") || json_get(line, "sessionId");
}

/* Reads a part of a message of Qwen. Each part of a prompt is reported. */
static void read_qwen_part(struct transcript *t, const struct json *line, const struct json *part)
{
    const bool is_user = is_text(json_text(json_get(line, "type"), ""), "user");
    const struct json *call = json_get(part, "functionCall");
    const struct json *response = json_get(part, "functionResponse");
    const char *text = json_text(json_get(part, "text"), "");
    if (call) {
        transcript_call(t, json_text(json_get(call, "id"), NULL),
                        json_text(json_get(call, "name"), "?"), json_get(call, "args"));
    } else if (response) {
        const char *status = json_text(json_get(json_get(line, "toolCallResult"), "status"), "");
        transcript_result(t,
                          &(struct transcript_result){
                              .id = json_text(json_get(response, "id"), NULL),
                              .text = response_text(part),
                              .exit = -1,
                              .failed = is_text(status, "error") || is_text(status, "cancelled")});
    } else if (is_user && strncmp(text, "<system-reminder>", 17) != 0) {
        transcript_prompt(t, text);
    } else if (!is_user && !json_bool(json_get(part, "thought"), false)) {
        transcript_text(t, text);
    }
}

static bool read_qwen_system(struct transcript *t, const struct json *line)
{
    static const char *const books[] = {"attribution_snapshot", "ui_telemetry",
                                        "file_history_snapshot", "custom_title", "slash_command"};
    const char *subtype = json_text(json_get(line, "subtype"), "");
    const struct json *event = json_get(json_get(line, "systemPayload"), "uiEvent");
    if (is_text(json_text(json_get(event, "event.name"), ""), "qwen-code.api_error"))
        transcript_notice(t, json_text(json_get(event, "error_message"), "a service error"), true);
    else if (is_text(subtype, "chat_compression"))
        transcript_notice(t, "the conversation was compacted", false);
    else
        return transcript_is_of(subtype, books, ARRAY_LEN(books));
    return true;
}

bool transcript_read_qwen(struct transcript *t, const struct json *line)
{
    static const char *const messages[] = {"user", "assistant", "tool_result"};
    const char *type = json_text(json_get(line, "type"), "");
    const struct json *parts = json_get(json_get(line, "message"), "parts");
    const struct json *used = json_get(line, "usageMetadata");
    transcript_set_time(t, json_get(line, "timestamp"));
    transcript_set_session(t, json_text(json_get(line, "sessionId"), NULL));
    transcript_set_folder(t, json_text(json_get(line, "cwd"), NULL));
    if (is_text(type, "system"))
        return read_qwen_system(t, line);
    if (!transcript_is_of(type, messages, ARRAY_LEN(messages)))
        return false;
    for (size_t i = 0; i < json_count(parts); i++)
        read_qwen_part(t, line, json_at(parts, i));
    if (is_text(type, "assistant"))
        count_answer(t, json_i64(json_get(used, "promptTokenCount"), 0),
                     json_i64(json_get(used, "candidatesTokenCount"), 0), 0);
    return true;
}

/* A line of a session of pi, ~/.pi/agent/sessions/FOLDER/TIME_ID.jsonl, or of its output with
 * --mode json.
 *
 * {"type":"session","id","timestamp","cwd"}, then {"type":"message","timestamp","message": {"role
 * ":"user|assistant|toolResult|bashExecution","content":[{"type":"text|thinking|toolCall"}],
 * "usage":{"input","output","cost":{"total"}},"stopReason","errorMessage"}}; on stdout the same
 * message is in "message_end". */

/* Returns true for lines about the session, and for partial messages, which whole messages
 * follow. */
static bool is_pi_bookkeeping(const char *type)
{
    static const char *const types[] = {
        "model_change",
        "thinking_level_change",
        "session_info",
        "label",
        "custom",
        "custom_message",
        "branch_summary",
        "usage",
        "agent_start",
        "agent_end",
        "turn_start",
        "turn_end",
        "message_start",
        "message_update",
        "tool_execution_start",
        "tool_execution_update",
        "tool_execution_end",
        "queue_update",
        "auto_retry_end",
        "agent_settled",
        "entry_appended",
    };
    return transcript_is_of(type, types, ARRAY_LEN(types));
}

static void read_pi_assistant(struct transcript *t, const struct json *message)
{
    const struct json *content = json_get(message, "content");
    const struct json *usage = json_get(message, "usage");
    const char *stop = json_text(json_get(message, "stopReason"), "");
    const char *words = json_text(content, NULL);
    if (words)
        transcript_text(t, words);
    for (size_t i = 0; i < json_count(content); i++) {
        const struct json *part = json_at(content, i);
        const char *type = json_text(json_get(part, "type"), "");
        if (is_text(type, "text"))
            transcript_text(t, json_text(json_get(part, "text"), ""));
        else if (is_text(type, "toolCall"))
            transcript_call(t, json_text(json_get(part, "id"), NULL),
                            json_text(json_get(part, "name"), "?"), json_get(part, "arguments"));
    }
    count_answer(t, json_i64(json_get(usage, "input"), 0), json_i64(json_get(usage, "output"), 0),
                 json_number(json_get(json_get(usage, "cost"), "total"), 0));
    if (is_text(stop, "error"))
        transcript_notice(t, json_text(json_get(message, "errorMessage"), "an error"), true);
    else if (is_text(stop, "aborted"))
        transcript_notice(t, "the turn was interrupted", true);
    else if (is_text(stop, "length"))
        transcript_notice(t, "the answer was cut off at the token limit", true);
}

static bool read_pi_message(struct transcript *t, const struct json *message)
{
    const char *role = json_text(json_get(message, "role"), "");
    struct str text = {0};
    if (is_text(role, "assistant")) {
        read_pi_assistant(t, message);
    } else if (is_text(role, "toolResult")) {
        report_result(t, message, "toolCallId", "isError");
    } else if (is_text(role, "user")) {
        add_content(json_get(message, "content"), &text);
        transcript_prompt(t, str_text(&text));
    } else {
        return is_text(role, "bashExecution") || is_text(role, "custom") ||
               is_text(role, "system") || is_text(role, "branchSummary") ||
               is_text(role, "compactionSummary");
    }
    str_done(&text);
    return true;
}

bool transcript_read_pi(struct transcript *t, const struct json *line)
{
    const char *type = json_text(json_get(line, "type"), "");
    const struct json *message = json_get(line, "message");
    const struct json *at = json_get(line, "timestamp");
    if (is_pi_bookkeeping(type))
        return true;
    transcript_set_time(t, at ? at : json_get(message, "timestamp"));
    if (is_text(type, "session")) {
        transcript_set_session(t, json_text(json_get(line, "id"), NULL));
        transcript_set_folder(t, json_text(json_get(line, "cwd"), NULL));
    } else if (is_text(type, "message") || is_text(type, "message_end")) {
        return read_pi_message(t, message);
    } else if (is_text(type, "compaction") || is_text(type, "compaction_end")) {
        transcript_notice(t, "the conversation was compacted", false);
    } else if (is_text(type, "auto_retry_start")) {
        transcript_retry(t,
                         &(struct agent_item){.text = json_text(json_get(line, "errorMessage"), ""),
                                              .attempt = json_i64(json_get(line, "attempt"), 0),
                                              .most = json_i64(json_get(line, "maxAttempts"), 0),
                                              .delay_ms = json_i64(json_get(line, "delayMs"), 0)});
    } else {
        return false;
    }
    return true;
}
