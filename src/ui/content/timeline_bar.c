#include "timeline_bar.h"

#include <assert.h>

#include "attr.h"
#include "phase.h"
#include "shown.h"

/* What is told before what, where a column is short. */
enum {
    RANK_NONE,
    RANK_RUNNING,
    RANK_QUIET,
    RANK_WAIT,
    RANK_SHORT, /* what ran, and would have no column else */
    RANK_END,   /* and more: enum span_end */
};

static const char *const letters[PHASE_COUNT][2] = {
    [PHASE_RED] = {"R", "r"},
    [PHASE_GREEN] = {"G", "g"},
    [PHASE_VERIFY] = {"V", "v"},
    [PHASE_REFACTOR] = {"F", "f"},
};
static const enum style phase_styles[PHASE_COUNT] = {
    [PHASE_RED] = STYLE_PHASE_RED,
    [PHASE_GREEN] = STYLE_PHASE_GREEN,
    [PHASE_VERIFY] = STYLE_PHASE_VERIFY,
    [PHASE_REFACTOR] = STYLE_PHASE_REFACTOR,
};

static const struct {
    const char *sign;
    enum style style;
} ends[] = {
    [SPAN_END_NONE] = {" ", STYLE_PLAIN},      [SPAN_END_PASSED] = {"✓", STYLE_PASSED},
    [SPAN_END_CANCELLED] = {"⊘", STYLE_PLAIN}, [SPAN_END_LOST] = {"?", STYLE_LOST},
    [SPAN_END_FAILED] = {"✗", STYLE_FAILED},   [SPAN_END_STUCK] = {"∞", STYLE_FAILED},
    [SPAN_END_GAVE_UP] = {"■", STYLE_FAILED},
};
static_assert(ARRAY_LEN(ends) == SPAN_END_COUNT, "every end has a sign");

/* The sign of a span by itself. */
static struct bar_cell cell_of(const struct span *span, const struct plan_task *plan)
{
    const enum phase phase = plan->steps[span->step].phase;
    switch (span->kind) {
    case SPAN_RUNNING:
        return (struct bar_cell){phase_styles[phase], letters[phase][0], 0, RANK_RUNNING};
    case SPAN_QUIET:
        return (struct bar_cell){phase_styles[phase], letters[phase][1], 0, RANK_QUIET};
    case SPAN_BACKOFF:
    case SPAN_GATE:
        return (struct bar_cell){STYLE_BACKOFF, "┄", 0, RANK_WAIT};
    case SPAN_HELD:
        return (struct bar_cell){STYLE_HELD, shown_sign(SHOWN_HELD, false), 0, RANK_WAIT};
    case SPAN_NEEDS_YOU:
        return (struct bar_cell){STYLE_NEEDS_YOU, shown_sign(SHOWN_NEEDS_YOU, false), 0, RANK_WAIT};
    case SPAN_QUEUED:
    case SPAN_OVER:
    case SPAN_KIND_COUNT:
        break;
    }
    return (struct bar_cell){STYLE_PLAIN, " ", 0, RANK_NONE};
}

static void put(struct bar_cell *cell, struct bar_cell wanted, int span)
{
    if (wanted.rank < cell->rank || (wanted.rank == RANK_NONE && cell->span >= 0))
        return;
    *cell = wanted;
    cell->span = span;
}

/* Its columns: those in which it has any time, one at least. False: none is in sight. */
static bool columns_of(const struct span *span, const struct timeline_axis *axis, int *first_out,
                       int *last_out)
{
    const int64_t last_ms = span->until_ms > span->from_ms ? span->until_ms - 1 : span->from_ms;
    const int first = axis_column(axis, span->from_ms);
    const int last = axis_column(axis, last_ms);
    *first_out = first > 0 ? first : 0;
    *last_out = last < axis->columns ? last : axis->columns - 1;
    return last >= 0 && first < axis->columns;
}

