/* agent_stream.c - splits the output of an agent's CLI into events and text.
 *
 * An event is JSON in one line, or in several lines between brackets that are alone on their lines.
 * Everything else is text. If a line is too long, only its end is kept, because the end may show
 * how the last message ended. agent_event.c interprets the events. */
#include "agent_stream.h"

#include <stdlib.h>
#include <string.h>

#include "agent_internal.h"
#include "ascii.h"
#include "json.h"
#include "json_repair.h"
#include "text.h"
#include "xalloc.h"

int64_t agent_used_sum(int64_t a, int64_t b)
{
    const int64_t sum = a + b;
    if (sum < 0)
        return 0;
    return sum < AGENT_USED_MAX ? sum : AGENT_USED_MAX;
}

void agent_used_add(struct agent_used *sum, const struct agent_used *used)
{
    sum->turns = agent_used_sum(sum->turns, used->turns);
    sum->calls = agent_used_sum(sum->calls, used->calls);
    sum->cost_micro = agent_used_sum(sum->cost_micro, used->cost_micro);
    sum->tokens = agent_used_sum(sum->tokens, used->tokens);
    sum->own_retries = agent_used_sum(sum->own_retries, used->own_retries);
    sum->refused = agent_used_sum(sum->refused, used->refused);
}

void agent_call_done(struct agent_call *call)
{
    free(call->id);
    free(call->tool);
    json_free(call->args);
    free(call->what);
    *call = (struct agent_call){0};
}

enum { OTHER_MAX = 4096 }; /* maximum bytes reported of a line that no rule matches */

static void tell_other(struct agent_stream *stream, const char *text, size_t len)
{
    struct str shown = {0};
    str_add_n(&shown, text, text_cut(text, len, OTHER_MAX));
    if (len > OTHER_MAX)
        str_add(&shown, "...");
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_OTHER);
    item.text = str_text(&shown);
    agent_stream_tell(stream, &item);
    str_done(&shown);
}

static void take_words(struct agent_stream *stream, const char *text, size_t len)
{
    struct str repaired = {0};
    agent_message_end(stream);
    if (stream->last.is_line && len > 0) {
        stream->last.is_line = false;
        stream->last.end = AGENT_END_UNKNOWN;
    }
    if (stream->adapter->output == ADAPTER_OUTPUT_TEXT) { /* the whole output is the result */
        stream->final_is_lost = stream->final_is_lost || stream->final.len + len >= AGENT_TEXT_MAX;
        if (!stream->final_is_lost) {
            str_add_n(&stream->final, text, len);
            str_add_char(&stream->final, '\n');
        }
    }
    json_repair(&repaired, text, len);
    if (len > 0 && !agent_line_take(stream, str_text(&repaired), false))
        tell_other(stream, text, len);
    str_done(&repaired);
}

/* Handles an event, or each event of a list. Returns false for invalid JSON, and if there are more
 * than AGENT_VALUES_MAX values. */
static bool take_json(struct agent_stream *stream, const char *text, size_t len)
{
    struct str repaired = {0};
    struct json *value = NULL;
    bool is_known = false;
    if (json_values_at_most(text, len, AGENT_VALUES_MAX + 1) > AGENT_VALUES_MAX)
        return false;
    json_repair(&repaired, text, len);
    const bool is_json = json_parse_data(str_text(&repaired), repaired.len, &value, NULL, NULL);
    const bool is_list = is_json && json_kind(value) == JSON_KIND_ARRAY;
    size_t count = is_json ? 1 : 0;
    if (is_list)
        count = json_count(value);
    for (size_t i = 0; i < count; i++) {
        const struct json *event = is_list ? json_at(value, i) : value;
        const bool is_object = json_kind(event) == JSON_KIND_OBJECT;
        is_known = (is_object && agent_event_take(stream, event)) || is_known;
    }
    if (is_json && !is_known) {
        agent_message_end(stream);
        tell_other(stream, text, len);
    }
    if (is_json)
        json_free(value);
    str_done(&repaired);
    return is_json;
}

/* Handles the end of a line whose beginning is lost: it may show how the last message ended. */
static void take_cut_line(struct agent_stream *stream, const char *text, size_t len)
{
    static const char closing[] = "}]}";
    const size_t closing_len = sizeof(closing) - 1;
    struct str mark = {0};
    if (!stream->adapter->cut_member || len < closing_len ||
        memcmp(text + len - closing_len, closing, closing_len) != 0)
        return;
    str_addf(&mark, "\"%s\":", stream->adapter->cut_member);
    size_t at = len > mark.len ? len - mark.len : 0;
    while (at > 0 && memcmp(text + at, mark.data, mark.len) != 0)
        at--;
    if (len > mark.len && memcmp(text + at, mark.data, mark.len) == 0) {
        struct str event = {0};
        stream->line_offset += (int64_t)at;
        str_add(&event, "{\"cut\":{");
        str_add_n(&event, text + at, len - at - 2);
        str_add_char(&event, '}');
        (void)take_json(stream, str_text(&event), event.len);
        str_done(&event);
    }
    str_done(&mark);
}

