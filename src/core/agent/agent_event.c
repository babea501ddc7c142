/* Handles the events of an agent's output. Finds out how the output ended: whether the agent
 * failed, and what its API reported. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "agent_internal.h"
#include "agent_result.h"
#include "agent_stream.h"
#include "ascii.h"
#include "attr.h"
#include "json.h"
#include "json_repair.h"
#include "xalloc.h"

/* Events: their effect on the stream. */

struct agent_taking {
    struct agent_stream *stream;
    const struct adapter_rule *rule;
};

enum { STATUS_LEAST = 100, STATUS_MOST = 599 }; /* a smaller number is an exit code, not a status */

/* Calls waiting for their results. */

static void remove_call(struct agent_calls *calls, size_t index)
{
    calls->count--;
    memmove(&calls->items[index], &calls->items[index + 1],
            (calls->count - index) * sizeof(calls->items[0]));
}

/* Returns the index of the call with that id, or calls->count. */
static size_t find_call(const struct agent_calls *calls, const char *id)
{
    size_t i = 0;
    while (i < calls->count && (!calls->items[i].id || strcmp(calls->items[i].id, id) != 0))
        i++;
    return i;
}

/* Removes the call with that id, or the oldest call if `id` is NULL. Returns false if there is
 * none. The caller calls agent_call_done() on *out. */
static bool take_call(struct agent_calls *calls, const char *id, struct agent_call *out)
{
    const size_t index = id ? find_call(calls, id) : 0;
    if (index == calls->count)
        return false;
    *out = calls->items[index];
    remove_call(calls, index);
    return true;
}

static void agent_taking_text(const struct agent_taking *taking, enum adapter_member member,
                              const struct json *value, struct str *out)
{
    (void)adapter_first_text(&taking->rule->members[member], value, out);
}

/* Returns the member as an integer; returns `otherwise` if it is missing, negative or too large. */
static int64_t agent_taking_number(const struct agent_taking *taking, enum adapter_member member,
                                   const struct json *value, int64_t otherwise)
{
    static const double most = 9e15; /* doubles are exact up to here */
    double number = 0;
    if (!adapter_number(&taking->rule->members[member], value, &number))
        return otherwise;
    return number < 0 || number > most ? otherwise : (int64_t)number;
}

/* Returns the HTTP status in the event; 0 = none. */
static int64_t agent_taking_status(const struct agent_taking *taking, const struct json *value)
{
    const int64_t status = agent_taking_number(taking, ADAPTER_STATUS, value, 0);
    return status >= STATUS_LEAST && status <= STATUS_MOST ? status : 0;
}

/* Appends the text as a line, unless it is empty. */
static void agent_words_add(struct str *words, const char *text)
{
    if (text[0] == '\0')
        return;
    str_add(words, text);
    str_add_char(words, '\n');
}

/* Called if the agent continues: an end that was reported before was not the end. */
static void agent_begin_take(struct agent_stream *stream)
{
    if (stream->last.end == AGENT_END_FAILED) {
        str_clear(&stream->failure);
        str_add(&stream->failure, str_text(&stream->last.words));
    }
    stream->last.end = AGENT_END_CUT;
    str_clear(&stream->last.words);
    str_clear(&stream->error);
}

/* Called if the model wrote text or called a tool: a request that the CLI retried has then
 * succeeded. Counts a turn if no rule defines turns. */
static void agent_turn_open(struct agent_stream *stream)
{
    if (stream->last.end != AGENT_END_UNKNOWN)
        agent_begin_take(stream);
    if (!stream->adapter->counts_turns && !stream->turn_is_open) {
        stream->used.turns++;
        stream->used_changed = true;
    }
    stream->turn_is_open = true;
    stream->retries_in_row = 0;
    str_clear(&stream->retry);
}

static void set_sum(struct agent_stream *stream, int64_t *sum, double value, bool adds)
{
    if (value < 0 || value > (double)AGENT_USED_MAX)
        return;
    const int64_t number = (int64_t)(value + 0.5);
    const int64_t news = agent_used_sum(number, adds ? *sum : 0);
    if (news <= *sum)
        return; /* a sum never decreases: the end may report less than earlier events */
    *sum = news;
    stream->used_changed = true;
}

