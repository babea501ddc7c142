#include "agent_event.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "json.h"

static void say(struct str *words, const struct json *value)
{
    const char *text = json_text(value, "");
    if (text[0] == '\0')
        return;
    str_add(words, text);
    str_add_char(words, '\n');
}

static const char *text_of(const struct json *object, const char *key)
{
    return json_text(json_get(object, key), "");
}

static bool is(const struct json *object, const char *key, const char *value)
{
    return strcmp(text_of(object, key), value) == 0;
}

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static void keep_said(struct agent_result *result, const char *text)
{
    str_clear(&result->said);
    if (strlen(text) <= AGENT_SAID_MAX)
        str_add(&result->said, text);
}

static enum agent_step fail(struct agent_result *result)
{
    result->end = AGENT_END_FAILED;
    return AGENT_STEP_END;
}

static enum agent_step done(struct agent_result *result, const char *said)
{
    result->end = AGENT_END_DONE;
    keep_said(result, said);
    return AGENT_STEP_END;
}

/* Headers that say when to come back, as a program would have printed them. */
static void read_headers(struct agent_result *result, const struct json *headers)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(headers, &iter, &key, &value)) {
        bool tells = strstr(key, "retry") || strstr(key, "ratelimit");
        if (tells && json_kind(value) == JSON_KIND_STRING)
            str_addf(&result->words, "%s: %s\n", key, json_text(value, ""));
    }
}

static const struct json *first_of(const struct json *object, const char *const *keys)
{
    const struct json *value = NULL;
    for (size_t i = 0; !value && keys[i]; i++)
        value = json_get(object, keys[i]);
    return value;
}

/* An "error" member: an object in some CLIs, a text in others; one nests the
 * facts once more under "data". */
static void read_error(struct agent_result *result, const struct json *error)
{
    static const char *const status_keys[] = {"statusCode", "status", "code", NULL};
    enum { STATUS_LEAST = 100 }; /* a smaller code is an exit code */
    const struct json *data = json_get(error, "data");
    const struct json *facts = data ? data : error;
    const int64_t status = json_i64(first_of(facts, status_keys), 0);
    if (status >= STATUS_LEAST)
        result->status = status;
    if (data)
        say(&result->words, json_get(error, "name"));
    say(&result->words, json_get(facts, "message"));
    say(&result->words, json_get(facts, "responseBody"));
    read_headers(result, json_get(facts, "responseHeaders"));
    if (json_kind(error) == JSON_KIND_STRING)
        say(&result->words, error);
}

/* {"type":"result"} of claude, gemini and qwen: "is_error" says that it failed;
 * one CLI says so in the text alone, another by "status". */
static enum agent_step read_result(const struct json *event, struct agent_result *result)
{
    result->closes = true;
    const struct json *said = json_get(event, "result");
    const char *subtype = text_of(event, "subtype");
    bool failed = starts(json_text(said, ""), "[API Error:") || is(event, "status", "error") ||
                  starts(subtype, "error_") || json_bool(json_get(event, "is_error"), false);
    if (!failed)
        return done(result, json_text(said, ""));

    result->status = json_i64(json_get(event, "api_error_status"), 0);
    if (starts(subtype, "error_"))
        str_addf(&result->words, "agent ended: %s\n", subtype);
    say(&result->words, said);
    const struct json *errors = json_get(event, "errors");
    for (size_t i = 0; i < json_count(errors); i++)
        say(&result->words, json_at(errors, i));
    read_error(result, json_get(event, "error"));
    return fail(result);
}

/* The end of a usage window stands in an event of its own, before the result. */
static void read_window(const struct json *event, struct agent_result *result)
{
    const struct json *info = json_get(event, "rate_limit_info");
    int64_t at = json_i64(json_get(info, "resets_at"), 0);
    if (at == 0)
        at = json_i64(json_get(info, "resetsAt"), 0);
    if (is(info, "status", "rejected") && at > 0)
        str_addf(&result->words, "\"resets_at\":%lld\n", (long long)at);
}

static enum agent_step read_claude(const struct json *event, struct agent_result *result)
{
    if (result->end == AGENT_END_UNKNOWN && is(event, "type", "result")) {
        const enum agent_step step = read_result(event, result);
        return result->end == AGENT_END_FAILED ? AGENT_STEP_ON : step;
    }
    if (is(event, "type", "rate_limit_event"))
        read_window(event, result);
    return AGENT_STEP_ON;
}

static enum agent_step read_qwen(const struct json *event, struct agent_result *result)
{
    return is(event, "type", "result") ? read_result(event, result) : AGENT_STEP_ON;
}

/* Only turn.failed is final; an error may be a notice of a try. */
static enum agent_step read_codex(const struct json *event, struct agent_result *result)
{
    if (is(event, "type", "turn.failed")) {
        result->closes = true;
        read_error(result, json_get(event, "error"));
        return fail(result);
    }
    if (is(event, "type", "turn.completed")) {
        result->closes = true;
        result->end = AGENT_END_DONE;
        return AGENT_STEP_ON;
    }
    const struct json *item = json_get(event, "item");
    if (result->end == AGENT_END_DONE && is(item, "type", "agent_message"))
        return done(result, text_of(item, "text"));
    return AGENT_STEP_ON;
}

