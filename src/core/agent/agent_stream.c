#include "agent_stream.h"

#include <stdlib.h>
#include <string.h>

#include "agent_state.h"
#include "json_repair.h"
#include "xalloc.h"

void agent_stream_open(struct agent_stream **out, const struct adapter *adapter,
                       agent_item_fn *item, void *ctx)
{
    *out = xcalloc(1, sizeof(**out));
    (*out)->adapter = adapter;
    (*out)->item = item;
    (*out)->ctx = ctx;
}

void agent_stream_begin_cut(struct agent_stream *stream, int64_t offset)
{
    stream->line_is_cut = offset > 0;
    stream->begins_cut = offset > 0;
    stream->offset = offset;
    stream->line_offset = offset;
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
    agent_calls_done(&stream->calls);
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
        if (end)
            agent_line_end(stream);
        else if (stream->line.len == AGENT_LINE_MAX)
            agent_line_cut(stream);
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
