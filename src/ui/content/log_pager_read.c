/* log_pager_read.c - lines that are read again, for the window and for searching; see
 * log_pager.h. */
#include "log_pager_parts.h"
#include "text.h"
#include "xalloc.h"

enum { MARGIN_SCREENS = 1 }; /* read above and below what is asked for */

static void take_joined(void *ctx, const struct joined_line *line)
{
    struct pager_reading *reading = ctx;
    if (reading->pager->probe.line == reading->wanted)
        reading->take(reading, line);
    reading->pager->probe.line++;
}

/* The last mark that is not past a line; NULL: from the beginning. */
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

/* A mark may lie between here and the line that is wanted. */
static void jump(struct pager_reading *reading)
{
    struct pager_place *probe = &reading->pager->probe;
    const struct pager_place *mark = mark_before(reading->pager, reading->wanted);
    if (mark && mark->after > probe->after)
        pager_place_copy(probe, mark);
}

/* From the log; what may have made way there, from the copy of it. */
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
    if (page->count == 0 || i < page->count) /* there are no more up to there */
        probe->after = last;
    return true;
}

bool pager_read(struct pager_reading *reading, const struct log_source *source, struct err *err)
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
        jump(reading);
        if (probe->after < pager->walk.after)
            ok = read_piece(reading, source, err);
    }
    if (ok && reading->wanted != SIZE_MAX)
        log_join_end(&probe->join);
    return ok;
}

/* The number of the line after this one that is wanted in the window. */
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

static bool has_all(const struct log_pager *pager, size_t index, size_t count)
{
    for (size_t i = index; i < index + count; i++) {
        if (i < log_pager_count(pager) && !log_pager_line(pager, i))
            return false;
    }
    return true;
}

bool log_pager_load(struct log_pager *pager, const struct log_source *source, size_t index,
                    size_t count, struct err *err)
{
    const size_t margin = count * MARGIN_SCREENS;
    const size_t before = pager->only ? 0 : (size_t)pager->before_count;
    if (pager->key.attempt == 0 || has_all(pager, index, count))
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
