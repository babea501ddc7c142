#include <stdlib.h>
#include <string.h>

#include "agent_state.h"
#include "agent_what.h"
#include "xalloc.h"

enum { STATUS_LEAST = 100, STATUS_MOST = 599 }; /* a smaller code is an exit code */

/* A rule at one event. */
struct taking {
    struct agent_stream *stream;
    const struct adapter_rule *rule;
};

static void text_of(const struct taking *taking, enum adapter_member member,
                    const struct json *value, struct str *out)
{
    (void)adapter_texts(&taking->rule->members[member], value, "\n", out);
}

static int64_t number_of(const struct taking *taking, enum adapter_member member,
                         const struct json *value, int64_t otherwise)
{
    static const double most = 9e15; /* every whole number up to here is a double */
    double number = 0;
    if (!adapter_number(&taking->rule->members[member], value, &number))
        return otherwise;
    return number < 0 || number > most ? otherwise : (int64_t)number;
}

static int64_t status_of(const struct taking *taking, const struct json *value)
{
    const int64_t status = number_of(taking, ADAPTER_STATUS, value, 0);
    return status >= STATUS_LEAST && status <= STATUS_MOST ? status : 0;
}

static void take_session(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str id = {0};
    text_of(taking, ADAPTER_SESSION, value, &id);
    const bool is_news = id.len > 0 && id.len <= AGENT_SESSION_MAX &&
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

/* The agent goes on. */
static void take_begin(struct agent_stream *stream)
{
    stream->last.end = AGENT_END_CUT;
    str_clear(&stream->last.words);
    str_clear(&stream->error);
}

/* The model speaks or calls: a turn, where no rule counts them; an end before it was none. */
static void open_turn(struct agent_stream *stream)
{
    if (stream->last.end != AGENT_END_UNKNOWN)
        take_begin(stream);
    if (!stream->adapter->counts_turns && !stream->turn_is_open) {
        stream->used.turns++;
        stream->used_changed = true;
    }
    stream->turn_is_open = true;
}

static void take_text(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    const bool goes_on =
        taking->rule->goes_on_always ||
        (taking->rule->may_go_on && adapter_tests_hold(&taking->rule->goes_on, value));
    if (!goes_on)
        agent_message_end(stream);
    const size_t before = stream->message.len;
    text_of(taking, ADAPTER_TEXT, value, &stream->message);
    if (stream->message.len == before)
        return;
    open_turn(stream);
    stream->message_is_open = true;
    if (!goes_on || stream->message.len > AGENT_TEXT_MAX)
        agent_message_end(stream);
}

static char *what_of(const char *tool, const struct json *args)
{
    struct str what = {0};
    agent_call_what(tool, args, &what);
    return what.data ? what.data : xstrdup("");
}

/* A call begins: it is numbered, told, and waits for its result. */
static void open_call(const struct taking *taking, const struct json *value, const char *id)
{
    struct agent_stream *stream = taking->stream;
    struct str tool = {0};
    text_of(taking, ADAPTER_TOOL, value, &tool);
    struct agent_call call = {
        .id = id[0] != '\0' ? xstrdup(id) : NULL,
        .tool = xstrdup(str_text(&tool)),
        .args = adapter_args(&taking->rule->members[ADAPTER_ARGS], value),
        .number = ++stream->used.calls,
    };
    call.what = what_of(call.tool, call.args);
    stream->used_changed = true;
    open_turn(stream);
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_CALL);
    item.tool = call.tool;
    item.what = call.what;
    item.args = call.args;
    item.call_id = call.id;
    item.number = call.number;
    agent_stream_tell(stream, &item);
    agent_calls_add(&stream->calls, &call);
    str_done(&tool);
}

static void take_call(const struct taking *taking, const struct json *value)
{
    struct str id = {0};
    agent_message_end(taking->stream);
    text_of(taking, ADAPTER_ID, value, &id);
    open_call(taking, value, str_text(&id));
    str_done(&id);
}

static void tell_result(const struct taking *taking, const struct json *value,
                        const struct agent_call *call)
{
    enum { EXIT_MOST = 255 };
    struct str output = {0};
    text_of(taking, ADAPTER_OUTPUT_TEXT_OF, value, &output);
    const int64_t code = number_of(taking, ADAPTER_EXIT, value, -1);
    struct agent_item item = agent_item_new(taking->stream, AGENT_ITEM_RESULT);
    item.text = str_text(&output);
    item.tool = call->tool;
    item.what = call->what;
    item.args = call->args;
    item.call_id = call->id;
    item.number = call->number;
    item.failed = adapter_rule_failed(taking->rule, value) || code > 0;
    item.exit = code <= EXIT_MOST ? (int)code : -1;
    taking->stream->turn_is_open = false;
    agent_stream_tell(taking->stream, &item);
    str_done(&output);
}