/* Reads turns, cost and tokens, which any event may have. */
static void agent_used_take(const struct agent_taking *taking, const struct json *value)
{
    static const double micro = 1e6;
    struct agent_stream *stream = taking->stream;
    const struct adapter_rule *rule = taking->rule;
    double number = 0;
    bool is_new = rule->members[ADAPTER_TURN].always;
    if (rule->members[ADAPTER_TURN].count > 0) {
        struct str id = {0};
        agent_taking_text(taking, ADAPTER_TURN, value, &id);
        is_new = id.len > 0 && strcmp(str_text(&id), str_text(&stream->turn)) != 0;
        if (is_new) {
            str_clear(&stream->turn);
            str_add(&stream->turn, str_text(&id));
        }
        str_done(&id);
        if (!is_new)
            return; /* counted with the first event of the turn */
    }
    if (is_new) {
        /* Reports a turn without text, calls or tokens as a message, so that the loop detector sees
         * an agent that produces nothing else. */
        if (stream->turn_is_empty && stream->used.tokens == stream->turn_tokens) {
            struct agent_item item = agent_item_new(stream, AGENT_ITEM_TEXT);
            item.text = "(an empty turn)";
            agent_stream_tell(stream, &item);
        }
        stream->turn_is_empty = true;
        stream->turn_tokens = stream->used.tokens;
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

/* Numbers and reports a call, which then waits for its result. */
static void open_call(const struct agent_taking *taking, const struct json *value, const char *id)
{
    struct agent_stream *stream = taking->stream;
    struct str tool = {0};
    struct str what = {0};
    agent_taking_text(taking, ADAPTER_TOOL, value, &tool);
    struct agent_call call = {
        .id = id[0] != '\0' ? xstrdup(id) : NULL,
        .tool = xstrdup(str_text(&tool)),
        .args = adapter_args(&taking->rule->members[ADAPTER_ARGS], value),
        .number = ++stream->used.calls,
    };
    agent_call_what(call.args, &what);
    call.what = what.data ? what.data : xstrdup("");
    stream->used_changed = true;
    stream->ends_refused = false;
    str_clear(&stream->last_call);
    str_add(&stream->last_call, id);
    agent_turn_open(stream);
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_CALL);
    item.tool = call.tool;
    item.what = call.what;
    item.args = call.args;
    item.number = call.number;
    agent_stream_tell(stream, &item);
    if (stream->calls.count == AGENT_OPEN_CALLS_MAX) { /* drops the oldest call */
        agent_call_done(&stream->calls.items[0]);
        remove_call(&stream->calls, 0);
    }
    stream->calls.items[stream->calls.count++] = call;
    str_done(&tool);
}

/* Handles the result of a call, even if the call was not reported. */
static void agent_result_take(const struct agent_taking *taking, const struct json *value)
{
    enum { EXIT_MOST = 255 };
    struct agent_stream *stream = taking->stream;
    struct agent_call call = {0};
    struct str id = {0};
    struct str output = {0};
    agent_message_end(stream);
    agent_taking_text(taking, ADAPTER_ID, value, &id);
    const char *name = id.len > 0 ? str_text(&id) : NULL;
    bool is_known = take_call(&stream->calls, name, &call);
    if (!is_known && taking->rule->members[ADAPTER_TOOL].count > 0) {
        open_call(taking, value, str_text(&id));
        is_known = take_call(&stream->calls, name, &call);
    }
    if (!is_known && name)
        call.id = xstrdup(name);

    agent_taking_text(taking, ADAPTER_OUTPUT_TEXT_OF, value, &output);
    const int64_t code = agent_taking_number(taking, ADAPTER_EXIT, value, -1);
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_RESULT);
    item.text = str_text(&output);
    item.tool = call.tool;
    item.what = call.what;
    item.args = call.args;
    item.number = call.number;
    item.failed = adapter_condition_holds(&taking->rule->failed, value) || code > 0;
    item.exit = code <= EXIT_MOST ? (int)code : -1;
    stream->turn_is_open = false;
    agent_stream_tell(stream, &item);
    str_clear(&stream->failure);
    agent_call_done(&call);
    str_done(&output);
    str_done(&id);
}

