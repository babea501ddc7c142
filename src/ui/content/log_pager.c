/* log_pager.c - the walk that numbers the lines; see log_pager_lines.c, _read.c, _find.c, too. */
#include "log_pager.h"

#include <stdlib.h>

#include "log_pager_parts.h"
#include "xalloc.h"

static void count_line(void *ctx, const struct joined_line *line);

static void place_done(struct pager_place *place)
{
    log_join_done(&place->join);
}

void pager_place_copy(struct pager_place *to, const struct pager_place *from)
{
    to->after = from->after;
    to->line = from->line;
    to->bytes = from->bytes;
    to->at_ms = from->at_ms;
    log_join_copy(&to->join, &from->join);
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
        place_done(&pager->marks[i]);
    place_done(&pager->walk);
    place_done(&pager->stable);
    place_done(&pager->probe);
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

void pager_forget_window(struct log_pager *pager)
{
    pager->line_count = 0;
    str_clear(&pager->text);
}

/* Lines from this one on may be others now. */
static void cut(struct log_pager *pager, size_t line)
{
    while (pager->line_count > 0 && pager->lines[pager->line_count - 1].number >= line)
        pager->line_count--;
    pager_set_cut(&pager->found, line);
    pager_set_cut(&pager->errors, line);
    if (pager->rule_line != SIZE_MAX && pager->rule_line >= line)
        pager->rule_line = SIZE_MAX;
}

/* Nothing that was walked through makes way. */
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
    cut(pager, 0);
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

/* To the last mark that is not later than the moment shown. */
static void go_back(struct log_pager *pager)
{
    while (pager->mark_count > 0 && pager->marks[pager->mark_count - 1].at_ms > pager->until_ms)
        pager->mark_count--;
    if (pager->mark_count == 0) {
        start_again(pager);
        return;
    }
    pager_place_copy(&pager->walk, &pager->marks[pager->mark_count - 1]);
}

static void want_anchor(struct log_pager *pager, size_t top)
{
    const struct pager_line *line = pager_window_line(pager, top);
    pager->anchor.is_wanted = line && pager->has_stable && top >= pager->stable.line;
    pager->anchor.is_found = false;
    if (!pager->anchor.is_wanted)
        return;
    pager->anchor.stream = line->stream;
    pager->anchor.offset = line->offset;
    pager->anchor.number = top;
}

void log_pager_news(struct log_pager *pager, int64_t until_ms, size_t top)
{
    if (pager->key.attempt == 0)
        return;
    pager->until_ms = until_ms;
    want_anchor(pager, top);
    if (pager->walk.at_ms > until_ms)
        go_back(pager);
    else if (pager->has_stable)
        pager_place_copy(&pager->walk, &pager->stable);
    forget_tail(pager);
    pager->is_through = false;
    cut(pager, pager->walk.line);
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

/* Of the walk that numbers the lines. */
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

/* Every second mark makes way. */
static void thin_out(struct log_pager *pager)
{
    for (size_t i = 1; i < pager->mark_count / 2; i++) {
        struct pager_place swap = pager->marks[i];
        pager->marks[i] = pager->marks[2 * i];
        pager->marks[2 * i] = swap;
    }
    pager->mark_count /= 2;
    pager->mark_bytes *= 2;
}

static void set_mark(struct log_pager *pager)
{
    const int64_t last = pager->mark_count > 0 ? pager->marks[pager->mark_count - 1].bytes : 0;
    if (pager->has_stable || pager->walk.bytes - last < pager->mark_bytes)
        return;
    if (pager->mark_count == PAGER_MARKS_MAX)
        thin_out(pager);
    pager_place_copy(&pager->marks[pager->mark_count++], &pager->walk);
}

/* The words of an agent come in place of what its program wrote, once there are any. */
static bool is_other_reading(const struct log_pager *pager, const struct log_output_row *row)
{
    return row->stream == LOG_STREAM_AGENT && pager->walk.join.partials[LOG_STREAM_OUT - 1].begun;
}

static void copy_tail(struct log_pager *pager, const struct log_output_row *row)
{
    struct output_page *tail = &pager->tail;
    pager->has_tail = pager->has_tail && tail->text.len + row->len <= PAGER_TAIL_BYTES;
    if (!pager->has_tail)
        return;
    tail->rows = xgrow(tail->rows, &tail->cap, tail->count + 1, sizeof(*tail->rows));
    tail->rows[tail->count] = *row;
    tail->rows[tail->count++].start = tail->text.len;
    str_add_n(&tail->text, str_text(&pager->page.text) + row->start, row->len);
}

/* False: the walk is over for now. */
static bool walk_row(struct log_pager *pager, const struct log_output_row *row)
{
    if (row->at_ms > pager->until_ms)
        return false;
    if (row->replaceable && !pager->has_stable) {
        pager_place_copy(&pager->stable, &pager->walk);
        pager->has_stable = true;
        pager->has_tail = true;
    }
    set_mark(pager);
    if (pager->has_stable)
        copy_tail(pager, row);
    pager_place_add(&pager->walk, row, str_text(&pager->page.text) + row->start);
    return true;
}

void pager_place_add(struct pager_place *place, const struct log_output_row *row, const char *bytes)
{
    if (row->stream >= 1 && row->stream <= LOG_JOIN_STREAMS)
        log_join_add(&place->join, row, bytes);
    place->after = row->id;
    place->bytes += (int64_t)row->len;
    place->at_ms = row->at_ms > place->at_ms ? row->at_ms : place->at_ms;
}

static bool walk_piece(struct log_pager *pager, const struct log_source *source, struct err *err)
{
    struct output_page *page = &pager->page;
    if (!source->read(source->ctx, pager->walk.after, PAGER_PIECE_BYTES, page, err))
        return false;
    pager->is_through = page->count == 0;
    for (size_t i = 0; i < page->count && !pager->is_through; i++) {
        if (is_other_reading(pager, &page->rows[i])) {
            start_again(pager);
            return true;
        }
        pager->is_through = !walk_row(pager, &page->rows[i]);
    }
    return true;
}

bool log_pager_turn(struct log_pager *pager, const struct log_source *source, struct err *err)
{
    bool ok = true;
    pager->walk.join.line_max = PAGER_LINE_MAX;
    pager->walk.join.take = count_line;
    pager->walk.join.ctx = pager;
    for (size_t walked = 0; ok && !pager->is_through && walked < PAGER_TURN_BYTES;
         walked += pager->page.text.len + 1)
        ok = walk_piece(pager, source, err);
    return ok && pager_look(pager, source, err);
}

bool log_pager_is_done(const struct log_pager *pager)
{
    const size_t said = log_pager_said(pager);
    const bool has_looked =
        pager->needle[0] == '\0' || pager->found.upto >= said || pager->found.is_full;
    return pager->is_through && has_looked && (pager->errors.upto >= said || pager->errors.is_full);
}
