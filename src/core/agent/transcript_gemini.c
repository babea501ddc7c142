/*
 * transcript_gemini.c - a chat of gemini-cli, ~/.gemini/tmp/PROJECT/chats/session-*.json[l], and of
 * qwen-code, ~/.qwen/projects/FOLDER/chats/ID.jsonl, which has the same parts in messages of its
 * own.
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
 * {"callId","status"}}. Of the lines of "system" only the telemetry of an API error says something.
 */
#include <string.h>

#include "attr.h"
#include "transcript_parts.h"

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* What {"functionResponse":{"response":{"output" or "error"}}} says. */
static const char *response_text(const struct json *part)
{
    const struct json *answer = json_get(json_get(part, "functionResponse"), "response");
    const char *text = json_text(json_get(answer, "output"), NULL);
    return text ? text : json_text(json_get(answer, "error"), "");
}

/* A list of responses, or a text. */
static void add_result(const struct json *result, struct str *out)
{
    transcript_content(result, out);
    for (size_t i = 0; i < json_count(result); i++)
        str_add(out, response_text(json_at(result, i)));
}

/* A call without an id is as new as its message. */
static void read_call(struct transcript *t, const struct json *call, bool is_new)
{
    const char *id = json_text(json_get(call, "id"), "");
    const char *status = json_text(json_get(call, "status"), "");
    if (id[0] != '\0')
        (void)transcript_message(t, id, &is_new);
    if (!is_new)
        return;
    struct str text = {0};
    add_result(json_get(call, "result"), &text);
    transcript_call(t, id, json_text(json_get(call, "name"), "?"), json_get(call, "args"));
    transcript_set_time(t, json_get(call, "timestamp"));
    if (!is(status, "executing") && !is(status, "scheduled"))
        transcript_result(
            t, &(struct transcript_result){
                   .id = id, .text = str_text(&text), .exit = -1, .failed = is(status, "error")});
    str_done(&text);
}

static void count_answer(struct transcript *t, int64_t in, int64_t out)
{
    const int64_t max = INT64_C(1) << 40;
    t->used.turns++;
    if (in >= 0 && out >= 0 && in < max && out < max)
        t->used.tokens = agent_used_sum(t->used.tokens, in + out);
    transcript_count(t);
}

/* The text once, the calls that were not there before whenever it is written again. */
static bool read_message(struct transcript *t, const struct json *message)
{
    const char *type = json_text(json_get(message, "type"), "");
    const char *id = json_text(json_get(message, "id"), NULL);
    const struct json *calls = json_get(message, "toolCalls");
    bool is_new = true;
    struct str text = {0};
    transcript_set_time(t, json_get(message, "timestamp"));
    if (id)
        (void)transcript_message(t, id, &is_new);
    transcript_content(json_get(message, "content"), &text);
    const char *words = str_text(&text);
    const bool is_known = is(type, "user") || is(type, "gemini") || is(type, "info") ||
                          is(type, "warning") || is(type, "error");
    if (is_new && is(type, "user") && strncmp(words, "<session_context>", 17) != 0)
        transcript_prompt(t, words);
    else if (is_new && is(type, "gemini"))
        transcript_text(t, words);
    else if (is_new && is_known && !is(type, "user"))
        transcript_notice(t, words, is(type, "error"));
    for (size_t i = 0; i < json_count(calls); i++)
        read_call(t, json_at(calls, i), is_new);
    if (is_new && is(type, "gemini"))
        count_answer(t, json_i64(json_get(json_get(message, "tokens"), "input"), 0),
                     json_i64(json_get(json_get(message, "tokens"), "output"), 0));
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
        (void)read_message(t, json_at(messages, i)); /* one that says nothing is in the document */
    if (json_get(line, "$rewindTo"))
        transcript_notice(t, "the conversation was rewound to an earlier message", false);
    if (json_get(line, "type"))
        return read_message(t, line);
    return set || messages || json_get(line, "$rewindTo") || json_get(line, "sessionId");
}

/* A part of a message of Qwen. A prompt that consists of several parts is told as several. */
static void read_qwen_part(struct transcript *t, const struct json *line, const struct json *part)
{
    const bool is_user = is(json_text(json_get(line, "type"), ""), "user");
    const struct json *call = json_get(part, "functionCall");
    const struct json *response = json_get(part, "functionResponse");
    const char *text = json_text(json_get(part, "text"), "");
    if (call) {
        transcript_call(t, json_text(json_get(call, "id"), NULL),
                        json_text(json_get(call, "name"), "?"), json_get(call, "args"));
    } else if (response) {
        const char *status = json_text(json_get(json_get(line, "toolCallResult"), "status"), "");
        transcript_result(t, &(struct transcript_result){
                                 .id = json_text(json_get(response, "id"), NULL),
                                 .text = response_text(part),
                                 .exit = -1,
                                 .failed = is(status, "error") || is(status, "cancelled")});
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
    if (is(json_text(json_get(event, "event.name"), ""), "qwen-code.api_error"))
        transcript_notice(t, json_text(json_get(event, "error_message"), "an error of the service"),
                          true);
    else if (is(subtype, "chat_compression"))
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
    if (is(type, "system"))
        return read_qwen_system(t, line);
    if (!transcript_is_of(type, messages, ARRAY_LEN(messages)))
        return false;
    for (size_t i = 0; i < json_count(parts); i++)
        read_qwen_part(t, line, json_at(parts, i));
    if (is(type, "assistant"))
        count_answer(t, json_i64(json_get(used, "promptTokenCount"), 0),
                     json_i64(json_get(used, "candidatesTokenCount"), 0));
    return true;
}