/* Remembers the id of a denied call. Returns false if the call was reported before or no more ids
 * can be kept. Without an id, every report counts as a new call. */
static bool is_first_report(struct agent_stream *stream, const char *id)
{
    struct str *ids = &stream->refused_ids;
    struct str line = {0};
    str_addf(&line, "\n%s\n", id);
    const bool is_known = id[0] != '\0' && strstr(str_text(ids), line.data) != NULL;
    const bool is_full = ids->len + line.len > AGENT_REFUSED_IDS;
    if (id[0] != '\0' && !is_known && !is_full)
        str_add(ids, line.data);
    str_done(&line);
    return id[0] == '\0' || (!is_known && !is_full);
}

/* Handles a denied call. A call with an id counts once, however often it is reported. */
static void agent_refused_take(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct str id = {0};
    struct str tool = {0};
    struct str what = {0};
    agent_taking_text(taking, ADAPTER_ID, value, &id);
    if (is_first_report(stream, str_text(&id))) {
        /* The tool and the call in one line: from the call if it was reported, else from the
         * refusal. */
        const size_t index = find_call(&stream->calls, str_text(&id));
        if (index < stream->calls.count) {
            const struct agent_call *call = &stream->calls.items[index];
            str_add(&tool, call->tool);
            str_add(&what, call->what);
        } else {
            struct json *args = adapter_args(&taking->rule->members[ADAPTER_ARGS], value);
            agent_taking_text(taking, ADAPTER_TOOL, value, &tool);
            if (args)
                agent_call_what(args, &what);
            else
                agent_taking_text(taking, ADAPTER_TEXT, value, &what);
            json_free(args);
        }
        stream->used.refused++;
        stream->used_changed = true;
        stream->ends_refused = stream->ends_refused || id.len == 0 ||
                               strcmp(str_text(&stream->last_call), str_text(&id)) == 0;
        str_clear(&stream->refused);
        str_addf(&stream->refused, "%s%s%s", str_text(&tool), what.len > 0 ? ": " : "",
                 str_text(&what));
        struct agent_item item = agent_item_new(stream, AGENT_ITEM_REFUSED);
        item.tool = str_text(&tool);
        item.what = str_text(&what);
        agent_stream_tell(stream, &item);
    }
    str_done(&id);
    str_done(&tool);
    str_done(&what);
}

static void take_failure(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_last *last = &stream->last;
    struct str ended = {0};
    struct str words = {0};
    void *iter = NULL;
    const char *key = NULL;
    const struct json *header = NULL;
    last->status = agent_taking_status(taking, value);
    agent_taking_text(taking, ADAPTER_ENDED, value, &ended);
    (void)adapter_texts(&taking->rule->members[ADAPTER_WORDS], value, "\n", &words);
    str_add(&last->words, str_text(&stream->ended));
    if (ended.len > 0)
        str_addf(&last->words, "agent ended: %s\n", str_text(&ended));
    agent_words_add(&last->words, str_text(&words));
    /* Headers that tell when to retry, as programs print them. */
    const struct json *headers = adapter_value(&taking->rule->members[ADAPTER_HEADERS], value);
    while (json_next(headers, &iter, &key, &header)) {
        const bool tells = strstr(key, "retry") || strstr(key, "ratelimit");
        if (tells && json_kind(header) == JSON_KIND_STRING)
            str_addf(&last->words, "%s: %s\n", key, json_text(header, ""));
    }
    if (words.len == 0)
        str_add(&last->words, str_text(&stream->error));
    str_add(&last->words, str_text(&stream->window));
    str_done(&ended);
    str_done(&words);
}

