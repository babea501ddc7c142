/*
 * timeline_axis.h - time on a row of cells: a scale at which minutes, or seconds, are whole
 * columns, and stretches that are folded away; the bar of a task and the load of a run on it. Pure
 * values.
 *
 * Times are of CLOCK_BOOTTIME, ms, as those of spans (timeline.h); labels are of the wall clock, as
 * it relates to that clock now.
 *
 * A column of a bar may stand for several spans: an end is shown before a wait, a wait before what
 * runs, so that no failure disappears, and the last end before others; a run shorter than a column
 * gets one unless an end needs it.
 */
#ifndef DEVS_TIMELINE_AXIS_H
#define DEVS_TIMELINE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "failure_class.h"
#include "moment.h"
#include "str.h"
#include "timeline.h"

enum {
    AXIS_FOLDS_MAX = TIMELINE_STRETCHES_MAX,
    AXIS_FOLD_COLUMNS = 7, /* a fold, whatever its length: "//12h//" */
    AXIS_FOLD_MIN_MS = 60 * 1000,
};

/* A stretch that is folded, in columns as there would be without folds. */
struct axis_fold {
    int64_t from, until;
    int64_t ms; /* how long it is */
};

/* So many columns for so many milliseconds. */
struct axis_scale {
    int columns;
    int64_t ms;
};

struct timeline_axis {
    struct axis_scale scale;
    int64_t wall_ms; /* add it to a time: the wall clock */
    int64_t first;   /* the first column's number, counted from 1970 */
    int columns;
    struct axis_fold folds[AXIS_FOLDS_MAX];
    int fold_count;
};

/* What is to be shown. */
struct axis_window {
    struct stretch whole; /* the run, or a task */
    struct moment now;
    const struct stretch *idle; /* borrowed; to be folded; in order, within the whole */
    int idle_count;
    int zoom;          /* 0: all of it; each one more doubles the scale */
    int64_t centre_ms; /* zoomed: this is in the middle, as far as there is time around it */
};

/* An axis of so many columns (at least 1). */
void axis_make(struct timeline_axis *axis, const struct axis_window *window, int columns);
/* Can it be zoomed further? */
bool axis_can_zoom(const struct timeline_axis *axis);

/* Do both show the same time in the same columns? By the wall clock they may differ a little. */
bool axis_equals(const struct timeline_axis *a, const struct timeline_axis *b);

/* The column of a time: below 0 or beyond the last one where it is not in sight. */
int axis_column(const struct timeline_axis *axis, int64_t ms);
/* The first time of a column; of a fold's columns that of the fold. */
int64_t axis_time(const struct timeline_axis *axis, int column);
/* The first column of the fold that this column is in, and its number in `folds`; -1: in none. */
int axis_fold_at(const struct timeline_axis *axis, int column, int *first_out);

/* "12 s", "6.7 s", "2 m": what a column stands for. */
void axis_column_words(const struct timeline_axis *axis, struct str *out);
/* "45s", "4m", "12h", "3d": how long a fold is, rounded down. */
void axis_fold_words(int64_t ms, struct str *out);

/* The time between labels of `columns` columns each: a round one, so that they are apart. */
int64_t axis_tick_ms(const struct timeline_axis *axis, int columns);

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

enum {
    TIMELINE_LOAD_CLASSES_MAX = 12,
    TIMELINE_LOAD_SEVERAL = '*', /* failures of several classes in one column */
};

/* A class of failures, and the letter that stands for it. */
struct timeline_load_class {
    struct failure_class class;
    char letter;
    int count;
};

struct timeline_load {
    int running[CANVAS_COLUMNS_MAX];
    char failed[CANVAS_COLUMNS_MAX]; /* letters of classes; 0 = none */
    struct timeline_load_class classes[TIMELINE_LOAD_CLASSES_MAX];
    int class_count; /* those beyond are told as TIMELINE_LOAD_SEVERAL */
};

/* Of all tasks of a run, up to `now`. Each task's spans are made for it: not for every frame. */
void timeline_load_read(struct timeline_load *load, const struct run_state *state,
                        const struct timeline_axis *axis, const struct moment *now, bool orphaned);

#endif