static void take_result(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_call call = {0};
    struct str id = {0};
    agent_message_end(stream);
    text_of(taking, ADAPTER_ID, value, &id);
    const char *name = id.len > 0 ? str_text(&id) : NULL;
    bool is_known = agent_calls_take(&stream->calls, name, &call);
    if (!is_known && taking->rule->members[ADAPTER_TOOL].count > 0) {
        open_call(taking, value, str_text(&id));
        is_known = agent_calls_take(&stream->calls, name, &call);
    }
    if (!is_known && name)
        call.id = xstrdup(name);
    tell_result(taking, value, &call);
    agent_call_done(&call);
    str_done(&id);
}

static void set_sum(struct agent_stream *stream, int64_t *sum, double value, bool adds)
{
    static const double most = 9e15;
    if (value < 0 || value > most)
        return;
    const int64_t number = (int64_t)(value + 0.5);
    const int64_t news = adds ? *sum + number : number;
    if (news <= *sum || news > (int64_t)most)
        return; /* a sum never falls: an end may know less than what came before it */
    *sum = news;
    stream->used_changed = true;
}

/* Is it another turn than the one before? */
static bool is_new_turn(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str id = {0};
    text_of(taking, ADAPTER_TURN, value, &id);
    const bool is_new = id.len > 0 && strcmp(str_text(&id), str_text(&stream->turn)) != 0;
    if (is_new) {
        str_clear(&stream->turn);
        str_add(&stream->turn, str_text(&id));
    }
    str_done(&id);
    return is_new;
}

/* Numbers that an event of any kind may carry. */
static void take_used(const struct taking *taking, const struct json *value)
{
    static const double micro = 1e6;
    struct agent_stream *stream = taking->stream;
    const struct adapter_rule *rule = taking->rule;
    double number = 0;
    const bool names_turn = rule->members[ADAPTER_TURN].count > 0 && !rule->each_is_turn;
    const bool is_new = rule->each_is_turn || (names_turn && is_new_turn(taking, value));
    if (names_turn && !is_new)
        return; /* its numbers have been counted with the turn's first event */
    if (is_new) {
        stream->used.turns++;
        stream->used_changed = true;
    }
    if (adapter_number(&rule->members[ADAPTER_TURNS], value, &number))
        set_sum(stream, &stream->used.turns, number, rule->adds);
    if (adapter_number(&rule->members[ADAPTER_COST_USD], value, &number))
        set_sum(stream, &stream->used.cost_micro, number * micro, rule->adds);
    if (adapter_sum(&rule->members[ADAPTER_TOKENS], value, &number))
        set_sum(stream, &stream->used.tokens, number, rule->adds);
}

static void take_retry(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str words = {0};
    text_of(taking, ADAPTER_TEXT, value, &words);
    stream->used.own_retries++;
    stream->used_changed = true;
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_RETRY);
    item.text = str_text(&words);
    item.attempt = number_of(taking, ADAPTER_ATTEMPT, value, 0);
    item.most = number_of(taking, ADAPTER_MOST, value, 0);
    item.delay_ms = number_of(taking, ADAPTER_DELAY_MS, value, 0);
    item.status = status_of(taking, value);
    agent_stream_tell(stream, &item);
    str_done(&words);
}

static void add_line(struct str *words, const char *text)
{
    if (text[0] == '\0')
        return;
    str_add(words, text);
    str_add_char(words, '\n');
}

