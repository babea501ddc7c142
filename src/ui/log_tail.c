#include "log_tail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "words.h"
#include "xalloc.h"

enum { ESC = 0x1b };

void log_tail_init(struct log_tail *tail)
{
    *tail = (struct log_tail){0};
}

void log_tail_done(struct log_tail *tail)
{
    if (!tail)
        return;
    for (int i = 0; i < LOG_TAIL_STREAMS; i++)
        str_done(&tail->partials[i].text);
    str_done(&tail->text);
    free(tail->lines);
    log_tail_init(tail);
}

void log_tail_clear(struct log_tail *tail)
{
    for (int i = 0; i < LOG_TAIL_STREAMS; i++) {
        struct str text = tail->partials[i].text;
        str_clear(&text);
        tail->partials[i] = (struct log_partial){.text = text};
    }
    str_clear(&tail->text);
    tail->count = 0;
    tail->key = (struct log_output_key){0};
}

/* Forget the first bytes of a text. */
static void drop_front(struct str *text, size_t count)
{
    if (count == 0)
        return;
    assert(count <= text->len);
    memmove(text->data, text->data + count, text->len - count + 1);
    text->len -= count;
}

/* Make room by dropping the older half of the lines. */
static void drop_old(struct log_tail *tail)
{
    if (tail->count < LOG_TAIL_LINES_MAX)
        return;
    size_t half = tail->count / 2;
    size_t start = tail->lines[half].start;
    memmove(tail->lines, tail->lines + half, (tail->count - half) * sizeof(*tail->lines));
    tail->count -= half;
    for (size_t i = 0; i < tail->count; i++)
        tail->lines[i].start -= start;
    drop_front(&tail->text, start);
}

/* The first `len` bytes of what is there become a line. */
static void take_line(struct log_tail *tail, struct log_partial *partial, size_t len)
{
    drop_old(tail);
    size_t start = tail->text.len;
    text_clean(&tail->text, str_text(&partial->text), len);
    tail->lines = xgrow(tail->lines, &tail->cap, tail->count + 1, sizeof(*tail->lines));
    tail->lines[tail->count++] = (struct log_line){
        .start = start,
        .len = tail->text.len - start,
        .at_ms = partial->at_ms,
        .stream = (int)(partial - tail->partials) + 1,
    };
    drop_front(&partial->text, len);
    partial->headless = false;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0U) == 0x80U;
}

/* Bytes at the end that are the beginning of a character. */
static size_t unfinished_character(const char *text, size_t len)
{
    size_t back = 1;
    while (back < 4 && back < len && is_continuation(text[len - back]))
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
static void add_gap(struct log_tail *tail, struct log_partial *partial, int64_t missing)
{
    if (partial->text.len > 0)
        take_line(tail, partial, partial->text.len);
    str_addf(&partial->text, "(%lld bytes were not kept)", (long long)missing);
    take_line(tail, partial, partial->text.len);
}

/* A line ends, and is shown unless it is only the end of one. */
static void end_line(struct log_tail *tail, struct log_partial *partial)
{
    if (!partial->headless)
        take_line(tail, partial, partial->text.len);
    str_clear(&partial->text);
    partial->headless = false;
}

static void add_bytes(struct log_tail *tail, struct log_partial *partial, const char *bytes,
                      size_t len)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        size_t room = LOG_TAIL_LINE_MAX - partial->text.len;
        if ((size_t)(stop - bytes) >= room) {
            str_add_n(&partial->text, bytes, room);
            take_line(tail, partial, whole(partial->text.data, partial->text.len));
            bytes += room;
            continue;
        }
        str_add_n(&partial->text, bytes, (size_t)(stop - bytes));
        if (!feed)
            return;
        end_line(tail, partial);
        bytes = feed + 1;
    }
}

static void add_row(struct log_tail *tail, const struct log_output_row *row, const char *bytes)
{
    struct log_partial *partial = &tail->partials[row->stream - 1];
    size_t len = row->len;
    size_t skipped = 0;
    int64_t follows = partial->begun ? row->offset - partial->next : 0;
    partial->at_ms = row->at_ms;
    if (follows > 0)
        add_gap(tail, partial, follows);
    if (follows < 0) /* what is there already */
        skipped = (uint64_t)-follows < len ? (size_t)-follows : len;

    bool starts_inside = follows > 0 || (!partial->begun && row->offset > 0);
    while (starts_inside && skipped < len && skipped < 3 && is_continuation(bytes[skipped]))
        skipped++;
    partial->headless = partial->headless || (!partial->begun && row->offset > 0);
    partial->begun = true;
    if (row->offset + (int64_t)len > partial->next)
        partial->next = row->offset + (int64_t)len;
    add_bytes(tail, partial, bytes + skipped, len - skipped);
}

void log_tail_begin(struct log_tail *tail, const struct log_output_key *key)
{
    log_tail_clear(tail);
    tail->key = *key;
}

void log_tail_add(struct log_tail *tail, const struct output_page *page, int64_t until_ms)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        bool known = row->stream >= 1 && row->stream <= LOG_TAIL_STREAMS;
        if (known && row->at_ms <= until_ms)
            add_row(tail, row, str_text(&page->text) + row->start);
    }
}

void log_tail_end(struct log_tail *tail)
{
    for (int i = 0; i < LOG_TAIL_STREAMS; i++) {
        struct log_partial *partial = &tail->partials[i];
        if (partial->text.len > 0)
            take_line(tail, partial, whole(partial->text.data, partial->text.len));
        str_clear(&partial->text);
    }
}

void log_tail_set(struct log_tail *tail, const struct log_output_key *key,
                  const struct output_page *page, int64_t until_ms)
{
    log_tail_begin(tail, key);
    log_tail_add(tail, page, until_ms);
    log_tail_end(tail);
}

const char *log_tail_line(const struct log_tail *tail, size_t index)
{
    assert(index < tail->count);
    return str_text(&tail->text) + tail->lines[index].start;
}

size_t log_tail_find(const struct log_tail *tail, const char *needle, size_t from, int step)
{
    assert(step == 1 || step == -1);
    for (size_t i = from; i < tail->count; i += (size_t)step) {
        if (words_find(log_tail_line(tail, i), tail->lines[i].len, needle))
            return i;
    }
    return tail->count;
}
