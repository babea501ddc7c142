/*
 * world.h - virtual time around the real scheduler and fold: plays one plot to its end.
 *
 * No process, no file, no clock. After each turn the answer is held against the oracle,
 * the state against the model, and the log against what must always be true.
 */
#ifndef DEVS_SIM_WORLD_H
#define DEVS_SIM_WORLD_H

#include <stdbool.h>

#include "finding.h"
#include "onlooker.h"
#include "oracle.h"
#include "plot.h"
#include "scheduler.h"
#include "tally.h"

/* An attempt that is out. */
struct flight {
    bool out;
    int step, attempt;
    struct plot_ending ending;
    int64_t ends_ms;
    int64_t running_ms, quiet_ms, heard_ms; /* -1 = not, or over */
    int calls;                              /* that its agent has told */
};

struct world {
    const struct plot *plot; /* borrowed */
    struct plan *plan;
    struct run_state state;
    struct scheduler scheduler;
    struct turn turn;
    struct moment now;
    struct event *log; /* all so far, texts owned */
    size_t log_count, log_cap;
    struct flight flights[PLOT_TASKS_MAX]; /* by task */
    struct oracle oracle;
    struct model before; /* where a crash may cut the turn: the model as it was */
    struct onlooker onlooker;
    struct finding finding;
    struct tally *tally;         /* borrowed; NULL = nothing is counted */
    const struct plot_op *armed; /* the crash that comes next, NULL = none */
    int turns, next_op;
    int64_t last_control;
    bool leaving;
    bool released, cancelled; /* what is done to a run that no longer moves */
    int turns_at_cancel;
    bool tracing;
};

/* Play the plot. False if an invariant was broken: *finding says which. */
bool world_play(const struct plot *plot, struct tally *tally, bool tracing,
                struct finding *finding);

/* world_input.c */

/* One turn of the loop. */
void world_turn(struct world *world, struct input input);
/* At the end: fold the log anew. */
void world_finish(struct world *world);
/* The engine is gone: fold what is in the log, take it up again. */
void world_crash(struct world *world, const struct plot_op *op);

/* world_fate.c */

void world_do(struct world *world, const struct plot_op *op);
void world_act(struct world *world, const struct plot_op *op, uint64_t salt);

#endif
