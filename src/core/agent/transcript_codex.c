/*
 * transcript_codex.c - a line of ~/.codex/sessions/Y/M/D/rollout-TIME-ID.jsonl.
 *
 * Since September 2025 {"timestamp","type":"session_meta|turn_context|response_item|event_msg|
 * compacted","payload":{...}}; before, the first line is {"id","timestamp","instructions","git"},
 * and then come the payloads of response_item as they are, without a time, among
 * {"record_type":"state"}.
 */
#include <string.h>

#include "attr.h"
#include "transcript_parts.h"

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* What stands in a person's place but was put there by the CLI. */
static bool is_of_the_cli(const char *text)
{
    static const char *const begins[] = {
        "<environment_context>", "<user_instructions>",        "# AGENTS.md instructions",
        "<turn_aborted>",        "<permissions instructions>", "<INSTRUCTIONS>",
    };
    for (size_t i = 0; i < ARRAY_LEN(begins); i++) {
        if (strncmp(text, begins[i], strlen(begins[i])) == 0)
            return true;
    }
    return false;
}

/* The folder is in no line of its own in old files. */
static void look_for_folder(struct transcript *t, const char *text)
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

/* In some versions it comes as an item and as an event. */
static void read_prompt(struct transcript *t, const char *words)
{
    if (transcript_is_said_again(t, words))
        return;
    t->used.turns += t->has_turns ? 0 : 1;
    transcript_prompt(t, words);
}

static void read_message(struct transcript *t, const struct json *item)
{
    const char *role = json_text(json_get(item, "role"), "");
    struct str text = {0};
    transcript_content(json_get(item, "content"), &text);
    const char *words = str_text(&text);
    if (is(role, "assistant"))
        transcript_text(t, words);
    else if (is(role, "user") && is_of_the_cli(words))
        look_for_folder(t, words);
    else if (is(role, "user"))
        read_prompt(t, words);
    str_done(&text);
}

/* JSON that stands in a string; NULL if it is none, or has too many values. */
static struct json *parse_inner(const char *text)
{
    const size_t len = strlen(text);
    struct json *json = NULL;
    if (json_values_at_most(text, len, TRANSCRIPT_VALUES_MAX + 1) > TRANSCRIPT_VALUES_MAX ||
        !json_parse_data(text, len, &json, NULL, NULL))
        return NULL;
    return json;
}

/* The arguments are JSON in a string. */
static void read_call(struct transcript *t, const struct json *item)
{
    struct json *args = parse_inner(json_text(json_get(item, "arguments"), ""));
    transcript_call(t, json_text(json_get(item, "call_id"), NULL),
                    json_text(json_get(item, "name"), "?"), args);
    json_free(args);
}

/* A tool whose argument is one text, as apply_patch. */
static void read_custom_call(struct transcript *t, const struct json *item)
{
    struct str object = {0};
    struct json *args = NULL;
    str_add_char(&object, '{');
    str_json_text(&object, "input", json_text(json_get(item, "input"), ""));
    str_add_char(&object, '}');
    if (!json_parse_data(object.data, object.len, &args, NULL, NULL))
        args = NULL;
    transcript_call(t, json_text(json_get(item, "call_id"), NULL),
                    json_text(json_get(item, "name"), "?"), args);
    json_free(args);
    str_done(&object);
}

/* "Chunk ID: ...\nWall time: ...\nProcess exited with code 0\nOutput:\n" says how it went, in words
 * that are others each time: the output is what stands below. */
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

/* {"output":"...","metadata":{"exit_code":0}} in a string, as the shell tool had it; else the
 * text itself. */
static void read_output(struct transcript *t, const char *id, const char *text)
{
    struct json *json = text[0] == '{' ? parse_inner(text) : NULL;
    struct transcript_result result = {
        .id = id, .text = below_head(text), .exit = transcript_exit(text)};
    if (json) {
        const struct json *about = json_get(json, "metadata");
        const int64_t code = json_i64(json_get(about, "exit_code"), -1);
        result.text = json_text(json_get(json, "output"), text);
        result.exit = code >= 0 && code <= 255 ? (int)code : -1;
    }
    transcript_result(t, &result);
    json_free(json);
}

