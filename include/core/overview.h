/*
 * overview.h - a run at a glance: how many of its tasks are in which state, and of each state that
 * one asks for first, the tasks that one asks for first.
 *
 * It is made task by task, of a fold or of what the log keeps beside the events
 * (log_overview.h), and is the same either way. A plain value; any thread.
 */
#ifndef DEVS_OVERVIEW_H
#define DEVS_OVERVIEW_H

#include "failure_class.h"
#include "run_state.h"
#include "shown.h"

/* Those that are listed; of the others there is the number alone. */
enum overview_kind {
    OVERVIEW_NEEDS_YOU,
    OVERVIEW_STUCK,
    OVERVIEW_GAVE_UP,
    OVERVIEW_RUNNING, /* quiet and lost ones among them */
    OVERVIEW_BACKOFF,
    OVERVIEW_HELD,
    OVERVIEW_KINDS,
};

enum { OVERVIEW_ROWS_MAX = 10 }; /* of each kind */

struct overview_row {
    int task;
    enum task_status status;
    bool held, cancelling, quiet;
    int64_t due_at_ms; /* TASK_BACKOFF: when its wait ends, wall clock; else 0 */
    /* Of rows that are listed alone, and once all tasks were added: */
    char id[PLAN_ID_MAX + 1];
    char by[CONTROL_BY_MAX]; /* who holds it; "" = nobody */
    int tried, tries;        /* of its current step */
    int64_t started_at_ms;   /* of the latest attempt of that; 0 = there is none */
    int64_t ended_at_ms;     /* likewise; 0 while it runs */
    /* What that was judged as, where it failed: corrections and silences are in the events. */
    struct failure_class class;
};

struct overview {
    int tasks;
    int counts[SHOWN_COUNT]; /* SHOWN_LOST: overview_lose() */
    int64_t due_at_ms;       /* when the first wait ends; 0 = nothing waits */
    /* Each in the order in which one asks: what waits by when it is due, the others by their
     * numbers. */
    struct overview_row rows[OVERVIEW_KINDS][OVERVIEW_ROWS_MAX];
    int row_counts[OVERVIEW_KINDS];
};

/* The state of a row as people see it; `orphaned` as for shown_task(). */
enum shown overview_shown(const struct overview_row *row, bool orphaned);
/* How many tasks there are of this kind, listed or not. */
int overview_count(const struct overview *overview, enum overview_kind kind);

/* Count one more task, and take it in if it is among the first of its kind. All tasks of a run,
 * in the order of their numbers. */
void overview_add(struct overview *overview, const struct overview_row *row);
/* The task, which was added as SHOWN_RUNNING, has written nothing for a while. */
void overview_set_quiet(struct overview *overview, int task);
/* Nobody owns the run: what ran is lost. */
void overview_lose(struct overview *overview);

/* What failed, as a verdict and an end name it. */
struct failure_class overview_class(const struct verdict_label *label, enum outcome_kind kind,
                                    int code);

/* All of it from a fold. O(tasks). */
void overview_of_state(struct overview *out, const struct run_state *state, bool orphaned);

#endif
