/*
 * world.h - virtual time around the real scheduler and state: plays one plot to its end.
 *
 * Uses no process, file or clock. Checks each event, each turn, and the state against the fold of
 * the log.
 */
#ifndef DEVS_SIM_WORLD_H
#define DEVS_SIM_WORLD_H

#include <stdbool.h>

#include "finding.h"
#include "onlooker.h"
#include "plot.h"
#include "scheduler.h"
#include "tally.h"

/* A running attempt. */
struct flight {
    bool out;
    int step, attempt;
    struct plot_ending ending;
    int64_t ends_ms;
    int64_t running_ms, quiet_ms, heard_ms; /* -1 = not, or over */
    int calls;                              /* reported so far by its agent */
};

struct world {
    const struct plot *plot; /* borrowed */
    struct plan *plan;
    struct run_state state;
    struct scheduler scheduler;
    struct turn turn;
    struct moment now;
    struct event *log;   /* all events so far, as read back from their JSON */
    struct str *objects; /* per event: its JSON, and after it memory for its texts; owned */
    size_t log_count, log_cap, objects_cap;
    struct flight flights[PLOT_TASKS_MAX]; /* per task */
    struct run_state past;                 /* the fold of the log, as read back */
    struct onlooker onlooker;
    struct finding finding;
    struct tally *tally;         /* borrowed; NULL = nothing is counted */
    const struct plot_op *armed; /* the next crash, NULL = none */
    int turns, next_op;
    int64_t last_control;
    bool leaving;
    bool released, cancelled; /* done to a run that makes no more progress */
    int turns_at_cancel;
    bool tracing;
};

/* Plays the plot. Returns false if an invariant was broken; *finding says which. */
bool world_play(const struct plot *plot, struct tally *tally, bool tracing,
                struct finding *finding);

/* world_input.c */

/* Plays one turn of the loop. */
void world_turn(struct world *world, struct input input);
/* Call at the end: replays the whole log. */
void world_finish(struct world *world);
/* The engine is gone: restores the state from the log and resumes the run. */
void world_crash(struct world *world, const struct plot_op *op);

/* world_fate.c */

void world_do(struct world *world, const struct plot_op *op);
void world_act(struct world *world, const struct plot_op *op, uint64_t salt);
/* Reports that a host went down or came back. */
void world_tell_host(struct world *world, const char *host, bool is_down);

#endif
