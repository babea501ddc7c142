/* log_lines.c - joins the rows of an output into lines, and keeps the last lines.
 *
 * A row may end within a character or an escape sequence, so a line is passed on only when it is
 * complete or too long. Text that a carriage return has overwritten, as progress bars do, is
 * dropped first. The last section of this file counts matches of a string in the output of other
 * attempts, a few rows per turn. */
#define _GNU_SOURCE /* memrchr */

#include "log_lines.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "utf8.h"
#include "xalloc.h"

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

/* Removes the first `count` bytes of the buffer. */
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

/* Passes on the first `len` buffered bytes as a line. */
static void pass_line(struct log_join *join, struct log_partial *partial, size_t len)
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

/* Returns the number of trailing bytes that form an incomplete character. */
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

/* Returns the length of the text without an incomplete character or escape sequence at its end, or
 * the full length if that would leave nothing. */
static size_t whole_len(const char *text, size_t len)
{
    size_t part = 0; /* length of an incomplete sequence at the end */
    size_t escape = 1;
    while (escape <= len && text[len - escape] != ESC)
        escape++;
    if (escape <= len && text_escape_len(text + len - escape, escape) == escape)
        part = escape;
    if (part == 0)
        part = unfinished_character(text, len);
    return part < len ? len - part : len;
}

