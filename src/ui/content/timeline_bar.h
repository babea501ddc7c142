/*
 * timeline_bar.h - the spans of a task (timeline.h) on an axis: one sign for each column. Pure.
 *
 * A column may stand for several of them: an end is told before a wait, a wait before what runs,
 * so that no failure disappears, and the last end before others; a run shorter than a column
 * gets one unless an end needs it.
 */
#ifndef DEVS_TIMELINE_BAR_H
#define DEVS_TIMELINE_BAR_H

#include "canvas.h"
#include "timeline.h"
#include "timeline_axis.h"

struct bar_cell {
    enum style style;
    const char *sign; /* static, for a canvas; " " = empty */
    int span;         /* index in the timeline; -1 = none */
    int rank;         /* the highest rank is drawn */
};

/* Cells of the axis's columns, at most CANVAS_COLUMNS_MAX. */
void bar_make(const struct timeline *timeline, const struct plan_task *plan,
              const struct timeline_axis *axis, struct bar_cell *cells);

/* What is under the cursor: the span whose sign stands in its column; the one that ends right there
 * before others. Not placed: what the task does at present. -1: nothing. */
int bar_span_at(const struct timeline *timeline, const struct plan_task *plan,
                const struct timeline_axis *axis, bool is_placed, int64_t cursor_ms);

#endif