static size_t trimmed_len(const char *text, size_t len)
{
    while (len > 0 && ascii_is_blank(text[len - 1]))
        len--;
    return len;
}

/* Returns true if the line is only the bracket, like the first and the last line of a value that
 * spans several lines. */
static bool is_alone(const char *text, size_t len, char bracket)
{
    return len == 1 && text[0] == bracket;
}

/* Reports the lines of an unclosed JSON value as text. */
static void agent_block_end(struct agent_stream *stream)
{
    if (stream->block.len > 0)
        take_words(stream, stream->block.data, trimmed_len(stream->block.data, stream->block.len));
    str_clear(&stream->block);
}

static void take_whole_line(struct agent_stream *stream, const char *text, size_t len)
{
    struct str *block = &stream->block;
    const bool opens = is_alone(text, len, '{') || is_alone(text, len, '[');
    if (opens) {
        agent_block_end(stream);
        str_add_n(block, text, len);
        str_add_char(block, '\n');
    } else if (block->len > 0) {
        str_add_n(block, text, len);
        str_add_char(block, '\n');
        const bool closes = is_alone(text, len, block->data[0] == '{' ? '}' : ']');
        if (!closes && block->len <= AGENT_LINE_MAX)
            return;
        if (closes && take_json(stream, block->data, block->len))
            str_clear(block);
        else
            agent_block_end(stream);
    } else if (len == 0 || (text[0] != '{' && text[0] != '[') || !take_json(stream, text, len)) {
        take_words(stream, text, len);
    }
}

/* Handles a complete line. */
static void agent_line_end(struct agent_stream *stream)
{
    const char *text = str_text(&stream->line);
    const size_t len = trimmed_len(text, stream->line.len);
    const int64_t own_retries = stream->used.own_retries;
    if (stream->line_is_cut)
        take_cut_line(stream, text, len);
    else if (stream->adapter->output == ADAPTER_OUTPUT_TEXT)
        take_words(stream, text, len);
    else
        take_whole_line(stream, text, len);
    stream->has_spoken = stream->has_spoken || stream->used.own_retries == own_retries;
    str_clear(&stream->line);
    stream->line_is_cut = false;
    if (stream->block.len == 0)
        stream->line_offset = stream->offset;
}

void agent_stream_open(struct agent_stream **out, const struct adapter *adapter,
                       agent_item_fn *item, void *ctx)
{
    *out = xcalloc(1, sizeof(**out));
    (*out)->adapter = adapter;
    (*out)->item = item;
    (*out)->ctx = ctx;
}

void agent_stream_close(struct agent_stream *stream)
{
    if (!stream)
        return;
    str_done(&stream->line);
    str_done(&stream->block);
    str_done(&stream->err_line);
    str_done(&stream->message);
    str_done(&stream->final);
    str_done(&stream->session);
    str_done(&stream->turn);
    str_done(&stream->retry);
    str_done(&stream->error);
    str_done(&stream->failure);
    str_done(&stream->ended);
    str_done(&stream->window);
    str_done(&stream->refused);
    str_done(&stream->refused_ids);
    str_done(&stream->last_call);
    str_done(&stream->last.words);
    for (size_t i = 0; i < stream->calls.count; i++)
        agent_call_done(&stream->calls.items[i]);
    free(stream);
}

struct agent_item agent_item_new(const struct agent_stream *stream, enum agent_item_kind kind)
{
    return (struct agent_item){.kind = kind, .exit = -1, .used = &stream->used};
}

void agent_stream_tell(struct agent_stream *stream, const struct agent_item *item)
{
    const bool says_nothing = item->kind == AGENT_ITEM_USED || item->kind == AGENT_ITEM_SESSION;
    stream->turn_is_empty = stream->turn_is_empty && says_nothing;
    if (stream->item)
        stream->item(stream->ctx, item);
}

void agent_final_set(struct agent_stream *stream, const char *text, size_t len, bool is_json)
{
    str_clear(&stream->final);
    stream->final_is_json = is_json;
    stream->final_is_lost = len > AGENT_TEXT_MAX;
    if (!stream->final_is_lost)
        str_add_n(&stream->final, text, len);
}

