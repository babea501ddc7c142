/*
 * frame_runs_columns.h - the columns of the list of runs: which there are, and where.
 */
#ifndef DEVS_FRAME_RUNS_COLUMNS_H
#define DEVS_FRAME_RUNS_COLUMNS_H

#include "canvas.h"
#include "frame.h"
#include "run_state.h"
#include "shown.h"

/* States that have a column where any run in sight has tasks in them. */
enum { RUNS_EXTRAS = 3 };
struct runs_extra {
    enum task_status status;
    enum shown shown;
};
extern const struct runs_extra runs_extras[RUNS_EXTRAS];

/* Columns of numbers: where they end, 0 = left out; and where the texts begin. */
struct runs_columns {
    int started, lasted, tasks, tries, passed, failed, cancelled, waited, name;
    int extra[RUNS_EXTRAS]; /* behind `failed` */
};
/* For a canvas of this width, and the runs that are in sight. */
struct runs_columns runs_columns_of(const struct canvas *canvas, const struct frame_input *input);

#endif