/* A word of the CLI; a failure that is not the end is kept for the end. */
static void take_notice(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    const bool is_error = taking->rule->event == ADAPTER_EVENT_ERROR;
    struct str words = {0};
    struct str ended = {0};
    double resets_at = 0;
    agent_message_end(stream);
    text_of(taking, ADAPTER_TEXT, value, &words);
    text_of(taking, ADAPTER_ENDED, value, &ended);
    if (is_error) {
        str_clear(&stream->error);
        add_line(&stream->error, str_text(&words));
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

/* Headers that say when to come back, as a program would have printed them. */
static void read_headers(struct str *words, const struct json *headers)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    while (json_next(headers, &iter, &key, &value)) {
        const bool tells = strstr(key, "retry") || strstr(key, "ratelimit");
        if (tells && json_kind(value) == JSON_KIND_STRING)
            str_addf(words, "%s: %s\n", key, json_text(value, ""));
    }
}

static void take_failure(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_last *last = &stream->last;
    struct str ended = {0};
    struct str words = {0};
    last->status = status_of(taking, value);
    text_of(taking, ADAPTER_ENDED, value, &ended);
    text_of(taking, ADAPTER_WORDS, value, &words);
    str_add(&last->words, str_text(&stream->ended));
    if (ended.len > 0)
        str_addf(&last->words, "agent ended: %s\n", str_text(&ended));
    add_line(&last->words, str_text(&words));
    read_headers(&last->words, adapter_value(&taking->rule->members[ADAPTER_HEADERS], value));
    if (words.len == 0)
        str_add(&last->words, str_text(&stream->error));
    str_add(&last->words, str_text(&stream->window));
    str_done(&ended);
    str_done(&words);
}

/* What the agent leaves. */
static void take_final(const struct taking *taking, const struct json *value)
{
    const struct json *structured =
        adapter_value(&taking->rule->members[ADAPTER_STRUCTURED], value);
    struct str text = {0};
    if (structured)
        json_write(&text, structured);
    else
        text_of(taking, ADAPTER_TEXT, value, &text);
    if (text.len > 0)
        agent_final_set(taking->stream, str_text(&text), text.len, structured != NULL);
    str_done(&text);
}

static void take_end(const struct taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_last *last = &stream->last;
    const bool failed = adapter_rule_failed(taking->rule, value) || stream->ended.len > 0;
    agent_message_end(stream);
    str_clear(&last->words);
    last->end = taking->rule->is_cut ? AGENT_END_CUT : failed ? AGENT_END_FAILED : AGENT_END_DONE;
    last->closes = !taking->rule->is_logged;
    last->is_line = taking->rule->line != NULL;
    last->offset = stream->line_offset;
    last->status = 0;
    if (last->end == AGENT_END_FAILED) {
        take_failure(taking, value);
    } else {
        take_final(taking, value);
    }
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_END);
    item.failed = last->end != AGENT_END_DONE;
    item.status = last->status;
    item.text = last->words.len > 0 ? str_text(&last->words) : NULL;
    agent_stream_tell(stream, &item);
}

static void take_one(const struct taking *taking, const struct json *value)
{
    take_used(taking, value);
    switch (taking->rule->event) {
    case ADAPTER_EVENT_SESSION:
        take_session(taking, value);
        break;
    case ADAPTER_EVENT_TEXT:
        take_text(taking, value);
        break;
    case ADAPTER_EVENT_CALL:
        take_call(taking, value);
        break;
    case ADAPTER_EVENT_RESULT:
        take_result(taking, value);
        break;
    case ADAPTER_EVENT_RETRY:
        take_retry(taking, value);
        break;
    case ADAPTER_EVENT_NOTICE:
    case ADAPTER_EVENT_ERROR:
        take_notice(taking, value);
        break;
    case ADAPTER_EVENT_BEGIN:
        take_begin(taking->stream);
        break;
    case ADAPTER_EVENT_END:
        take_end(taking, value);
        break;
    case ADAPTER_EVENT_USED:
    case ADAPTER_EVENT_KNOWN:
    case ADAPTER_EVENT_COUNT:
        break;
    }
}

static bool take_element(void *ctx, const struct json *value)
{
    const struct taking *taking = ctx;
    const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct json *element = json_at(value, i);
        if (adapter_tests_hold(&taking->rule->where, element))
            take_one(taking, element);
    }
    return true;
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
        struct taking taking = {.stream = stream, .rule = rule};
        const bool is_end = rule->event == ADAPTER_EVENT_END;
        if (rule->line || (is_end && has_ended) || !adapter_tests_hold(&rule->when, event))
            continue;
        has_ended = has_ended || is_end;
        /* that a session is named says nothing of what the event is */
        is_known = is_known || rule->event != ADAPTER_EVENT_SESSION;
        stream->has_events = true;
        if (rule->has_each)
            adapter_path_walk(&rule->each, event, take_element, &taking);
        else
            take_one(&taking, event);
    }
    if (is_known && !has_ended && stream->last.is_line)
        take_begin(stream);
    tell_used(stream);
    return is_known;
}

bool agent_line_take(struct agent_stream *stream, const char *line, bool on_err)
{
    bool is_known = false;
    struct json *value = NULL;
    for (size_t i = 0; i < stream->adapter->rule_count; i++) {
        const struct adapter_rule *rule = &stream->adapter->rules[i];
        const struct taking taking = {.stream = stream, .rule = rule};
        if (!rule->line || rule->on_err != on_err)
            continue;
        if (!value)
            value = json_new_text(line);
        if (!adapter_line_holds(rule, value))
            continue;
        is_known = true;
        take_one(&taking, value);
    }
    json_free(value);
    tell_used(stream);
    return is_known;
}
