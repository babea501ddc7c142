/*
 * duty.h - checks of a whole turn of the loop: the input has its effect, nothing due is left
 * undone, and the scheduler is woken in time.
 */
#ifndef DEVS_SIM_DUTY_H
#define DEVS_SIM_DUTY_H

#include "finding.h"
#include "plot.h"
#include "run_state.h"
#include "scheduler.h"
#include "tally.h"

/* Returns whether the task may start, as soon as there is a slot and its gate lets it. */
bool duty_is_in_line(const struct plot *plot, const struct run_state *state, int task);
/* Returns whether the task's place, this machine or a host that is up, has a free slot. */
bool duty_has_slot(const struct plot *plot, const struct run_state *state, int task);
/* Returns the source of the task's current step; -1 = none. */
int duty_source(const struct run_state *state, int task);

/* The effects that the turn must have, as far as they depend on the state before it. */
struct turn_duty {
    bool names_attempt; /* the input is about an attempt that exists, in the right state, and is
                           not what the log has already */
    int64_t used_micro; /* what the run has used */
    bool starts_run;
    bool acts;                    /* the control is carried out, */
    bool acts_on[PLOT_TASKS_MAX]; /* on these tasks */
    bool follows[PLOT_TASKS_MAX]; /* they have to follow the task that is sent */
    int alive[PLOT_TASKS_MAX];    /* the attempt that is running; 0 = none */
    bool held[PLOT_TASKS_MAX];
    bool gated[PLOT_TASKS_MAX]; /* only the gate of its source keeps it waiting */
    enum task_status status[PLOT_TASKS_MAX];
};

/* One turn, and where it happens. */
struct turn_seen {
    const struct plot *plot;
    const struct scheduler *scheduler;
    const struct input *input;
    const struct turn *turn;
    struct finding *finding;
    struct tally *tally; /* NULL = nothing is counted */
};

/* Finds out what the input requires of the scheduler in this state. */
void duty_expect(const struct turn_seen *seen, const struct run_state *before,
                 struct turn_duty *out);
/* Checks the whole turn; scheduler->state is the state after it. */
void duty_check(const struct turn_seen *seen, const struct turn_duty *duty);

#endif
