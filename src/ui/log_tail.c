#include "log_tail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "words.h"
#include "xalloc.h"

enum { STREAMS = 2 };

/* A line that is still being put together from rows of its stream. */
struct partial {
    struct str text;
    int64_t at_ms;
    bool begun;
    int64_t next; /* offset of the byte that comes next */
};

void log_tail_init(struct log_tail *tail)
{
    *tail = (struct log_tail){0};
}

void log_tail_done(struct log_tail *tail)
{
    if (!tail)
        return;
    str_done(&tail->text);
    free(tail->lines);
    log_tail_init(tail);
}

void log_tail_clear(struct log_tail *tail)
{
    str_clear(&tail->text);
    tail->count = 0;
    tail->key = (struct log_output_key){0};
}

/* Make room by dropping the older half of the lines. */
static void drop_old(struct log_tail *tail)
{
    if (tail->count < LOG_TAIL_LINES_MAX)
        return;
    size_t half = tail->count / 2;
    memmove(tail->lines, tail->lines + half, (tail->count - half) * sizeof(*tail->lines));
    tail->count -= half;
}

static void finish_line(struct log_tail *tail, struct partial *partial, int stream)
{
    drop_old(tail);
    size_t start = tail->text.len;
    text_clean(&tail->text, str_text(&partial->text), partial->text.len);
    tail->lines = xgrow(tail->lines, &tail->cap, tail->count + 1, sizeof(*tail->lines));
    tail->lines[tail->count++] = (struct log_line){
        .start = start, .len = tail->text.len - start, .at_ms = partial->at_ms, .stream = stream};
    str_clear(&partial->text);
}

/* The log keeps the beginning and the end of much output: say what is not there. */
static void add_gap(struct log_tail *tail, struct partial *partial,
                    const struct log_output_row *row)
{
    if (!partial->begun || row->offset <= partial->next)
        return;
    if (partial->text.len > 0)
        finish_line(tail, partial, row->stream);
    str_addf(&partial->text, "(%lld bytes were not kept)",
             (long long)(row->offset - partial->next));
    finish_line(tail, partial, row->stream);
}

static void add_row(struct log_tail *tail, struct partial *partial,
                    const struct log_output_row *row, const char *bytes)
{
    const char *end = bytes + row->len;
    partial->at_ms = row->at_ms;
    add_gap(tail, partial, row);
    partial->begun = true;
    partial->next = row->offset + (int64_t)row->len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        str_add_n(&partial->text, bytes, (size_t)(stop - bytes));
        if (!feed)
            return;
        finish_line(tail, partial, row->stream);
        bytes = feed + 1;
    }
}

void log_tail_set(struct log_tail *tail, const struct log_output_key *key,
                  const struct output_page *page, int64_t until_ms)
{
    log_tail_clear(tail);
    tail->key = *key;
    struct partial partials[STREAMS] = {0};
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        bool known = row->stream >= 1 && row->stream <= STREAMS;
        if (known && row->at_ms <= until_ms)
            add_row(tail, &partials[row->stream - 1], row, str_text(&page->text) + row->start);
    }
    for (int i = 0; i < STREAMS; i++) {
        if (partials[i].text.len > 0)
            finish_line(tail, &partials[i], i + 1);
        str_done(&partials[i].text);
    }
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
