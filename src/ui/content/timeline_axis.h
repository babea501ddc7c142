/* timeline_axis.h - maps time to a row of cells: an axis that aligns full minutes or seconds with
 * columns and folds long idle stretches, and on this axis the bar of a task and the load of a run.
 * Plain values, pure.
 *
 * Times are CLOCK_BOOTTIME in ms, like those of spans (timeline.h). Labels show wall-clock time,
 * using the present offset between the two clocks.
 *
 * If several spans share a column, an end takes precedence over a wait, and a wait over a running
 * try, so that no failure disappears; the last end takes precedence over other ends. A try shorter
 * than a column gets a column unless an end needs it. */
#ifndef DEVS_TIMELINE_AXIS_H
#define DEVS_TIMELINE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "canvas.h"
#include "moment.h"
#include "run_state.h"
#include "str.h"
#include "timeline.h"

enum {
    AXIS_FOLDS_MAX = TIMELINE_STRETCHES_MAX,
    AXIS_FOLD_COLUMNS = 7, /* width of every fold: "//12h//" */
    AXIS_FOLD_MIN_MS = 60 * 1000,
};

/* A folded stretch. `from` and `until` are column numbers as they would be without folds. */
struct axis_fold {
    int64_t from, until;
    int64_t ms; /* its duration */
};

/* The ratio of columns to milliseconds. */
struct axis_scale {
    int columns;
    int64_t ms;
};

struct timeline_axis {
    struct axis_scale scale;
    int64_t wall_ms; /* offset in ms from CLOCK_BOOTTIME to the wall clock */
    int64_t first;   /* number of the first column, counted from 1970 */
    int columns;
    struct axis_fold folds[AXIS_FOLDS_MAX];
    int fold_count;
};

/* The part of time to show. */
struct axis_window {
    struct stretch whole; /* the run, or a task */
    struct moment now;
    const struct stretch *idle; /* borrowed; stretches to fold; sorted, within `whole` */
    int idle_count;
    int zoom;          /* 0: the whole range; each step doubles the scale */
    int64_t centre_ms; /* when zoomed, the time to show in the middle, if there is enough time
                          around it */
};

/* Makes an axis of `columns` columns (at least 1). */
void axis_make(struct timeline_axis *axis, const struct axis_window *window, int columns);
/* Returns true if the axis can be zoomed in further. */
bool axis_can_zoom(const struct timeline_axis *axis);

/* Returns true if both show the same time in the same columns. Their wall-clock offsets may differ
 * slightly. */
bool axis_equals(const struct timeline_axis *a, const struct timeline_axis *b);

/* Returns the column of a time: negative, or past the last column, if it is not visible. */
int axis_column(const struct timeline_axis *axis, int64_t ms);
/* Returns the first time of a column; for the columns of a fold, the start of the fold. */
int64_t axis_time(const struct timeline_axis *axis, int column);
/* Returns the index in `folds` of the fold that covers this column, or -1. *first_out is the first
 * column of the fold. */
int axis_fold_at(const struct timeline_axis *axis, int column, int *first_out);

/* Appends the duration of a column: "12 s", "6.7 s", "2 m". */
void axis_column_words(const struct timeline_axis *axis, struct str *out);
/* Appends the duration of a fold, rounded down: "4m", "12h", "3d". */
void axis_fold_words(int64_t ms, struct str *out);

/* Returns a round interval between labels that need `columns` columns each, in ms. */
int64_t axis_tick_ms(const struct timeline_axis *axis, int columns);

struct bar_cell {
    enum style style;
    const char *sign; /* static, for a canvas; " " = empty */
    int span;         /* index in the timeline; -1 = none */
    int rank;         /* rank of `span`; the span with the highest rank is drawn */
};

/* Fills the cells of the axis's columns, at most CANVAS_COLUMNS_MAX. */
void bar_make(const struct timeline *timeline, const struct plan_task *plan,
              const struct timeline_axis *axis, struct bar_cell *cells);

/* Returns the index of the span under the cursor, or -1: a span that ends exactly there, or else
 * the one drawn in that column. Without a placed cursor, returns the present span of the task. */
int bar_span_at(const struct timeline *timeline, const struct plan_task *plan,
                const struct timeline_axis *axis, bool is_placed, int64_t cursor_ms);

enum {
    TIMELINE_LOAD_CLASSES_MAX = 12,
    TIMELINE_LOAD_SEVERAL = '*', /* several classes of failures in one column */
};

/* A class of failures and its letter. */
struct timeline_load_class {
    struct failure_class class;
    char letter;
    int count;
};

struct timeline_load {
    int running[CANVAS_COLUMNS_MAX];
    char failed[CANVAS_COLUMNS_MAX]; /* letter of the failure class; 0 = none */
    struct timeline_load_class classes[TIMELINE_LOAD_CLASSES_MAX];
    int class_count; /* further classes are shown as TIMELINE_LOAD_SEVERAL */
};

/* Reads the load from all tasks of a run, up to `now`. Too slow for every frame, because it
 * computes the spans of each task. */
void timeline_load_read(struct timeline_load *load, const struct run_state *state,
                        const struct timeline_axis *axis, const struct moment *now, bool orphaned);

#endif
