/*
 * onlooker.h - what must be true of any log, by looking at its events alone: the plot is
 * known, neither the model nor the state is.
 */
#ifndef DEVS_SIM_ONLOOKER_H
#define DEVS_SIM_ONLOOKER_H

#include "event.h"
#include "finding.h"
#include "plan.h"
#include "plot.h"

struct onlooker_step {
    int attempts;  /* in all */
    bool alive;    /* an attempt is out */
    bool unjudged; /* the last one's decision is missing */
    bool no_start; /* the last one did not start */
    bool succeeded;
    /* of this grant: */
    int executed;   /* attempts that ran to an end */
    int ran;        /* and those whose end nobody saw */
    int free;       /* waits that gave such an attempt back */
    int free_waits; /* and those that gave a start back */
    int ends, entropies;
    int64_t due_ms;
    bool called;
    struct digest call;
};

struct onlooker_task {
    bool held, stopped, passed;
    bool over; /* ended without success, or blocked, when last heard of */
    int step;
};

struct onlooker_source {
    bool closed; /* since the last event on its gate */
    int64_t due_ms;
    int64_t sent; /* the task that a person sends before that + 1; 0 = none */
    int probes;   /* starts since it was closed */
};

struct onlooker {
    const struct plot *plot;
    const struct plan *plan;
    struct finding *finding;
    int jobs, alive;
    int64_t seq;
    struct moment last;
    const struct onlooker_step *last_caller; /* whose attempt was started last */
    struct digest last_call;
    struct onlooker_task tasks[PLOT_TASKS_MAX];
    struct onlooker_step steps[PLOT_TASKS_MAX][PLOT_STEPS_MAX];
    struct onlooker_source sources[PLOT_SOURCES_MAX];
};

void onlooker_init(struct onlooker *onlooker, const struct plot *plot, const struct plan *plan,
                   struct finding *finding);
/* The next event of the log. */
void onlooker_event(struct onlooker *onlooker, const struct event *event);

#endif
