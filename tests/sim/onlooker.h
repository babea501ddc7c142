/*
 * onlooker.h - what must be true of any log, checked from its events alone. Knows the plot, but
 * neither the model nor the state.
 */
#ifndef DEVS_SIM_ONLOOKER_H
#define DEVS_SIM_ONLOOKER_H

#include "event.h"
#include "finding.h"
#include "plan.h"
#include "plot.h"

struct onlooker_step {
    int attempts;  /* in total */
    bool alive;    /* an attempt is running */
    bool unjudged; /* the decision on the last one is missing */
    bool no_start; /* the last one did not start */
    bool succeeded;
    /* in this grant: */
    int executed;   /* attempts that ran to an end */
    int ran;        /* attempts whose end nobody saw */
    int free;       /* waits that gave back such an attempt */
    int free_waits; /* waits that gave back a start */
    int ends, entropies;
    int64_t due_ms;
    bool called;
    struct digest call;
};

struct onlooker_task {
    bool held, stopped, passed;
    bool over; /* ended without success, or blocked, at its last event */
    int step;
};

struct onlooker_source {
    bool closed; /* as of the last event on its gate */
    int64_t due_ms;
    int sent;   /* the task that the user sent ahead; -1 = none */
    int probes; /* starts since it was closed */
};

struct onlooker {
    const struct plot *plot;
    const struct plan *plan;
    struct finding *finding;
    int jobs, alive;
    int64_t seq;
    struct moment last;
    const struct onlooker_step *last_caller; /* the step whose attempt was started last */
    struct digest last_call;
    struct onlooker_task tasks[PLOT_TASKS_MAX];
    struct onlooker_step steps[PLOT_TASKS_MAX][PLOT_STEPS_MAX];
    struct onlooker_source sources[PLOT_SOURCES_MAX];
};

void onlooker_init(struct onlooker *onlooker, const struct plot *plot, const struct plan *plan,
                   struct finding *finding);
/* Checks the next event of the log. */
void onlooker_event(struct onlooker *onlooker, const struct event *event);

#endif