/* Handles the agent's end: its kind, its last words and its usage. */
static void agent_end_take(const struct agent_taking *taking, const struct json *value)
{
    struct agent_stream *stream = taking->stream;
    struct agent_last *last = &stream->last;
    const bool failed =
        adapter_condition_holds(&taking->rule->failed, value) || stream->ended.len > 0;
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
        const struct json *structured =
            adapter_value(&taking->rule->members[ADAPTER_STRUCTURED], value);
        struct str text = {0};
        if (structured)
            json_write(&text, structured);
        else
            agent_taking_text(taking, ADAPTER_TEXT, value, &text);
        if (text.len > 0)
            agent_final_set(stream, str_text(&text), text.len, structured != NULL);
        str_done(&text);
    }
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_END);
    item.failed = last->end != AGENT_END_DONE;
    item.status = last->status;
    item.text = last->words.len > 0 ? str_text(&last->words) : NULL;
    agent_stream_tell(stream, &item);
}

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
    const bool goes_on = adapter_condition_holds(&taking->rule->goes_on, value);
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

/* Handles a message of the CLI. Keeps a failure that is not the end, in case the end reports
 * none. */
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

static void take_event(const struct agent_taking *taking, const struct json *value)
{
    struct str id = {0};
    agent_used_take(taking, value);
    switch (taking->rule->event) {
    case ADAPTER_EVENT_SESSION:
        take_session(taking, value);
        break;
    case ADAPTER_EVENT_TEXT:
        take_text(taking, value);
        break;
    case ADAPTER_EVENT_CALL:
        agent_message_end(taking->stream);
        agent_taking_text(taking, ADAPTER_ID, value, &id);
        open_call(taking, value, str_text(&id));
        str_done(&id);
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
            take_event(taking, element);
    }
    return true;
}

static void tell_rule(const struct agent_stream *stream, size_t rule)
{
    if (stream->rule)
        stream->rule(stream->ctx, rule, adapter_event_name(stream->adapter->rules[rule].event));
}

/* Reports USED once for all changes of an event. */
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
        /* a rule that only reads the session does not make the event a known one */
        is_known = is_known || rule->event != ADAPTER_EVENT_SESSION;
        stream->has_events = true;
        if (rule->each.is_set)
            adapter_path_walk(&rule->each, event, take_element, &taking);
        else
            take_event(&taking, event);
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
        take_event(&taking, value);
    }
    json_free(value);
    tell_used(stream);
    return is_known;
}

