/*
 * transcript_gemini.c - a chat of gemini-cli, ~/.gemini/tmp/PROJECT/chats/session-*.json[l].
 *
 * One document {"sessionId","startTime","messages":[...]}, or the same without messages as the
 * first line, then a message a line {"id","timestamp","type":"user|gemini|info|error|warning",
 * "content":text or [{"text"}],"toolCalls":[{"id","name","args","result","status"}],
 * "tokens":{"total"}}, among them {"$set":{...}} and {"$rewindTo":id}. A message that changes is
 * written again.
 */
#include <string.h>

#include "transcript_parts.h"

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* [{"functionResponse":{"response":{"output" or "error"}}}], or a text. */
static void add_result(const struct json *result, struct str *out)
{
    transcript_content(result, out);
    for (size_t i = 0; i < json_count(result); i++) {
        const struct json *answer =
            json_get(json_get(json_at(result, i), "functionResponse"), "response");
        const char *text = json_text(json_get(answer, "output"), NULL);
        str_add(out, text ? text : json_text(json_get(answer, "error"), ""));
    }
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

static void count_answer(struct transcript *t, const struct json *message)
{
    const struct json *tokens = json_get(message, "tokens");
    const int64_t in = json_i64(json_get(tokens, "input"), 0);
    const int64_t out = json_i64(json_get(tokens, "output"), 0);
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
        count_answer(t, message);
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
        transcript_notice(t, "the conversation was taken back to an earlier message", false);
    if (json_get(line, "type"))
        return read_message(t, line);
    return set || messages || json_get(line, "$rewindTo") || json_get(line, "sessionId");
}
