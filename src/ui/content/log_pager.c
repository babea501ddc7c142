/* log_pager.c - pages through an output of any length.
 *
 * One walk over the rows counts the lines and sets marks, a limited part per turn. To show or
 * search lines, the rows are read again from the preceding mark. If there are too many marks, every
 * second one is dropped, so memory is bounded. The log may replace the rows of a live tail, so the
 * pager has a copy of them. */
#include "log_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "text.h"
#include "xalloc.h"

void log_pager_unsay(struct log_pager *pager)
{
    pager->before_count = 0;
    pager->after_count = 0;
    str_clear(&pager->words);
}

static void say_line(struct log_pager *pager, struct pager_line *lines, int *count, int64_t at_ms,
                     const char *text)
{
    if (*count == PAGER_WORDS_MAX)
        return;
    const size_t start = pager->words.len;
    text_clean(&pager->words, text, strlen(text));
    for (size_t i = start; i < pager->words.len; i++) {
        if (pager->words.data[i] == '\n')
            pager->words.data[i] = ' ';
    }
    lines[(*count)++] = (struct pager_line){
        .start = start, .len = pager->words.len - start, .at_ms = at_ms, .stream = PAGER_ENGINE};
}

void log_pager_say_before(struct log_pager *pager, int64_t at_ms, const char *text)
{
    say_line(pager, pager->before, &pager->before_count, at_ms, text);
}

void log_pager_say_after(struct log_pager *pager, int64_t at_ms, const char *text)
{
    say_line(pager, pager->after, &pager->after_count, at_ms, text);
}

size_t log_pager_said(const struct log_pager *pager)
{
    return pager->walk.line + log_join_open(&pager->walk.join);
}

/* Empties the window. */
static void pager_forget_window(struct log_pager *pager)
{
    pager->line_count = 0;
    str_clear(&pager->text);
}

void log_pager_show_only(struct log_pager *pager, bool only)
{
    if (pager->only == only)
        return;
    pager->only = only;
    pager_forget_window(pager);
}

size_t log_pager_count(const struct log_pager *pager)
{
    if (pager->only)
        return pager->found.count;
    return log_pager_said(pager) + (size_t)(pager->before_count + pager->after_count);
}

size_t log_pager_number(const struct log_pager *pager, size_t index)
{
    if (pager->only)
        return index < pager->found.count ? pager->found.lines[index] : log_pager_said(pager);
    const size_t before = (size_t)pager->before_count;
    return index > before ? index - before : 0;
}

size_t log_pager_index(const struct log_pager *pager, size_t number)
{
    if (pager->only)
        return number > 0 ? pager_set_rank(&pager->found, number - 1) : 0;
    return number + (size_t)pager->before_count;
}