static void read_result(struct transcript *t, const struct json *item)
{
    const struct json *output = json_get(item, "output");
    const struct json *content = json_get(output, "content");
    const char *id = json_text(json_get(item, "call_id"), NULL);
    struct str text = {0};
    transcript_content(content ? content : output, &text);
    if (json_get(output, "success")) {
        const bool failed = !json_bool(json_get(output, "success"), true);
        transcript_result(t, &(struct transcript_result){
                                 .id = id, .text = str_text(&text), .exit = -1, .failed = failed});
    } else {
        read_output(t, id, str_text(&text));
    }
    str_done(&text);
}

static void read_shell(struct transcript *t, const struct json *item)
{
    const char *id = json_text(json_get(item, "call_id"), NULL);
    transcript_call(t, id ? id : json_text(json_get(item, "id"), NULL), "local_shell",
                    json_get(item, "action"));
}

/* What is done by the model's side, and leaves no result. */
static void read_search(struct transcript *t, const struct json *item)
{
    const char *id = "web_search";
    transcript_call(t, id, id, json_get(item, "action"));
    transcript_result(t, &(struct transcript_result){
                             .id = id,
                             .text = "",
                             .exit = -1,
                             .failed = is(json_text(json_get(item, "status"), ""), "failed")});
}

static bool read_item(struct transcript *t, const struct json *item)
{
    const char *type = json_text(json_get(item, "type"), "");
    if (is(type, "message"))
        read_message(t, item);
    else if (is(type, "function_call"))
        read_call(t, item);
    else if (is(type, "custom_tool_call"))
        read_custom_call(t, item);
    else if (is(type, "function_call_output") || is(type, "custom_tool_call_output"))
        read_result(t, item);
    else if (is(type, "local_shell_call"))
        read_shell(t, item);
    else if (is(type, "web_search_call"))
        read_search(t, item);
    else
        return is(type, "reasoning") || is(type, "ghost_snapshot") || is(type, "compaction");
    return true;
}

static void count_tokens(struct transcript *t, const struct json *event)
{
    const struct json *sum = json_get(json_get(event, "info"), "total_token_usage");
    const int64_t in = json_i64(json_get(sum, "input_tokens"), 0);
    const int64_t out = json_i64(json_get(sum, "output_tokens"), 0);
    const int64_t max = INT64_C(1) << 40;
    if (in < 0 || out < 0 || in > max || out > max || in + out == 0)
        return;
    t->used.tokens = in + out;
    transcript_count(t);
}

/* Until the first one is told, each prompt is a turn; that prompt is this turn's. */
static void begin_turn(struct transcript *t)
{
    if (t->has_turns || t->used.turns == 0)
        t->used.turns++;
    t->has_turns = true;
}

/* Events beside the items: most say the same once more. */
static bool read_event(struct transcript *t, const struct json *event)
{
    const char *type = json_text(json_get(event, "type"), "");
    const char *message = json_text(json_get(event, "message"), "");
    if (is(type, "user_message"))
        read_prompt(t, message);
    else if (is(type, "token_count"))
        count_tokens(t, event);
    else if (is(type, "task_started") || is(type, "turn_started"))
        begin_turn(t);
    else if (is(type, "error"))
        transcript_notice(t, message, true);
    else if (is(type, "stream_error"))
        transcript_retry(t, &(struct agent_item){.text = message});
    else if (is(type, "turn_aborted"))
        transcript_notice(t, "the turn was interrupted", true);
    return true;
}

static void read_meta(struct transcript *t, const struct json *meta)
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
        read_meta(t, line);
        return true;
    }
    if (is(type, "session_meta"))
        read_meta(t, payload);
    else if (is(type, "turn_context"))
        transcript_set_folder(t, json_text(json_get(payload, "cwd"), NULL));
    else if (is(type, "response_item"))
        return read_item(t, payload);
    else if (is(type, "event_msg"))
        return read_event(t, payload);
    else if (is(type, "compacted"))
        transcript_notice(t, "the conversation was compacted", false);
    else if (payload)
        return is(type, "world_state") || is(type, "token_usage_record");
    else
        return read_item(t, line);
    return true;
}
