/*
 * timeline_load.h - how many tries of a run ran at a time, and what failed, column by column of an
 * axis. A plain value; pure.
 */
#ifndef DEVS_TIMELINE_LOAD_H
#define DEVS_TIMELINE_LOAD_H

#include "canvas.h"
#include "failure_class.h"
#include "timeline_axis.h"

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
