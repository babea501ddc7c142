/*
 * onlooker.h - checks of any log, whatever the order of its events.
 *
 * Counts from the events. Takes only statuses, gates, loops and the use of budgets from the state
 * before an event, which is the fold of the log so far: folds from scratch prove these. Knows the
 * plot and the input of the turn; nothing here calls the scheduler.
 */
#ifndef DEVS_SIM_ONLOOKER_H
#define DEVS_SIM_ONLOOKER_H

#include "event.h"
#include "finding.h"
#include "plot.h"
#include "rules.h"
#include "scheduler.h"
#include "tally.h"

struct onlooker_step {
    int attempts;  /* in total */
    bool alive;    /* an attempt is running */
    bool unjudged; /* the decision on the last one is missing */
    bool succeeded;
    /* of the last attempt: */
    struct outcome outcome;
    bool silent;            /* exit code 0, but not a success */
    bool has_verdict;       /* it is in the log */
    struct opinion opinion; /* the verdict that its end must have */
    struct digest result;
    /* in this grant: */
    int executed;   /* attempts that ran to an end */
    int ran;        /* attempts that started, including those whose end nobody saw */
    int free;       /* waits that gave back such an attempt */
    int free_waits; /* waits that gave back a start */
    int ends, entropies;
    int start_failures, same, interrupted;
    int results_from; /* the first attempt since the step last started over */
    struct moment first_start;
    int64_t held_ms; /* holds that have ended */
    int64_t due_ms;
    bool called;
    struct digest call;
    int host;      /* of the last attempt; -1 = this machine, or not placed yet */
    int last_host; /* of the one before */
    bool was_lost; /* the one before was lost */
};

struct onlooker_task {
    bool held, stopped, passed;
    int step;
    enum decision_kind end; /* how its last step ended; DECISION_WAIT while it is open */
    struct moment held_since;
    int round, rounds;
    unsigned spent; /* budgets, as bits */
    bool suspected; /* of a loop, by an event whose decision has to follow */
};

struct onlooker_source {
    bool closed; /* as of the last event on its gate */
    int64_t due_ms;
    int sent;   /* the task that the user sent ahead; -1 = none */
    int probes; /* starts since it was closed */
    /* The event that a decision requires of its gate; EVENT_NONE = none. */
    enum event_kind owed;
    int owed_by, owed_limits, owed_chosen;
    int64_t owed_due_ms;
};

struct onlooker {
    const struct plot *plot;
    struct finding *finding;
    struct tally *tally;       /* NULL = nothing is counted */
    const struct input *input; /* of this turn; borrowed */
    int jobs, alive;           /* alive: on this machine */
    int away;                  /* attempts that are alive and belong on hosts, placed or not */
    int on_host[PLOT_HOSTS_MAX];
    bool down[PLOT_HOSTS_MAX];
    int64_t seq;
    struct moment last;
    bool cancelled;                          /* the whole run */
    unsigned spent;                          /* budgets of the run, as bits */
    const struct onlooker_step *last_caller; /* the step whose attempt was started last */
    struct digest last_call;
    struct onlooker_task tasks[PLOT_TASKS_MAX];
    struct onlooker_step steps[PLOT_TASKS_MAX][PLOT_STEPS_MAX];
    struct onlooker_source sources[PLOT_SOURCES_MAX];
};

void onlooker_init(struct onlooker *onlooker, const struct plot *plot, struct finding *finding);
/* Checks the next event of the log. `before` is the fold of the log so far. */
void onlooker_event(struct onlooker *onlooker, const struct run_state *before,
                    const struct event *event);
/* A whole turn is in the log: nothing that it began is missing. */
void onlooker_turn(struct onlooker *onlooker);
/* The engine is gone, in the middle of a turn or after it. */
void onlooker_crash(struct onlooker *onlooker);

/* Shared with decisions.c. */

/* An event of a step, and the data about the step. */
struct sight {
    struct onlooker *onlooker;
    const struct run_state *before;
    const struct event *event;
    struct onlooker_task *task;
    struct onlooker_step *step;
    const struct plot_step *plot;
    const struct plot_policy *policy;
    struct onlooker_source *source; /* NULL = none */
};

void sight_check(const struct sight *sight, bool holds, const char *name);
void onlooker_count(const struct onlooker *onlooker, enum row row);
/* Returns whether a budget that this step needs is spent. */
bool onlooker_is_spent(const struct sight *sight, int step);
/* Returns whether the step may not start any more, because its deadline has passed. */
bool onlooker_is_late(const struct sight *sight);
/* Returns how long the step has been held since its first start. */
int64_t onlooker_held_ms(const struct sight *sight);
/* Returns the attempts of one grant of the step. */
int onlooker_allowance(const struct sight *sight);
/* Returns the reason why the attempt with this outcome may not continue. */
enum outcome_stop onlooker_stop(const struct sight *sight, const struct outcome *outcome);

/* decisions.c: an attempt has been decided on. The facts in the log give exactly this decision, its
 * delay, the inputs of its formula, and its effect on the gate of the source. */
void decisions_check(const struct sight *sight);
/* A step ends without an attempt to decide on. */
void decisions_check_end(const struct sight *sight);

#endif
