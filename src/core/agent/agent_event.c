/* agent_event.c - an agent's stream: what kind of event a line is. */
#include <string.h>

#include "agent_taking.h"

static void take_session(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str id = {0};
    agent_taking_text(taking, ADAPTER_SESSION, value, &id);
    const bool is_news = adapter_session_is_id(str_text(&id)) &&
                         strcmp(str_text(&id), str_text(&stream->session)) != 0;
    if (is_news) {
        str_clear(&stream->session);
        str_add(&stream->session, str_text(&id));
        struct agent_item item = agent_item_new(stream, AGENT_ITEM_SESSION);
        item.text = str_text(&stream->session);
        agent_stream_tell(stream, &item);
    }
    str_done(&id);
}

static void take_text(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    const bool goes_on =
        taking->rule->goes_on_always ||
        (taking->rule->may_go_on && adapter_tests_hold(&taking->rule->goes_on, value));
    if (!goes_on)
        agent_message_end(stream);
    const size_t before = stream->message.len;
    agent_taking_text(taking, ADAPTER_TEXT, value, &stream->message);
    if (stream->message.len == before)
        return;
    agent_turn_open(stream);
    stream->message_is_open = true;
    const bool is_too_long = stream->message.len > AGENT_TEXT_MAX;
    if (!goes_on || is_too_long)
        agent_message_end(stream);
    stream->message_is_rest = stream->message_is_rest || (goes_on && is_too_long);
}

static void take_retry(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str words = {0};
    agent_taking_text(taking, ADAPTER_TEXT, value, &words);
    stream->used.own_retries++;
    stream->used_changed = true;
    if (stream->retries_in_row < AGENT_RETRIES_MAX)
        stream->retries_in_row++;
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_RETRY);
    item.text = str_text(&words);
    item.attempt = agent_taking_number(taking, ADAPTER_ATTEMPT, value, 0);
    item.most = agent_taking_number(taking, ADAPTER_MOST, value, 0);
    item.delay_ms = agent_taking_number(taking, ADAPTER_DELAY_MS, value, 0);
    item.status = agent_taking_status(taking, value);
    str_clear(&stream->retry);
    if (item.status > 0)
        str_addf(&stream->retry, "HTTP %lld\n", (long long)item.status);
    agent_words_add(&stream->retry, str_text(&words));
    agent_stream_tell(stream, &item);
    str_done(&words);
}

/* A word of the CLI; a failure that is not the end is kept for the end. */
static void take_notice(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    const bool is_error = taking->rule->event == ADAPTER_EVENT_ERROR;
    struct str words = {0};
    struct str ended = {0};
    double resets_at = 0;
    agent_message_end(stream);
    agent_taking_text(taking, ADAPTER_TEXT, value, &words);
    agent_taking_text(taking, ADAPTER_ENDED, value, &ended);
    if (is_error) {
        str_clear(&stream->error);
        agent_words_add(&stream->error, str_text(&words));
    }
    if (ended.len > 0) {
        str_clear(&stream->ended);
        str_addf(&stream->ended, "agent ended: %s\n", str_text(&ended));
    }
    if (adapter_number(&taking->rule->members[ADAPTER_RESETS_AT], value, &resets_at)) {
        str_clear(&stream->window);
        str_addf(&stream->window, "\"resets_at\":%.0f\n", resets_at);
    }
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_NOTICE);
    item.text = str_text(&words);
    item.failed = is_error;
    if (words.len > 0)
        agent_stream_tell(stream, &item);
    str_done(&words);
    str_done(&ended);
}

static void take_one(const struct agent_taking *taking, const struct json *value)
{
    agent_used_take(taking, value);
    switch (taking->rule->event) {
    case ADAPTER_EVENT_SESSION:
        take_session(taking, value);
        break;
    case ADAPTER_EVENT_TEXT:
        take_text(taking, value);
        break;
    case ADAPTER_EVENT_CALL:
        agent_call_take(taking, value);
        break;
    case ADAPTER_EVENT_RESULT:
        agent_result_take(taking, value);
        break;
    case ADAPTER_EVENT_RETRY:
        take_retry(taking, value);
        break;
    case ADAPTER_EVENT_NOTICE:
    case ADAPTER_EVENT_ERROR:
        take_notice(taking, value);
        break;
    case ADAPTER_EVENT_BEGIN:
        agent_begin_take(taking->stream);
        break;
    case ADAPTER_EVENT_END:
        agent_end_take(taking, value);
        break;
    case ADAPTER_EVENT_REFUSED:
        agent_refused_take(taking, value);
        break;
    case ADAPTER_EVENT_USED:
    case ADAPTER_EVENT_KNOWN:
    case ADAPTER_EVENT_COUNT:
        break;
    }
}

static bool take_element(void *ctx, const struct json *value)
{
    const struct agent_taking *taking = ctx;
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct json *element = json_at(value, i);
        if (adapter_tests_hold(&taking->rule->where, element))
            take_one(taking, element);
    }
    return true;
}

static void tell_rule(const struct agent_stream *stream, size_t rule)
{
    if (stream->rule)
        stream->rule(stream->ctx, rule, adapter_event_name(stream->adapter->rules[rule].event));
}

/* USED comes once for all that the event changed. */
static void tell_used(struct agent_stream *stream)
{
    if (!stream->used_changed)
        return;
    stream->used_changed = false;
    const struct agent_item item = agent_item_new(stream, AGENT_ITEM_USED);
    agent_stream_tell(stream, &item);
}

bool agent_event_take(struct agent_stream *stream, const struct json *event)
{
    bool is_known = false;
    bool has_ended = false;
    stream->has_events = stream->has_events || json_text(json_get(event, "type"), NULL) != NULL;
    for (size_t i = 0; i < stream->adapter->rule_count; i++) {
        const struct adapter_rule *rule = &stream->adapter->rules[i];
        struct agent_taking taking = {.stream = stream, .rule = rule};
        const bool is_end = rule->event == ADAPTER_EVENT_END;
        if (rule->line || (is_end && has_ended) || !adapter_tests_hold(&rule->when, event))
            continue;
        has_ended = has_ended || is_end;
        tell_rule(stream, i);
        /* that a session is named says nothing of what the event is */
        is_known = is_known || rule->event != ADAPTER_EVENT_SESSION;
        stream->has_events = true;
        if (rule->has_each)
            adapter_path_walk(&rule->each, event, take_element, &taking);
        else
            take_one(&taking, event);
    }
    if (is_known && !has_ended && stream->last.is_line)
        agent_begin_take(stream);
    tell_used(stream);
    return is_known;
}

bool agent_line_take(struct agent_stream *stream, const char *line, bool on_err)
{
    bool is_known = false;
    struct json *value = NULL;
    for (size_t i = 0; i < stream->adapter->rule_count; i++) {
        const struct adapter_rule *rule = &stream->adapter->rules[i];
        const struct agent_taking taking = {.stream = stream, .rule = rule};
        if (!rule->line || rule->on_err != on_err)
            continue;
        if (!value)
            value = json_new_text(line);
        if (!adapter_line_holds(rule, value))
            continue;
        is_known = true;
        tell_rule(stream, i);
        take_one(&taking, value);
    }
    json_free(value);
    tell_used(stream);
    return is_known;
}
