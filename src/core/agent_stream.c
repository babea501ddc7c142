#include "agent_stream.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

struct agent_stream {
    const struct adapter *adapter; /* borrowed */
    agent_item_fn *item;
    void *ctx; /* borrowed */
    struct str line;
    struct str final;
    struct agent_used used;
};

void agent_stream_open(struct agent_stream **out, const struct adapter *adapter,
                       agent_item_fn *item, void *ctx)
{
    *out = xcalloc(1, sizeof(**out));
    **out = (struct agent_stream){.adapter = adapter, .item = item, .ctx = ctx};
}

void agent_stream_close(struct agent_stream *stream)
{
    if (!stream)
        return;
    str_done(&stream->line);
    str_done(&stream->final);
    free(stream);
}

static void take_line(struct agent_stream *stream)
{
    const struct agent_item item = {.kind = AGENT_ITEM_OTHER,
                                    .text = str_text(&stream->line),
                                    .exit = -1,
                                    .used = &stream->used};
    if (stream->item)
        stream->item(stream->ctx, &item);
    str_clear(&stream->line);
}

void agent_stream_add(struct agent_stream *stream, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n' || stream->line.len == AGENT_LINE_MAX)
            take_line(stream);
        if (bytes[i] != '\n')
            str_add_char(&stream->line, bytes[i]);
    }
    if (stream->final.len + len <= AGENT_TEXT_MAX)
        str_add_n(&stream->final, bytes, len);
}

void agent_stream_end(struct agent_stream *stream)
{
    if (stream->line.len > 0)
        take_line(stream);
}

const struct agent_used *agent_stream_used(const struct agent_stream *stream)
{
    return &stream->used;
}

const char *agent_stream_session(const struct agent_stream *stream)
{
    (void)stream;
    return NULL;
}

enum agent_end agent_stream_state(const struct agent_stream *stream)
{
    (void)stream;
    return AGENT_END_UNKNOWN;
}

bool agent_stream_final(const struct agent_stream *stream, struct str *out, bool *is_json)
{
    if (is_json)
        *is_json = false;
    str_add(out, str_text(&stream->final));
    return stream->final.len > 0;
}

void agent_item_words(const struct agent_item *item, struct str *out)
{
    if (!item->text)
        return;
    text_clean(out, item->text, strlen(item->text));
    str_add_char(out, '\n');
}

const char *agent_item_kind_name(enum agent_item_kind kind)
{
    static const char *const names[] = {"session", "text",   "call", "result", "used",
                                        "retry",   "notice", "end",  "other"};
    return names[kind];
}
