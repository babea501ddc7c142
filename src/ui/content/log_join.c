#define _GNU_SOURCE /* memrchr */
#include "log_join.h"

#include <assert.h>
#include <string.h>

#include "text.h"
#include "utf8.h"

enum { ESC = 0x1b };

void log_join_init(struct log_join *join, size_t line_max, joined_line_fn *take, void *ctx)
{
    *join = (struct log_join){.line_max = line_max, .take = take, .ctx = ctx};
}

void log_join_done(struct log_join *join)
{
    for (int i = 0; i < LOG_JOIN_STREAMS; i++)
        str_done(&join->partials[i].text);
    *join = (struct log_join){0};
}

void log_join_clear(struct log_join *join)
{
    for (int i = 0; i < LOG_JOIN_STREAMS; i++) {
        struct str text = join->partials[i].text;
        str_clear(&text);
        join->partials[i] = (struct log_partial){.text = text};
    }
}

void log_join_copy(struct log_join *to, const struct log_join *from)
{
    for (int i = 0; i < LOG_JOIN_STREAMS; i++) {
        struct str text = to->partials[i].text;
        str_clear(&text);
        str_add_n(&text, str_text(&from->partials[i].text), from->partials[i].text.len);
        to->partials[i] = from->partials[i];
        to->partials[i].text = text;
    }
}

/* Forget the first bytes of a line. */
static void drop_front(struct log_partial *partial, size_t count)
{
    struct str *text = &partial->text;
    assert(count <= text->len);
    partial->start += (int64_t)count;
    if (count == 0)
        return;
    memmove(text->data, text->data + count, text->len - count + 1);
    text->len -= count;
}

/* The first `len` bytes of what is there are a line. */
static void take_line(struct log_join *join, struct log_partial *partial, size_t len)
{
    const struct joined_line line = {
        .bytes = str_text(&partial->text),
        .len = len,
        .at_ms = partial->at_ms,
        .offset = partial->start,
        .stream = (int)(partial - join->partials) + 1,
    };
    join->take(join->ctx, &line);
    drop_front(partial, len);
    partial->headless = false;
}

/* Bytes at the end that are the beginning of a character. */
static size_t unfinished_character(const char *text, size_t len)
{
    size_t back = 1;
    while (back < 4 && back < len && utf8_is_inner(text[len - back]))
        back++;
    if (back > len)
        return 0;
    unsigned char first = (unsigned char)text[len - back];
    size_t want = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
    return want > back ? back : 0;
}

/* Bytes at the end that are an escape sequence, which may go on. */
static size_t unfinished_escape(const char *text, size_t len)
{
    for (size_t back = 1; back <= len; back++) {
        if (text[len - back] == ESC)
            return text_escape_len(text + len - back, back) == back ? back : 0;
    }
    return 0;
}

/* How much of a text that may go on is whole; all of it if it is nothing but a part. */
static size_t whole(const char *text, size_t len)
{
    size_t escape = unfinished_escape(text, len);
    size_t part = escape > 0 ? escape : unfinished_character(text, len);
    return part < len ? len - part : len;
}

/* What comes now does not follow what was there. The log keeps the beginning and the
 * end of much output: say what is not there. */
static void take_gap(struct log_join *join, struct log_partial *partial, int64_t missing)
{
    if (partial->text.len > 0)
        take_line(join, partial, partial->text.len);
    str_addf(&partial->text, "(%lld bytes were not kept)", (long long)missing);
    partial->start = partial->next;
    take_line(join, partial, partial->text.len);
}

/* A line ends, and is taken unless it is only the end of one. */
static void end_line(struct log_join *join, struct log_partial *partial)
{
    if (!partial->headless)
        take_line(join, partial, partial->text.len);
    str_clear(&partial->text);
    partial->headless = false;
}

/* There is no room for more of the line. What a carriage return has thrown away already, as a
 * progress bar does, makes room; else a part of the line is taken. */
static void make_room(struct log_join *join, struct log_partial *partial)
{
    const char *text = partial->text.data;
    const char *last = partial->text.len > 1 ? memrchr(text, '\r', partial->text.len - 1) : NULL;
    if (last)
        drop_front(partial, (size_t)(last - text) + 1);
    else
        take_line(join, partial, whole(text, partial->text.len));
}

static void add_bytes(struct log_join *join, struct log_partial *partial, const char *bytes,
                      size_t len, int64_t offset)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        const size_t room = join->line_max - partial->text.len;
        const size_t part = (size_t)(stop - bytes) < room ? (size_t)(stop - bytes) : room;
        if (partial->text.len == 0)
            partial->start = offset + (int64_t)(len - (size_t)(end - bytes));
        str_add_n(&partial->text, bytes, part);
        bytes += part;
        if (bytes < stop) {
            make_room(join, partial);
        } else if (feed) {
            end_line(join, partial);
            bytes++;
        }
    }
}

void log_join_add(struct log_join *join, const struct log_output_row *row, const char *bytes)
{
    struct log_partial *partial = &join->partials[row->stream - 1];
    const size_t len = row->len;
    size_t skipped = 0;
    const int64_t follows = partial->begun ? row->offset - partial->next : 0;
    partial->at_ms = row->at_ms;
    if (follows > 0)
        take_gap(join, partial, follows);
    if (follows < 0) /* what is there already */
        skipped = (uint64_t)-follows < len ? (size_t)-follows : len;

    bool starts_inside = follows > 0 || (!partial->begun && row->offset > 0);
    while (starts_inside && skipped < len && skipped < 3 && utf8_is_inner(bytes[skipped]))
        skipped++;
    partial->headless = partial->headless || (!partial->begun && row->offset > 0);
    partial->begun = true;
    if (row->offset + (int64_t)len > partial->next)
        partial->next = row->offset + (int64_t)len;
    add_bytes(join, partial, bytes + skipped, len - skipped, row->offset + (int64_t)skipped);
}

void log_join_end(struct log_join *join)
{
    for (int i = 0; i < LOG_JOIN_STREAMS; i++) {
        struct log_partial *partial = &join->partials[i];
        if (partial->text.len > 0)
            take_line(join, partial, whole(partial->text.data, partial->text.len));
        str_clear(&partial->text);
    }
}

size_t log_join_open(const struct log_join *join)
{
    size_t open = 0;
    for (int i = 0; i < LOG_JOIN_STREAMS; i++)
        open += join->partials[i].text.len > 0;
    return open;
}
