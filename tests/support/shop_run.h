/*
 * shop_run.h - writes one made-up run to a log, step by step.
 */
#ifndef DEVS_SHOP_RUN_H
#define DEVS_SHOP_RUN_H

#include <stdint.h>

#include "log_writer.h"
#include "plan.h"
#include "run_state.h"
#include "shop_story.h"
#include "str.h"

enum { SHOP_TASKS_MAX = 16, SHOP_STREAMS = 2 };

struct shop_run {
    struct plan *plan; /* owned */
    struct run_state state;
    struct log_writer *writer; /* owned */
    struct moment now;
    int64_t began_s; /* after 13:50:00 */
    /* What the current attempt of each task has written to stdout and stderr. */
    struct {
        struct str text[SHOP_STREAMS];
        int rows[SHOP_STREAMS];
    } output[SHOP_TASKS_MAX];
};

/* Begins a run with a task for each id ("a b c"), with a step for each of these phases ("RGVF"). It
 * begins this many seconds after 13:50:00 on 20 November 2025. Call shop_run_done() even if this
 * fails. */
bool shop_run_begin(struct shop_run *run, const struct place *place, const char *ids,
                    const char *phases, int64_t at_s, struct err *err);
/* The step's seconds count from the beginning of the run. */
bool shop_run_step(struct shop_run *run, const struct shop_step *step, struct err *err);
void shop_run_done(struct shop_run *run);

#endif