/* The words come in pieces, the last one first here. */
static void put_before(struct str *said, const char *piece)
{
    struct str whole = {0};
    str_add(&whole, piece);
    str_add(&whole, str_text(said));
    str_done(said);
    *said = whole;
}

static enum agent_step read_gemini(const struct json *event, struct agent_result *result)
{
    const struct json *error = json_get(event, "error");
    if (is(event, "type", "result")) {
        const enum agent_step step = read_result(event, result);
        str_clear(&result->said); /* it comes in the messages before */
        return error ? step : AGENT_STEP_ON;
    }
    if (error && !json_get(event, "type")) {
        result->closes = true;
        read_error(result, error);
        return fail(result);
    }
    if (json_get(event, "response"))
        return done(result, text_of(event, "response"));
    const bool failed = result->end == AGENT_END_FAILED;
    if (is(event, "type", "error") && (failed || strstr(text_of(event, "message"), "Loop"))) {
        str_add(&result->words, failed ? "" : "agent ended: loop\n");
        say(&result->words, json_get(event, "message"));
        return fail(result);
    }
    const bool own = is(event, "type", "message") && is(event, "role", "assistant");
    if (own && result->end == AGENT_END_DONE && result->said.len <= AGENT_SAID_MAX)
        put_before(&result->said, text_of(event, "content"));
    return AGENT_STEP_ON;
}

static enum agent_step read_opencode(const struct json *event, struct agent_result *result)
{
    const struct json *part = json_get(event, "part");
    if (is(event, "type", "error")) {
        if (result->end != AGENT_END_UNKNOWN)
            return AGENT_STEP_END;
        result->closes = true;
        read_error(result, json_get(event, "error"));
        return fail(result);
    }
    if (is(event, "type", "step_finish") && result->end == AGENT_END_UNKNOWN) {
        const char *reason = text_of(part, "reason");
        result->closes = true;
        if (strcmp(reason, "length") == 0 || strcmp(reason, "content-filter") == 0) {
            str_addf(&result->words, "agent ended: %s\n", reason);
            return fail(result);
        }
        if (strcmp(reason, "stop") == 0)
            result->end = AGENT_END_DONE;
        return AGENT_STEP_ON;
    }
    if (result->end == AGENT_END_DONE && is(event, "type", "text"))
        return done(result, text_of(part, "text"));
    return AGENT_STEP_ON;
}

/* The last message tells: "stop", "error", "length", "aborted", "toolUse". */
static enum agent_step read_pi_message(const struct json *message, struct agent_result *result)
{
    const char *reason = text_of(message, "stopReason");
    const struct json *content = json_get(message, "content");
    if (strcmp(reason, "stop") == 0) {
        result->closes = true;
        const size_t count = json_count(content);
        return done(result, text_of(json_at(content, count > 0 ? count - 1 : 0), "text"));
    }
    if (strcmp(reason, "error") != 0 && strcmp(reason, "length") != 0)
        return AGENT_STEP_ON;
    result->closes = true;
    if (strcmp(reason, "length") == 0)
        str_add(&result->words, "agent ended: length\n");
    say(&result->words, json_get(message, "errorMessage"));
    return fail(result);
}

static enum agent_step read_pi(const struct json *event, struct agent_result *result)
{
    if (is(event, "type", "auto_retry_end") && json_get(event, "finalError")) {
        result->closes = true;
        say(&result->words, json_get(event, "finalError"));
        return fail(result);
    }
    if (is(event, "type", "message_end") || is(event, "type", "turn_end"))
        return read_pi_message(json_get(event, "message"), result);
    if (!is(event, "type", "agent_end"))
        return AGENT_STEP_ON;
    const struct json *messages = json_get(event, "messages");
    const size_t count = json_count(messages);
    return read_pi_message(json_at(messages, count > 0 ? count - 1 : 0), result);
}

/* By the shape alone: only what can be nothing else is taken. */
static enum agent_step read_any(const struct json *event, struct agent_result *result)
{
    if (is(event, "type", "result"))
        return read_result(event, result);
    if (is(event, "type", "auto_retry_end") || is(event, "type", "agent_end"))
        return read_pi(event, result);
    if (!is(event, "type", "turn.failed") && !is(event, "type", "error"))
        return AGENT_STEP_NONE;
    say(&result->words, json_get(event, "message"));
    read_error(result, json_get(event, "error"));
    return fail(result);
}

typedef enum agent_step read_fn(const struct json *event, struct agent_result *result);

static read_fn *const readers[] = {
    [AGENT_NONE] = read_any,      [AGENT_CLAUDE] = read_claude,     [AGENT_CODEX] = read_codex,
    [AGENT_GEMINI] = read_gemini, [AGENT_OPENCODE] = read_opencode, [AGENT_QWEN] = read_qwen,
    [AGENT_PI] = read_pi,
};
static_assert(ARRAY_LEN(readers) == AGENT_COUNT, "every agent has a reader");

enum agent_step agent_event_read(enum agent agent, const struct json *event,
                                 struct agent_result *result)
{
    if (json_kind(event) != JSON_KIND_OBJECT)
        return AGENT_STEP_NONE;
    assert(agent < AGENT_COUNT);
    return readers[agent](event, result);
}
