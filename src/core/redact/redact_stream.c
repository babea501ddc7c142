/* redact_stream.c - the bytes of a stream: kept as long as they may be part of a secret, then
 * written. */
#define _DEFAULT_SOURCE /* explicit_bzero */

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "redact_forms.h"
#include "redact_spans.h"
#include "redact_stream_parts.h"
#include "redactor.h"
#include "xalloc.h"

enum {
    PIECE_MAX = 16 * 1024, /* bytes that are looked at in one go */
    FIRST_CAP = 4096,
};

/* One call: where the bytes go, and whether it is the end. */
struct pass {
    redact_sink_fn *sink;
    void *ctx;
    bool ended;
};

void redact_stream_open(struct redact_stream **out, const struct redactor *redactor)
{
    struct redact_stream *stream = xcalloc(1, sizeof(*stream));
    stream->redactor = redactor;
    stream->before = -1;
    stream->line_begins = true;
    if (redactor && redactor->pattern_count > 0)
        stream->matcher = rule_matcher_new();
    *out = stream;
}

static void free_bytes(struct redact_stream *stream)
{
    if (stream->bytes)
        explicit_bzero(stream->bytes, stream->cap);
    free(stream->bytes);
}

void redact_stream_close(struct redact_stream *stream)
{
    if (!stream)
        return;
    free_bytes(stream);
    redact_spans_done(&stream->spans);
    redact_lanes_done(stream->lanes);
    redact_counts_done(&stream->counts);
    rule_matcher_free(stream->matcher);
    free(stream);
}

const struct redact_counts *redact_stream_counts(const struct redact_stream *stream)
{
    return &stream->counts;
}

static void give(const struct pass *pass, const char *bytes, size_t len)
{
    while (len > 0) {
        const size_t piece = len < REDACT_SINK_MAX ? len : REDACT_SINK_MAX;
        pass->sink(pass->ctx, bytes, piece);
        bytes += piece;
        len -= piece;
    }
}

/* xgrow() would leave a copy of the old bytes behind. */
static void append(struct redact_stream *stream, const char *bytes, size_t len)
{
    if (stream->cap - stream->len < len) {
        size_t cap = stream->cap > 0 ? stream->cap : FIRST_CAP;
        while (cap - stream->len < len)
            cap *= 2;
        unsigned char *larger = xcalloc(cap, 1);
        if (stream->len > 0)
            memcpy(larger, stream->bytes, stream->len);
        free_bytes(stream);
        stream->bytes = larger;
        stream->cap = cap;
    }
    memcpy(stream->bytes + stream->len, bytes, len);
    stream->len += len;
}

static void write_text(struct redact_stream *stream, const struct pass *pass, int64_t to)
{
    if (to <= stream->written)
        return;
    give(pass, redact_stream_at(stream, stream->written), (size_t)(to - stream->written));
    stream->written = to;
}

static void write_up_to(struct redact_stream *stream, const struct pass *pass, int64_t to)
{
    const struct redact_span *span = redact_spans_first(&stream->spans);
    for (; span && span->start < to; span = redact_spans_first(&stream->spans)) {
        const struct redact_name *name = &stream->redactor->names[span->name];
        write_text(stream, pass, span->start);
        stream->written = span->end;
        redact_count_one(&stream->counts, stream->redactor, span->name);
        redact_spans_drop_first(&stream->spans);
        give(pass, name->mark, name->mark_len);
    }
    write_text(stream, pass, to);
}

/* The bytes that nobody needs any more. */
static void drop_bytes(struct redact_stream *stream, int64_t settled_at)
{
    const int64_t end = redact_stream_end_of(stream);
    const int64_t keep = settled_at < end ? settled_at : end;
    const size_t gone = (size_t)(keep - stream->base);
    if (gone == 0)
        return;
    stream->before = stream->bytes[gone - 1];
    memmove(stream->bytes, stream->bytes + gone, stream->len - gone);
    stream->len -= gone;
    stream->base = keep;
    assert(stream->len <= REDACT_HOLD_MAX);
}

static void look(struct redact_stream *stream, const struct pass *pass)
{
    redact_search(stream, pass->ended);
    const int64_t at = redact_search_settled(stream);
    write_up_to(stream, pass, redact_search_writable(stream));
    drop_bytes(stream, at);
}

void redact_stream_add(struct redact_stream *stream, const char *bytes, size_t len,
                       redact_sink_fn *sink, void *ctx)
{
    const struct pass pass = {.sink = sink, .ctx = ctx};
    if (!stream->redactor) {
        give(&pass, bytes, len);
        return;
    }
    while (len > 0) {
        const size_t piece = len < PIECE_MAX ? len : PIECE_MAX;
        append(stream, bytes, piece);
        look(stream, &pass);
        bytes += piece;
        len -= piece;
    }
}

void redact_stream_end(struct redact_stream *stream, redact_sink_fn *sink, void *ctx)
{
    const struct pass pass = {.sink = sink, .ctx = ctx, .ended = true};
    if (!stream->redactor)
        return;
    if (stream->len > 0)
        look(stream, &pass);
    assert(stream->searched == redact_stream_end_of(stream));
    redact_search_cut_short(stream);
    write_up_to(stream, &pass, redact_stream_end_of(stream));
    stream->base = stream->written = stream->searched = stream->line_at =
        redact_stream_end_of(stream);
    stream->tail_at = stream->base;
    stream->tail.rest = REDACT_REST_NONE;
    stream->len = 0;
    stream->before = -1;
    stream->node = stream->joined.node = REDACT_TRIE_ROOT;
    redact_lanes_reset(stream->lanes);
    stream->line_begins = true;
}

static void add_to_str(void *ctx, const char *bytes, size_t len)
{
    str_add_n(ctx, bytes, len);
}

void redact_text(const struct redactor *redactor, const char *bytes, size_t len, struct str *out,
                 struct redact_counts *counts)
{
    struct redact_stream *stream = NULL;
    redact_stream_open(&stream, redactor);
    redact_stream_add(stream, bytes, len, add_to_str, out);
    redact_stream_end(stream, add_to_str, out);
    if (counts)
        redact_counts_add(counts, redact_stream_counts(stream));
    redact_stream_close(stream);
}

char *redact_string(const struct redactor *redactor, const char *text, struct redact_counts *counts)
{
    struct str out = {0};
    if (!text)
        return NULL;
    redact_text(redactor, text, strlen(text), &out, counts);
    return out.data ? out.data : xstrdup("");
}
