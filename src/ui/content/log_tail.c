#include "log_tail.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "words.h"
#include "xalloc.h"

void log_tail_init(struct log_tail *tail)
{
    *tail = (struct log_tail){0};
}

void log_tail_done(struct log_tail *tail)
{
    if (!tail)
        return;
    log_join_done(&tail->join);
    str_done(&tail->text);
    free(tail->lines);
    log_tail_init(tail);
}

void log_tail_clear(struct log_tail *tail)
{
    log_join_clear(&tail->join);
    str_clear(&tail->text);
    tail->count = 0;
    tail->said = 0;
    tail->key = (struct log_output_key){0};
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
    tail->said = tail->said > half ? tail->said - half : 0;
    for (size_t i = 0; i < tail->count; i++)
        tail->lines[i].start -= start;
    if (start == 0)
        return;
    memmove(tail->text.data, tail->text.data + start, tail->text.len - start + 1);
    tail->text.len -= start;
}

static void add_line(struct log_tail *tail, const struct joined_line *line)
{
    drop_old(tail);
    size_t start = tail->text.len;
    text_clean(&tail->text, line->bytes, line->len);
    tail->lines = xgrow(tail->lines, &tail->cap, tail->count + 1, sizeof(*tail->lines));
    tail->lines[tail->count++] = (struct log_line){
        .start = start,
        .len = tail->text.len - start,
        .at_ms = line->at_ms,
        .offset = line->offset,
        .stream = line->stream,
    };
}

static void take_line(void *ctx, const struct joined_line *line)
{
    struct log_tail *tail = ctx;
    add_line(tail, line);
    tail->said = tail->count;
}

void log_tail_begin(struct log_tail *tail, const struct log_output_key *key)
{
    log_tail_clear(tail);
    tail->key = *key;
    tail->join.line_max = LOG_TAIL_LINE_MAX;
    tail->join.take = take_line;
    tail->join.ctx = tail;
}

void log_tail_add(struct log_tail *tail, const struct output_page *page, int64_t until_ms)
{
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        bool known = row->stream >= 1 && row->stream <= LOG_TAIL_STREAMS;
        if (known && row->at_ms <= until_ms)
            log_join_add(&tail->join, row, str_text(&page->text) + row->start);
    }
}

void log_tail_end(struct log_tail *tail)
{
    log_join_end(&tail->join);
}

void log_tail_say(struct log_tail *tail, int64_t at_ms, const char *text)
{
    const struct joined_line line = {
        .bytes = text, .len = strlen(text), .at_ms = at_ms, .stream = LOG_TAIL_ENGINE};
    add_line(tail, &line);
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
