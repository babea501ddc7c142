/*
 * duty.h - what must be true after each turn of the loop: what the input asked for is done,
 * nothing is due and not done, and the scheduler wants to be woken in time.
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
/* Returns the source of the task's current step; -1 = none. */
int duty_source(const struct run_state *state, int task);

/* What the turn has to do, as far as it depends on the state before it. */
struct turn_duty {
    bool names_attempt; /* the input is about an attempt that it may be about */
    bool starts_run;
    bool acts;                    /* the control is carried out, */
    bool acts_on[PLOT_TASKS_MAX]; /* on these tasks */
    bool follows[PLOT_TASKS_MAX]; /* they have to follow the task that is sent */
    int alive[PLOT_TASKS_MAX];    /* the attempt that is running; 0 = none */
    bool held[PLOT_TASKS_MAX];
    bool gated[PLOT_TASKS_MAX]; /* only its source is in its way */
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