/* Returns the last line that is not empty; an empty line if its beginning is missing. */
static struct classify_text last_line(const struct classify_text *text)
{
    size_t end = text->len;
    while (end > 0 && ascii_is_blank(text->bytes[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && text->bytes[start - 1] != '\n')
        start--;
    const bool is_cut = start == 0 && text->offset > 0;
    return (struct classify_text){.bytes = text->bytes ? text->bytes + start : NULL,
                                  .len = is_cut ? 0 : end - start,
                                  .offset = text->offset + (int64_t)start};
}

/* Reads the status at the beginning of a message: "503 The engine is overloaded", "[API Error: 401
 * ...". */
static void read_status(struct agent_result *result)
{
    enum { DIGITS = 3 };
    static const char *const leads[] = {"", "API Error: ", "[API Error: "};
    const char *words = str_text(&result->words);
    const char *answer = strstr(words, "[API Error: "); /* the error may follow part of an answer */
    for (size_t i = 0; i < ARRAY_LEN(leads) && result->status == 0; i++) {
        const char *from = leads[i][0] == '[' && answer ? answer : words;
        if (strncmp(from, leads[i], strlen(leads[i])) != 0)
            continue;
        const char *number = from + strlen(leads[i]);
        if (strspn(number, "0123456789") != DIGITS || (number[0] != '4' && number[0] != '5'))
            continue;
        if (number[DIGITS] == ' ' || number[DIGITS] == ':')
            result->status = (number[0] - '0') * 100 + (number[1] - '0') * 10 + (number[2] - '0');
    }
}

static void take_stream(struct agent_result *result, const struct agent_stream *stream)
{
    const struct agent_last *last = &stream->last;
    result->end = agent_stream_state(stream);
    result->closes = last->closes;
    result->status = last->status;
    result->offset = last->offset;
    result->own_retries = stream->used.own_retries;
    str_add(&result->retry, str_text(&stream->retry));
    str_add(&result->words, str_text(&last->words));
    str_add(&result->failure, str_text(&stream->failure));
    result->is_empty = result->end == AGENT_END_DONE && stream->final.len == 0 &&
                       !stream->final_is_lost && !stream->begins_cut && stream->used.calls == 0;
    result->refused = stream->used.refused;
    result->ends_refused = stream->ends_refused;
    result->has_answer = stream->final.len > 0 || stream->final_is_lost;
    str_add(&result->refusal, str_text(&stream->refused));
    if (result->refused > 0 && stream->final.len <= AGENT_ANSWER_MAX)
        str_add(&result->answer, str_text(&stream->final));
    const bool is_short = !stream->final_is_lost && stream->final.len <= AGENT_SAID_MAX;
    const bool has_worked = stream->begins_cut || stream->used.calls > 0;
    if (result->end == AGENT_END_DONE && is_short && !has_worked)
        str_add(&result->said, str_text(&stream->final));
}

static void read_text(struct agent_result *result, const struct adapter *adapter,
                      const struct classify_text *text, const struct classify_text *err)
{
    struct agent_stream *stream = NULL;
    agent_stream_open(&stream, adapter, NULL, NULL);
    /* If the beginning of the output is missing, the first line may be incomplete. */
    stream->line_is_cut = text->offset > 0;
    stream->begins_cut = text->offset > 0;
    stream->offset = text->offset;
    stream->line_offset = text->offset;
    agent_stream_add(stream, text->bytes, text->len);
    agent_stream_add_err(stream, err->bytes, err->len);
    agent_stream_end(stream);
    take_stream(result, stream);
    agent_stream_close(stream);
}

/* For unknown agents: decides by the shape of the last line, or if it is a list, of its last
 * element. */
static void read_shape(struct agent_result *result, const struct classify_text *text)
{
    static const char generic[] = "generic";
    struct adapter shape = *adapters_find(NULL, generic);
    const struct classify_text line = last_line(text);
    struct str repaired = {0};
    struct str text_of_value = {0};
    struct json *value = NULL;
    if (line.len == 0 || (line.bytes[0] != '{' && line.bytes[0] != '['))
        return;
    json_repair(&repaired, line.bytes, line.len);
    if (json_parse_data(str_text(&repaired), repaired.len, &value, NULL, NULL)) {
        const size_t count = json_kind(value) == JSON_KIND_ARRAY ? json_count(value) : 0;
        if (count > 0 || json_kind(value) == JSON_KIND_OBJECT)
            json_write(&text_of_value, count > 0 ? json_at(value, count - 1) : value);
        json_free(value);
    }
    shape.output = ADAPTER_OUTPUT_JSONL;
    const struct classify_text whole = {.bytes = text_of_value.data, .len = text_of_value.len};
    read_text(result, &shape, &whole, &(struct classify_text){0});
    if (result->end == AGENT_END_CUT)
        result->end = AGENT_END_UNKNOWN;
    result->offset = result->end == AGENT_END_UNKNOWN ? 0 : line.offset;
    str_done(&text_of_value);
    str_done(&repaired);
}

void agent_result_init(struct agent_result *result, const struct classify_input *input)
{
    *result = (struct agent_result){0};
    const bool is_read = input->agent && adapter_output(input->agent) != ADAPTER_OUTPUT_TEXT;
    if (is_read && input->stream)
        take_stream(result, input->stream);
    else if (is_read)
        read_text(result, input->agent, &input->out, &input->err);
    else
        read_shape(result, &input->out);
    /* A failure may be reported as JSON on stderr. Anything else there is for people. */
    if (input->agent && input->agent->result_on_stderr && result->end == AGENT_END_UNKNOWN) {
        struct agent_result on_err = {0};
        read_text(&on_err, input->agent, &input->err, &(struct classify_text){0});
        on_err.own_retries = result->own_retries;
        str_add(&on_err.retry, str_text(&result->retry));
        if (on_err.end == AGENT_END_FAILED) {
            agent_result_done(result);
            *result = on_err;
            result->on_err = true;
        } else {
            agent_result_done(&on_err);
        }
    }
    read_status(result);
}

void agent_result_done(struct agent_result *result)
{
    str_done(&result->retry);
    str_done(&result->failure);
    str_done(&result->words);
    str_done(&result->refusal);
    str_done(&result->answer);
    str_done(&result->said);
}