static bool runs(const struct span *span)
{
    return span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
}

/* Has it a column that tells of it? */
static bool is_told(const struct bar_cell *cells, int first, int last, int span)
{
    for (int i = first; i <= last; i++) {
        if (cells[i].span == span)
            return true;
    }
    return false;
}

static void put_short(const struct timeline *timeline, const struct plan_task *plan,
                      const struct timeline_axis *axis, struct bar_cell *cells)
{
    int first, last;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct span *span = &timeline->spans[i];
        if (!runs(span) || !columns_of(span, axis, &first, &last) ||
            is_told(cells, first, last, (int)i))
            continue;
        struct bar_cell cell = cell_of(span, plan);
        cell.rank = RANK_SHORT;
        put(&cells[first], cell, (int)i);
    }
}

static void put_ends(const struct timeline *timeline, const struct timeline_axis *axis,
                     struct bar_cell *cells)
{
    int first, last;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct span *span = &timeline->spans[i];
        const bool is_seen = columns_of(span, axis, &first, &last) &&
                             axis_column(axis, span->until_ms - 1) < axis->columns;
        if (span->end == SPAN_END_NONE || !is_seen)
            continue;
        const struct bar_cell cell = {ends[span->end].style, ends[span->end].sign, 0,
                                      RANK_END + (int)span->end};
        put(&cells[last], cell, (int)i);
    }
}

/* The last end always keeps its column, or the row would contradict the task's state. The cell that
 * was there moves one column to the left, unless another end is in that column. */
static void put_last_end(const struct timeline *timeline, const struct timeline_axis *axis,
                         struct bar_cell *cells)
{
    int first, column;
    int last = (int)timeline->count - 1;
    while (last >= 0 && timeline->spans[last].end == SPAN_END_NONE)
        last--;
    if (last < 0 || !columns_of(&timeline->spans[last], axis, &first, &column) ||
        cells[column].rank < RANK_END || cells[column].span == last)
        return;
    const enum span_end end = timeline->spans[last].end;
    if (column > 0 && cells[column - 1].rank < RANK_END)
        cells[column - 1] = cells[column];
    cells[column] = (struct bar_cell){ends[end].style, ends[end].sign, last, RANK_END + (int)end};
}

void bar_make(const struct timeline *timeline, const struct plan_task *plan,
              const struct timeline_axis *axis, struct bar_cell *cells)
{
    int first, last;
    for (int i = 0; i < axis->columns; i++)
        cells[i] = (struct bar_cell){STYLE_PLAIN, " ", -1, RANK_NONE};
    for (size_t i = 0; i < timeline->count; i++) {
        if (!columns_of(&timeline->spans[i], axis, &first, &last))
            continue;
        const struct bar_cell cell = cell_of(&timeline->spans[i], plan);
        for (int column = first; column <= last; column++)
            put(&cells[column], cell, (int)i);
    }
    put_short(timeline, plan, axis, cells);
    put_ends(timeline, axis, cells);
    put_last_end(timeline, axis, cells);
}

static int present_of(const struct timeline *timeline)
{
    int last = (int)timeline->count - 1;
    while (last >= 0 && timeline->spans[last].is_planned)
        last--;
    return last;
}

int bar_span_at(const struct timeline *timeline, const struct plan_task *plan,
                const struct timeline_axis *axis, bool is_placed, int64_t cursor_ms)
{
    struct bar_cell cells[CANVAS_COLUMNS_MAX] = {0};
    const int column = axis_column(axis, cursor_ms);
    if (!is_placed)
        return present_of(timeline);
    for (size_t i = 0; i < timeline->count; i++) {
        if (timeline->spans[i].end != SPAN_END_NONE && timeline->spans[i].until_ms - 1 == cursor_ms)
            return (int)i;
    }
    if (column < 0 || column >= axis->columns)
        return -1;
    bar_make(timeline, plan, axis, cells);
    return cells[column].span;
}
