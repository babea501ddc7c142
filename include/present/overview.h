/* overview.h - a run at a glance: how many tasks are in each state, and the first tasks of the most
 * important states.
 *
 * Built task by task, either from a run state or from the projections in the log (log_reader.h),
 * with the same result. A plain value; any thread. */
#ifndef DEVS_OVERVIEW_H
#define DEVS_OVERVIEW_H

#include "run_state.h"
#include "shown.h"

/* The kinds of tasks that are listed. All other tasks are only counted. */
enum overview_kind {
    OVERVIEW_NEEDS_YOU,
    OVERVIEW_STUCK,
    OVERVIEW_GAVE_UP,
    OVERVIEW_RUNNING, /* including quiet and lost tasks */
    OVERVIEW_BACKOFF,
    OVERVIEW_HELD,
    OVERVIEW_KINDS,
};

enum { OVERVIEW_ROWS_MAX = 10 }; /* maximum listed tasks of each kind */

struct overview_row {
    int task;
    enum task_status status;
    bool held, cancelling, quiet;
    bool in_queue;                   /* its attempt waits in a cluster's queue */
    int64_t away_at_ms, fence_at_ms; /* as in struct task_state, wall clock, ms; 0 = not */
    int64_t due_at_ms; /* TASK_BACKOFF: time when the wait ends, wall clock, ms; otherwise 0 */
    /* Set for listed rows only, after all tasks were added: */
    char id[PLAN_ID_MAX + 1];
    char by[CONTROL_BY_MAX]; /* user who holds the task; "" = nobody */
    int tried, tries;        /* attempts of the current step: so far, at most */
    int64_t started_at_ms; /* start of the latest attempt of that step, wall clock, ms; 0 = none */
    int64_t ended_at_ms;   /* end of that attempt; 0 while it is running */
    /* The class of that attempt if it failed. Ignores corrections and silences, which only the
     * events contain. */
    struct failure_class class;
};

struct overview {
    int tasks;
    int counts[SHOWN_COUNT]; /* indexed by enum shown; SHOWN_LOST is set by overview_lose() */
    int64_t due_at_ms;       /* time when the first wait ends, wall clock, ms; 0 = nothing waits */
    /* The most important tasks of each kind, in order: waiting tasks by the end of the wait, all
     * others by task number. */
    struct overview_row rows[OVERVIEW_KINDS][OVERVIEW_ROWS_MAX];
    int row_counts[OVERVIEW_KINDS];
};

/* Returns the state of a task as users see it. For `orphaned`, see shown_task(). */
enum shown overview_shown(const struct overview_row *row, bool orphaned);
/* Returns how many tasks there are of this kind, listed or not. */
int overview_count(const struct overview *overview, enum overview_kind kind);

/* Adds a task, and lists it if it is among the first of its kind. Add all tasks of a run in the
 * order of their numbers. */
void overview_add(struct overview *overview, const struct overview_row *row);
/* Marks a task as quiet. It must have been added as SHOWN_RUNNING. */
void overview_set_quiet(struct overview *overview, int task);
/* Marks all running tasks as lost, because the run has no owner. */
void overview_lose(struct overview *overview);

/* Returns the class of a failure from its verdict and outcome. */
struct failure_class overview_class(const struct verdict_label *label, enum outcome_kind kind,
                                    int code);

/* Fills in *out from a run state. O(tasks). */
void overview_of_state(struct overview *out, const struct run_state *state, bool orphaned);

#endif
