/*
 * timeline_axis.h - how time lies on a row of cells: a scale at which minutes, or seconds, are
 * whole columns, and stretches that are folded away. Pure values.
 *
 * Times are of CLOCK_BOOTTIME, ms, as those of spans (timeline.h); what they are called is told by
 * the wall clock as it stands to that clock now.
 */
#ifndef DEVS_TIMELINE_AXIS_H
#define DEVS_TIMELINE_AXIS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