/* Returns the line with this number if it is in the window, or NULL. */
static const struct pager_line *pager_window_line(const struct log_pager *pager, size_t number)
{
    size_t from = 0;
    size_t to = pager->line_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (pager->lines[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    const bool is_there = from < pager->line_count && pager->lines[from].number == number;
    return is_there ? &pager->lines[from] : NULL;
}

const struct pager_line *log_pager_line(const struct log_pager *pager, size_t index)
{
    const size_t before = pager->only ? 0 : (size_t)pager->before_count;
    const size_t said = log_pager_said(pager);
    if (index >= log_pager_count(pager))
        return NULL;
    if (index < before)
        return &pager->before[index];
    if (!pager->only && index - before >= said)
        return &pager->after[index - before - said];
    return pager_window_line(pager, log_pager_number(pager, index));
}

const char *log_pager_text(const struct log_pager *pager, const struct pager_line *line)
{
    const struct str *text = line->stream == PAGER_ENGINE ? &pager->words : &pager->text;
    return str_text(text) + line->start;
}

/* Margin above and below the requested lines, as a multiple of their number. */
enum { MARGIN_SCREENS = 1 };

static void take_joined(void *ctx, const struct joined_line *line)
{
    struct pager_reading *reading = ctx;
    if (reading->pager->probe.line == reading->wanted)
        reading->take(reading, line);
    reading->pager->probe.line++;
}

/* Returns the last mark at or before a line, or NULL: start at the beginning. */
static const struct pager_place *mark_before(const struct log_pager *pager, size_t line)
{
    size_t from = 0;
    size_t to = pager->mark_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (pager->marks[middle].line <= line)
            from = middle + 1;
        else
            to = middle;
    }
    return from > 0 ? &pager->marks[from - 1] : NULL;
}

/* Copies `from` to `to`; each keeps its own memory. */
static void pager_place_copy(struct pager_place *to, const struct pager_place *from)
{
    to->after = from->after;
    to->line = from->line;
    to->bytes = from->bytes;
    to->at_ms = from->at_ms;
    log_join_copy(&to->join, &from->join);
}

/* Advances the position by the next row. */
static void pager_place_add(struct pager_place *place, const struct log_output_row *row,
                            const char *bytes)
{
    if (row->stream >= 1 && row->stream <= LOG_JOIN_STREAMS)
        log_join_add(&place->join, row, bytes);
    place->after = row->id;
    place->bytes += (int64_t)row->len;
    place->at_ms = row->at_ms > place->at_ms ? row->at_ms : place->at_ms;
}

/* Reads rows from the log, or from our copy if the log may have replaced them. */
static bool read_piece(struct pager_reading *reading, const struct log_source *source,
                       struct err *err)
{
    struct log_pager *pager = reading->pager;
    struct pager_place *probe = &pager->probe;
    const bool is_copied = pager->has_tail && probe->after >= pager->stable.after;
    const int64_t last = pager->has_tail && !is_copied ? pager->stable.after : pager->walk.after;
    struct output_page *page = is_copied ? &pager->tail : &pager->page;
    if (!is_copied && !source->read(source->ctx, probe->after, PAGER_PIECE_BYTES, page, err))
        return false;
    size_t i = 0;
    for (; i < page->count && page->rows[i].id <= last; i++) {
        if (page->rows[i].id > probe->after)
            pager_place_add(probe, &page->rows[i], str_text(&page->text) + page->rows[i].start);
    }
    if (page->count == 0 || i < page->count) /* all rows up to `last` have been read */
        probe->after = last;
    return true;
}

/* Reads the rows from the start up to the position of the walk, and calls reading->take for each
 * wanted line, including lines that are unfinished there. */
static bool pager_read(struct pager_reading *reading, const struct log_source *source,
                       struct err *err)
{
    struct log_pager *pager = reading->pager;
    struct pager_place *probe = &pager->probe;
    bool ok = true;
    log_join_clear(&probe->join);
    probe->join.line_max = PAGER_LINE_MAX;
    probe->join.take = take_joined;
    probe->join.ctx = reading;
    probe->after = 0;
    probe->line = 0;
    probe->bytes = 0;
    while (ok && reading->wanted != SIZE_MAX && probe->after < pager->walk.after) {
        /* Skip ahead if there is a mark between here and the wanted line. */
        const struct pager_place *mark = mark_before(pager, reading->wanted);
        if (mark && mark->after > probe->after)
            pager_place_copy(probe, mark);
        if (probe->after < pager->walk.after)
            ok = read_piece(reading, source, err);
    }
    if (ok && reading->wanted != SIZE_MAX)
        log_join_end(&probe->join);
    return ok;
}

/* Returns the number of the next line for the window, or SIZE_MAX if the window is complete. */
static size_t next_wanted(const struct pager_reading *reading)
{
    const struct log_pager *pager = reading->pager;
    if (reading->count >= reading->want_count || pager->text.len >= PAGER_WINDOW_BYTES)
        return SIZE_MAX;
    const size_t next = reading->first + reading->count;
    if (!pager->only)
        return next;
    return next < pager->found.count ? pager->found.lines[next] : SIZE_MAX;
}

static void keep_line(struct pager_reading *reading, const struct joined_line *line)
{
    struct log_pager *pager = reading->pager;
    const size_t start = pager->text.len;
    text_clean(&pager->text, line->bytes, line->len);
    pager->lines =
        xgrow(pager->lines, &pager->line_cap, pager->line_count + 1, sizeof(*pager->lines));
    pager->lines[pager->line_count++] = (struct pager_line){
        .number = reading->wanted,
        .start = start,
        .len = pager->text.len - start,
        .at_ms = line->at_ms,
        .offset = line->offset,
        .stream = line->stream,
    };
    reading->count++;
    reading->wanted = next_wanted(reading);
}

bool log_pager_load(struct log_pager *pager, const struct log_source *source, size_t index,
                    size_t count, struct err *err)
{
    const size_t margin = count * MARGIN_SCREENS;
    const size_t before = pager->only ? 0 : (size_t)pager->before_count;
    bool has_all = true;
    if (pager->key.attempt == 0)
        return true;
    for (size_t i = index; i < index + count && has_all; i++)
        has_all = i >= log_pager_count(pager) || log_pager_line(pager, i);
    if (has_all)
        return true;
    struct pager_reading reading = {.pager = pager, .take = keep_line};
    const size_t place = index > before + margin ? index - before - margin : 0;
    reading.first = place;
    reading.want_count = count + 2 * margin;
    if (reading.want_count > PAGER_LINES_MAX)
        reading.want_count = PAGER_LINES_MAX;
    pager->line_count = 0;
    str_clear(&pager->text);
    reading.wanted = next_wanted(&reading);
    return pager_read(&reading, source, err);
}

size_t pager_set_rank(const struct pager_set *set, size_t line)
{
    size_t from = 0;
    size_t to = set->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (set->lines[middle] <= line)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Removes lines from `line` on, which may have changed, from the set. */
static void pager_set_cut(struct pager_set *set, size_t line)
{
    const size_t left = line > 0 ? pager_set_rank(set, line - 1) : 0;
    set->is_full = set->is_full && left == set->count;
    set->count = left;
    set->upto = set->upto < line ? set->upto : line;
}

static void set_add(struct pager_set *set, size_t line)
{
    set->is_full = set->count == PAGER_SET_MAX;
    if (set->is_full)
        return;
    set->lines = xgrow(set->lines, &set->cap, set->count + 1, sizeof(*set->lines));
    set->lines[set->count++] = line;
}

enum pager_next log_pager_next(const struct log_pager *pager, const struct pager_set *set,
                               int64_t from, int step, size_t *line_out)
{
    const bool is_looked = pager->is_through && set->upto >= log_pager_said(pager);
    const bool is_over = is_looked || set->is_full;
    if (step > 0) {
        const size_t after = from < 0 ? 0 : pager_set_rank(set, (size_t)from);
        if (after == set->count)
            return is_over ? PAGER_NEXT_NONE : PAGER_NEXT_LATER;
        *line_out = set->lines[after];
        return PAGER_NEXT_FOUND;
    }
    const size_t before = from <= 0 ? 0 : pager_set_rank(set, (size_t)from - 1);
    if (!is_over && (int64_t)set->upto < from)
        return PAGER_NEXT_LATER;
    if (before == 0)
        return PAGER_NEXT_NONE;
    *line_out = set->lines[before - 1];
    return PAGER_NEXT_FOUND;
}

void log_pager_search(struct log_pager *pager, const char *needle)
{
    if (strcmp(pager->needle, needle) == 0)
        return;
    (void)snprintf(pager->needle, sizeof(pager->needle), "%s", needle);
    pager_set_cut(&pager->found, 0);
    if (pager->only) {
        pager->line_count = 0;
        str_clear(&pager->text);
    }
}

void log_pager_set_rule(struct log_pager *pager, const struct verdict *verdict)
{
    const enum verdict_stream stream = verdict ? verdict->stream : VERDICT_STREAM_NONE;
    if (pager->rule_stream == stream && verdict && pager->rule_offset == verdict->offset)
        return;
    pager->rule_stream = stream;
    pager->rule_offset = verdict ? verdict->offset : 0;
    pager->rule[0] = '\0';
    if (verdict)
        (void)snprintf(pager->rule, sizeof(pager->rule), "%s", verdict->rule);
    pager->rule_line = SIZE_MAX;
    pager_set_cut(&pager->errors, 0);
}

bool log_pager_is_rule(const struct log_pager *pager, const struct pager_line *line)
{
    return line->number == pager->rule_line && line->stream != PAGER_ENGINE;
}

static size_t next_looked(struct pager_reading *reading)
{
    const struct log_pager *pager = reading->pager;
    reading->set->upto++;
    return reading->count < PAGER_LOOK_BYTES && reading->set->upto < log_pager_said(pager)
               ? reading->set->upto
               : SIZE_MAX;
}

static void look_for_needle(struct pager_reading *reading, const struct joined_line *line)
{
    struct str clean = {0};
    text_clean(&clean, line->bytes, line->len);
    if (words_find(str_text(&clean), clean.len, reading->pager->needle))
        set_add(reading->set, reading->wanted);
    reading->count += line->len + 1;
    str_done(&clean);
    reading->wanted = next_looked(reading);
}

static void look_for_error(struct pager_reading *reading, const struct joined_line *line)
{
    struct log_pager *pager = reading->pager;
    struct str clean = {0};
    text_clean(&clean, line->bytes, line->len < ERROR_LINE_BYTES ? line->len : ERROR_LINE_BYTES);
    int rule_stream = -1;
    if (pager->rule_stream == VERDICT_STREAM_OUT)
        rule_stream = LOG_STREAM_OUT;
    else if (pager->rule_stream == VERDICT_STREAM_ERR)
        rule_stream = LOG_STREAM_ERR;
    const bool is_rule = line->stream == rule_stream && pager->rule_offset >= line->offset &&
                         pager->rule_offset <= line->offset + (int64_t)line->len;
    if (is_rule)
        pager->rule_line = reading->wanted;
    if (is_rule || line_is_error(str_text(&clean), clean.len))
        set_add(reading->set, reading->wanted);
    reading->count += line->len + 1;
    str_done(&clean);
    reading->wanted = next_looked(reading);
}

static bool look_for(struct log_pager *pager, struct pager_set *set, pager_take_fn *take,
                     const struct log_source *source, struct err *err)
{
    struct pager_reading reading = {.pager = pager, .take = take, .set = set, .wanted = set->upto};
    const size_t said = log_pager_said(pager);
    if (set->upto >= said)
        return true;
    if (!pager_read(&reading, source, err))
        return false;
    if (reading.count == 0) /* the rows were replaced; the new ones arrive with the next news */
        set->upto = said;
    return true;
}

static void place_start(struct pager_place *place)
{
    place->after = 0;
    place->line = 0;
    place->bytes = 0;
    place->at_ms = INT64_MIN;
    log_join_clear(&place->join);
}

void log_pager_init(struct log_pager *pager)
{
    *pager = (struct log_pager){
        .until_ms = INT64_MAX, .rule_line = SIZE_MAX, .mark_bytes = PAGER_MARK_BYTES};
    pager->marks = xcalloc(PAGER_MARKS_MAX, sizeof(*pager->marks));
    place_start(&pager->walk);
}

void log_pager_done(struct log_pager *pager)
{
    for (size_t i = 0; pager->marks && i < PAGER_MARKS_MAX; i++)
        log_join_done(&pager->marks[i].join);
    log_join_done(&pager->walk.join);
    log_join_done(&pager->stable.join);
    log_join_done(&pager->probe.join);
    free(pager->marks);
    output_page_done(&pager->page);
    output_page_done(&pager->tail);
    str_done(&pager->text);
    free(pager->lines);
    str_done(&pager->words);
    free(pager->found.lines);
    free(pager->errors.lines);
    *pager = (struct log_pager){0};
}

/* Forgets lines from `line` on, which may have changed. */
static void cut_lines(struct log_pager *pager, size_t line)
{
    while (pager->line_count > 0 && pager->lines[pager->line_count - 1].number >= line)
        pager->line_count--;
    pager_set_cut(&pager->found, line);
    pager_set_cut(&pager->errors, line);
    if (pager->rule_line != SIZE_MAX && pager->rule_line >= line)
        pager->rule_line = SIZE_MAX;
}

/* Forgets the live tail: no walked row is replaceable. */
static void forget_tail(struct log_pager *pager)
{
    pager->has_stable = false;
    pager->has_tail = false;
    pager->tail.count = 0;
    str_clear(&pager->tail.text);
}

static void start_again(struct log_pager *pager)
{
    place_start(&pager->walk);
    forget_tail(pager);
    pager->is_through = false;
    pager->mark_count = 0;
    pager->mark_bytes = PAGER_MARK_BYTES;
    pager_forget_window(pager);
    cut_lines(pager, 0);
}

void log_pager_begin(struct log_pager *pager, const struct log_output_key *key)
{
    pager->key = *key;
    pager->until_ms = INT64_MAX;
    pager->anchor.is_wanted = false;
    log_pager_unsay(pager);
    log_pager_set_rule(pager, NULL);
    start_again(pager);
    pager->is_through = key->attempt == 0;
}

void log_pager_news(struct log_pager *pager, int64_t until_ms, size_t top)
{
    if (pager->key.attempt == 0)
        return;
    pager->until_ms = until_ms;
    const struct pager_line *line = pager_window_line(pager, top);
    pager->anchor.is_wanted = line && pager->has_stable && top >= pager->stable.line;
    pager->anchor.is_found = false;
    if (pager->anchor.is_wanted) {
        pager->anchor.stream = line->stream;
        pager->anchor.offset = line->offset;
        pager->anchor.number = top;
    }
    if (pager->walk.at_ms > until_ms) {
        /* Go back to the last mark not later than the moment on screen. */
        while (pager->mark_count > 0 && pager->marks[pager->mark_count - 1].at_ms > until_ms)
            pager->mark_count--;
        if (pager->mark_count > 0)
            pager_place_copy(&pager->walk, &pager->marks[pager->mark_count - 1]);
        else
            start_again(pager);
    } else if (pager->has_stable) {
        pager_place_copy(&pager->walk, &pager->stable);
    }
    forget_tail(pager);
    pager->is_through = false;
    cut_lines(pager, pager->walk.line);
}

bool log_pager_is_fleeting(const struct log_pager *pager, size_t line)
{
    return pager->has_tail && line >= pager->stable.line;
}

bool log_pager_moved(struct log_pager *pager, size_t *line_out)
{
    const bool is_there = pager->anchor.is_wanted && pager->anchor.is_found;
    if (is_there)
        *line_out = pager->anchor.number;
    pager->anchor.is_wanted = pager->anchor.is_wanted && !is_there && !pager->is_through;
    return is_there;
}

/* Counts a line of the walk, and checks whether it is the anchor. */
static void count_line(void *ctx, const struct joined_line *line)
{
    struct log_pager *pager = ctx;
    if (pager->anchor.is_wanted && !pager->anchor.is_found &&
        line->stream == pager->anchor.stream && line->offset >= pager->anchor.offset) {
        pager->anchor.is_found = true;
        pager->anchor.number = pager->walk.line;
    }
    pager->walk.line++;
}

/* Marks the position of the walk if it is far enough from the last mark. If there are too many
 * marks, drops every second one. */
static void set_mark(struct log_pager *pager)
{
    const int64_t last = pager->mark_count > 0 ? pager->marks[pager->mark_count - 1].bytes : 0;
    if (pager->has_stable || pager->walk.bytes - last < pager->mark_bytes)
        return;
    if (pager->mark_count == PAGER_MARKS_MAX) {
        for (size_t i = 1; i < pager->mark_count / 2; i++) {
            struct pager_place swap = pager->marks[i];
            pager->marks[i] = pager->marks[2 * i];
            pager->marks[2 * i] = swap;
        }
        pager->mark_count /= 2;
        pager->mark_bytes *= 2;
    }
    pager_place_copy(&pager->marks[pager->mark_count++], &pager->walk);
}

/* Adds a row to the walk. Returns false if the row is later than the moment on screen. */
static bool walk_row(struct log_pager *pager, const struct log_output_row *row)
{
    const char *bytes = str_text(&pager->page.text) + row->start;
    struct output_page *tail = &pager->tail;
    if (row->at_ms > pager->until_ms)
        return false;
    if (row->replaceable && !pager->has_stable) {
        pager_place_copy(&pager->stable, &pager->walk);
        pager->has_stable = true;
        pager->has_tail = true;
    }
    set_mark(pager);
    if (pager->has_stable)
        pager->has_tail = pager->has_tail && tail->text.len + row->len <= PAGER_TAIL_BYTES;
    if (pager->has_stable && pager->has_tail) {
        tail->rows = xgrow(tail->rows, &tail->cap, tail->count + 1, sizeof(*tail->rows));
        tail->rows[tail->count] = *row;
        tail->rows[tail->count++].start = tail->text.len;
        str_add_n(&tail->text, bytes, row->len);
    }
    pager_place_add(&pager->walk, row, bytes);
    return true;
}

static bool walk_piece(struct log_pager *pager, const struct log_source *source, struct err *err)
{
    struct output_page *page = &pager->page;
    if (!source->read(source->ctx, pager->walk.after, PAGER_PIECE_BYTES, page, err))
        return false;
    pager->is_through = page->count == 0;
    for (size_t i = 0; i < page->count && !pager->is_through; i++) {
        /* Text extracted from an agent's output replaces the raw output as soon as there is
         * some. */
        if (page->rows[i].stream == LOG_STREAM_AGENT &&
            pager->walk.join.partials[LOG_STREAM_OUT - 1].begun) {
            start_again(pager);
            return true;
        }
        pager->is_through = !walk_row(pager, &page->rows[i]);
    }
    return true;
}

bool log_pager_turn(struct log_pager *pager, const struct log_source *source, struct err *err)
{
    pager->walk.join.line_max = PAGER_LINE_MAX;
    pager->walk.join.take = count_line;
    pager->walk.join.ctx = pager;
    for (size_t walked = 0; !pager->is_through && walked < PAGER_TURN_BYTES;
         walked += pager->page.text.len + 1) {
        if (!walk_piece(pager, source, err))
            return false;
    }
    /* Search some more of the lines that were walked. */
    if (pager->needle[0] != '\0' && !pager->found.is_full &&
        !look_for(pager, &pager->found, look_for_needle, source, err))
        return false;
    return pager->errors.is_full || look_for(pager, &pager->errors, look_for_error, source, err);
}

bool log_pager_is_done(const struct log_pager *pager)
{
    const size_t said = log_pager_said(pager);
    const bool has_looked =
        pager->needle[0] == '\0' || pager->found.upto >= said || pager->found.is_full;
    return pager->is_through && has_looked && (pager->errors.upto >= said || pager->errors.is_full);
}
