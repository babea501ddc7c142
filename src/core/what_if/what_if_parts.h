/*
 * what_if_parts.h - what the parts of what_if.h share: what_if*.c only.
 */
#ifndef DEVS_WHAT_IF_PARTS_H
#define DEVS_WHAT_IF_PARTS_H

#include "what_if.h"

struct what_if {
    struct plan *recorded;      /* owned; as the run had it */
    struct plan *other;         /* owned; with the change */
    struct run_state state;     /* owned; of `other` */
    struct what_if_task *tasks; /* owned; as many as the state's plan has */
    size_t task_count, task_cap;
    struct what_if_sum sum; /* but for what what_if_sum() counts */
};

/* Is the task not as recorded any more? */
bool what_if_is_off(const struct what_if_task *task);

/* what_if_decide.c: what the change decides, before the event is folded in. */

/* After an attempt, whose decision the event is: compare, and leave the record where the two part.
 */
void what_if_compare(struct what_if *what, int task, const struct event *event);
/* Is it too late for the task's next start, by the change's deadline and time? */
bool what_if_is_late(const struct what_if *what, int task, const struct moment *at);
/* One of the two ends the step for its deadline where the other one starts it (DECISION_WAIT). */
void what_if_differ_at_start(struct what_if *what, int task, const struct event *event,
                             enum decision_kind recorded, enum decision_kind other);
/* The task goes on from here as what it needs does: as recorded, blocked, or not known. */
void what_if_look_at_needs(struct what_if *what, int task);

/* what_if_sum.c */

/* How long it has waited in the wait that goes on; 0 where none does. */
int64_t what_if_waited(const struct step_state *step, const struct moment *at);
/* How long the change would have waited where so long was waited. */
int64_t what_if_other_wait(const struct what_if *what, int task, int64_t waited_ms);
/* Was the last attempt of the step turned away by a rate limit? */
bool what_if_was_rate_limited(const struct step_state *step);

/* what_if_table.c: the columns of a line. */
int what_if_width(const struct what_if_look *look);

#endif