/* Adds bytes of a stream, and passes on each line that they complete. */
static void add_bytes(struct log_join *join, struct log_partial *partial, const char *bytes,
                      size_t len, int64_t offset)
{
    struct str *text = &partial->text;
    const char *end = bytes + len;
    while (bytes < end) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        const size_t room = join->line_max - text->len;
        const size_t part = (size_t)(stop - bytes) < room ? (size_t)(stop - bytes) : room;
        if (text->len == 0)
            partial->start = offset + (int64_t)(len - (size_t)(end - bytes));
        str_add_n(text, bytes, part);
        bytes += part;
        if (bytes < stop) {
            /* The line buffer is full. Drop text that a carriage return has overwritten, as
             * progress bars do; otherwise pass on a part of the line. */
            const char *last = text->len > 1 ? memrchr(text->data, '\r', text->len - 1) : NULL;
            if (last)
                drop_front(partial, (size_t)(last - text->data) + 1);
            else
                pass_line(join, partial, whole_len(text->data, text->len));
        } else if (feed) {
            if (!partial->headless)
                pass_line(join, partial, text->len);
            str_clear(text);
            partial->headless = false; /* the next line starts at a known position */
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
    if (follows > 0) {
        /* For large output, the log only keeps the beginning and the end: report how many bytes are
         * missing. */
        if (partial->text.len > 0)
            pass_line(join, partial, partial->text.len);
        str_addf(&partial->text, "(%lld bytes were not kept)", (long long)follows);
        partial->start = partial->next;
        pass_line(join, partial, partial->text.len);
    }
    if (follows < 0) /* these bytes are already known */
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
            pass_line(join, partial, whole_len(partial->text.data, partial->text.len));
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

/* Adds a line, and drops the older half of the lines if there are too many. */
static void add_line(struct log_tail *tail, const struct joined_line *line)
{
    if (tail->count >= LOG_TAIL_LINES_MAX) {
        const size_t half = tail->count / 2;
        const size_t dropped = tail->lines[half].start;
        memmove(tail->lines, tail->lines + half, (tail->count - half) * sizeof(*tail->lines));
        tail->count -= half;
        tail->said = tail->said > half ? tail->said - half : 0;
        for (size_t i = 0; i < tail->count; i++)
            tail->lines[i].start -= dropped;
        if (dropped > 0) {
            memmove(tail->text.data, tail->text.data + dropped, tail->text.len - dropped + 1);
            tail->text.len -= dropped;
        }
    }
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

static void take_tail_line(void *ctx, const struct joined_line *line)
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
    tail->join.take = take_tail_line;
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

enum { LINE_BYTES_MAX = 4000 };

void log_elsewhere_init(struct log_elsewhere *elsewhere)
{
    *elsewhere = (struct log_elsewhere){0};
}

void log_elsewhere_done(struct log_elsewhere *elsewhere)
{
    log_join_done(&elsewhere->join);
    output_page_done(&elsewhere->page);
    *elsewhere = (struct log_elsewhere){0};
}

void log_elsewhere_stop(struct log_elsewhere *elsewhere)
{
    elsewhere->is_on = false;
}

static void count_matches(void *ctx, const struct joined_line *line)
{
    struct log_elsewhere *elsewhere = ctx;
    struct str clean = {0};
    text_clean(&clean, line->bytes, line->len);
    const bool is_there = words_find(str_text(&clean), clean.len, elsewhere->needle) != NULL;
    if (elsewhere->at.task == elsewhere->own.task)
        elsewhere->in_tries += is_there;
    else
        elsewhere->in_tasks += is_there;
    str_done(&clean);
}

void log_elsewhere_begin(struct log_elsewhere *elsewhere, const struct log_output_key *own,
                         const char *needle, int64_t until_ms)
{
    const struct log_output_key *was = &elsewhere->own;
    if (elsewhere->is_on && was->run == own->run && was->task == own->task &&
        was->step == own->step && was->attempt == own->attempt && elsewhere->until_ms == until_ms &&
        strcmp(elsewhere->needle, needle) == 0)
        return;
    elsewhere->own = *own;
    (void)snprintf(elsewhere->needle, sizeof(elsewhere->needle), "%s", needle);
    elsewhere->until_ms = until_ms;
    elsewhere->is_on = true;
    elsewhere->is_done = false;
    elsewhere->is_cut = false;
    elsewhere->at = *own;
    elsewhere->at.step = 0;
    elsewhere->at.attempt = 0;
    elsewhere->is_among_others = false;
    elsewhere->after = 0;
    elsewhere->bytes = 0;
    elsewhere->in_tries = 0;
    elsewhere->in_tasks = 0;
    log_join_clear(&elsewhere->join);
    elsewhere->join.line_max = LINE_BYTES_MAX;
    elsewhere->join.take = count_matches;
    elsewhere->join.ctx = elsewhere;
}

/* Moves to the next attempt that is not `own`: first through the other attempts of its task, then
 * through the other tasks. Returns false after the last one. */
static bool find_next_try(struct log_elsewhere *elsewhere, const struct run_state *state)
{
    const struct log_output_key *own = &elsewhere->own;
    struct log_output_key *at = &elsewhere->at;
    do {
        const struct step_state *steps = state->tasks[at->task].steps;
        if ((size_t)at->attempt < steps[at->step].attempt_count) {
            at->attempt++;
            continue;
        }
        at->attempt = 0;
        if (++at->step < state->plan->tasks[at->task].step_count)
            continue;
        int task = elsewhere->is_among_others ? at->task + 1 : 0;
        task += task == own->task;
        if (task >= state->plan->task_count)
            return false;
        elsewhere->is_among_others = true;
        at->task = task;
        at->step = 0;
    } while (at->attempt == 0 ||
             (at->task == own->task && at->step == own->step && at->attempt == own->attempt));
    elsewhere->after = 0;
    log_join_clear(&elsewhere->join);
    return true;
}

/* Counts the matches in the rows of the page. Returns false once the attempt has no more rows to
 * search. */
static bool add_rows(struct log_elsewhere *elsewhere)
{
    const struct output_page *page = &elsewhere->page;
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        if (row->at_ms > elsewhere->until_ms)
            return false;
        if (row->stream >= 1 && row->stream <= LOG_JOIN_STREAMS)
            log_join_add(&elsewhere->join, row, str_text(&page->text) + row->start);
        elsewhere->after = row->id;
    }
    elsewhere->bytes += (int64_t)page->text.len;
    return page->count > 0;
}

bool log_elsewhere_turn(struct log_elsewhere *elsewhere, const struct run_state *state,
                        const struct elsewhere_source *source, struct err *err)
{
    const int64_t end = elsewhere->bytes + ELSEWHERE_TURN_BYTES;
    int tries = 0;
    while (!elsewhere->is_done && elsewhere->bytes < end && tries < ELSEWHERE_TURN_TRIES) {
        if (elsewhere->at.attempt > 0) {
            if (!source->read(source->ctx, &elsewhere->at, elsewhere->after, ELSEWHERE_PIECE_BYTES,
                              &elsewhere->page, err))
                return false;
            if (add_rows(elsewhere))
                continue;
            log_join_end(&elsewhere->join);
        }
        tries++;
        elsewhere->is_cut = elsewhere->bytes >= ELSEWHERE_BYTES_MAX;
        elsewhere->is_done = elsewhere->is_cut || !find_next_try(elsewhere, state);
    }
    return true;
}

void log_elsewhere_words(const struct log_elsewhere *elsewhere, struct str *out)
{
    const char *more = elsewhere->is_cut ? "+" : "";
    str_addf(out, "\"%s\" not found in this log; in other tries: %zu%s; in other tasks: %zu%s",
             elsewhere->needle, elsewhere->in_tries, more, elsewhere->in_tasks, more);
}