void agent_message_end(struct agent_stream *stream)
{
    const bool is_rest = stream->message_is_rest;
    stream->message_is_rest = false;
    if (!stream->message_is_open)
        return;
    stream->message_is_open = false;
    struct agent_item item = agent_item_new(stream, AGENT_ITEM_TEXT);
    item.text = str_text(&stream->message);
    agent_final_set(stream, item.text, stream->message.len, false);
    if (is_rest) {
        str_clear(&stream->final);
        stream->final_is_lost = true;
    }
    agent_stream_tell(stream, &item);
    str_clear(&stream->message);
}

void agent_stream_add(struct agent_stream *stream, const char *bytes, size_t len)
{
    stream->has_spoken = stream->has_spoken || stream->adapter->output == ADAPTER_OUTPUT_TEXT;
    while (len > 0) {
        const size_t room = AGENT_LINE_MAX - stream->line.len;
        const size_t most = len < room ? len : room;
        const char *end = memchr(bytes, '\n', most);
        const size_t taken = end ? (size_t)(end - bytes) : most;
        str_add_n(&stream->line, bytes, taken);
        const size_t gone = taken + (end ? 1 : 0);
        stream->offset += (int64_t)gone;
        bytes += gone;
        len -= gone;
        if (end) {
            agent_line_end(stream);
        } else if (stream->line.len == AGENT_LINE_MAX) {
            /* Reports a line that is too long and keeps only its end. */
            const size_t half = stream->line.len / 2;
            if (!stream->line_is_cut)
                tell_other(stream, stream->line.data, stream->line.len);
            memmove(stream->line.data, stream->line.data + half, stream->line.len - half + 1);
            stream->line.len -= half;
            stream->line_offset += (int64_t)half;
            stream->line_is_cut = true;
            stream->has_spoken = true;
        }
    }
}

static void take_err_line(struct agent_stream *stream)
{
    const int64_t own_retries = stream->used.own_retries;
    struct str repaired = {0};
    json_repair(&repaired, str_text(&stream->err_line), stream->err_line.len);
    if (!stream->err_is_long)
        (void)agent_line_take(stream, str_text(&repaired), true);
    stream->has_spoken = stream->has_spoken || stream->used.own_retries == own_retries;
    str_done(&repaired);
    str_clear(&stream->err_line);
    stream->err_is_long = false;
}

void agent_stream_add_err(struct agent_stream *stream, const char *bytes, size_t len)
{
    stream->has_spoken = stream->has_spoken || stream->adapter->output == ADAPTER_OUTPUT_TEXT;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n')
            take_err_line(stream);
        else if (stream->err_line.len < AGENT_ERR_LINE_MAX)
            str_add_char(&stream->err_line, bytes[i]);
        else
            stream->err_is_long = true;
    }
}

void agent_stream_watch(struct agent_stream *stream, agent_rule_fn *fn)
{
    stream->rule = fn;
}

bool agent_stream_has_spoken(struct agent_stream *stream)
{
    const bool has_spoken = stream->has_spoken;
    stream->has_spoken = false;
    return has_spoken;
}

int agent_stream_retries_in_row(const struct agent_stream *stream)
{
    return stream->retries_in_row;
}

void agent_stream_end(struct agent_stream *stream)
{
    if (stream->err_line.len > 0)
        take_err_line(stream);
    if (stream->line.len > 0)
        agent_line_end(stream);
    agent_block_end(stream);
    agent_message_end(stream);
}

void agent_stream_waiting(const struct agent_stream *stream, agent_item_fn *each, void *ctx)
{
    for (size_t i = 0; i < stream->calls.count; i++) {
        const struct agent_call *call = &stream->calls.items[i];
        struct agent_item item = agent_item_new(stream, AGENT_ITEM_CALL);
        item.tool = call->tool;
        item.what = call->what;
        item.args = call->args;
        item.number = call->number;
        each(ctx, &item);
    }
}

const struct agent_used *agent_stream_used(const struct agent_stream *stream)
{
    return &stream->used;
}

const char *agent_stream_refused(const struct agent_stream *stream)
{
    return stream->refused.len > 0 ? stream->refused.data : NULL;
}

enum agent_end agent_stream_state(const struct agent_stream *stream)
{
    const bool is_open = stream->last.end == AGENT_END_UNKNOWN && stream->has_events;
    return is_open ? AGENT_END_CUT : stream->last.end;
}

bool agent_stream_final(const struct agent_stream *stream, struct str *out, bool *is_json)
{
    if (stream->final_is_lost || stream->final.len == 0)
        return false;
    if (is_json)
        *is_json = stream->final_is_json;
    str_add_n(out, stream->final.data, stream->final.len);
    return true;
}
