/*
 * what_if.h - what other policies would have decided of a run that is in the log.
 *
 * The run's events are folded as anywhere else (run_state.h), but with a plan whose policies are
 * those of the change; after each recorded attempt the scheduler's own rules (protocol.h) are asked
 * what they decide now, and that is compared with what the log has. Pure: events in, sums out.
 *
 * What cannot be known is not made up:
 * - Where the change ends a step that went on, its later tries are not run, nor is what needs the
 *   task. Where it goes on and the run ended, how that would have gone is not known.
 * - A try has the same result after another wait. After a rate limit the wait is no shorter than
 *   it was.
 * - What a person let go on goes on with the change, too, from there as recorded.
 * - Slots, gates, budgets and what is seen of circles stay as they were.
 *
 * Belongs to one thread at a time.
 */
#ifndef DEVS_WHAT_IF_H
#define DEVS_WHAT_IF_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "event.h"
#include "moment.h"
#include "policy_change.h"
#include "protocol.h"
#include "run_state.h"
#include "shown.h"

/* One decision as the log has it, or as the change makes it. */
struct what_if_decision {
    enum decision_kind kind;
    bool new_round;   /* the task's agent is prompted once more, instead of that */
    int64_t delay_ms; /* DECISION_WAIT only */
};

enum { WHAT_IF_WHY_MAX = 200 };

/* Where the two differ. */
struct what_if_difference {
    int task, step, attempt; /* after this attempt; 0: before its first one */
    bool is_before;          /* before this attempt starts, instead of after it */
    struct moment at;        /* of the recorded decision */
    struct what_if_decision recorded, other;
    char why[WHAT_IF_WHY_MAX]; /* the change's reason in plain words, one line; may be "" */
};

/* How a task fares with the change. */
enum what_if_course {
    WHAT_IF_SAME,    /* as recorded, but perhaps for the length of waits */
    WHAT_IF_ENDS,    /* a step ends, or ends by another word */
    WHAT_IF_BLOCKED, /* it does not run: something that it needs does not pass */
    WHAT_IF_UNKNOWN, /* goes on where the run did not, or needs a task that does */
    WHAT_IF_COURSE_COUNT,
};

struct what_if_task {
    enum what_if_course course;
    enum task_status status; /* ENDS, BLOCKED: what it comes to */
    int step, attempt;       /* ENDS, UNKNOWN: after this one */
    int not_run;             /* recorded tries that are not run with the change */
    int not_run_step;        /* of the step with the first of these: */
    int not_run_from, not_run_to;
    int64_t recorded_wait_ms, other_wait_ms; /* all waits */
    int64_t shift_ms; /* how much later than recorded the present step is; below 0: sooner */
    struct what_if_decision due; /* the wait that goes on */
    int64_t cost_micro;          /* of the attempt that runs, as far as it was told */
};

/* One side of the table. */
struct what_if_side {
    int64_t tries;                 /* attempts but for those that never started */
    int64_t waited_ms;             /* waits for a next try, the last event being now */
    int64_t ran_ms;                /* attempts that are over, together */
    int64_t cost_micro;            /* millionths of a US dollar; 0 = none is known */
    int counts[TASK_STATUS_COUNT]; /* tasks, as at the last event */
    int unknown;                   /* tasks of which it is not known */
};

struct what_if_sum {
    struct what_if_side recorded, other;
    int64_t decisions; /* that were made again */
    int64_t differ;    /* of these: */
    int64_t waits;     /* wait for another time */
    int64_t ends;      /* end where the run went on, or by another word */
    int64_t goes_on;   /* go on where it ended, or otherwise */
    int64_t not_run;   /* recorded tries that are not run */
    int64_t by_hand;   /* steps that a person let go on after the two differed */
    bool rate_limits;  /* a wait stayed as it was for a rate limit */
    bool gates;        /* the run had a gate that was closed */
    bool has_first;
    struct what_if_difference first; /* in time; has_first only */
    int steps_changed; /* steps of the plan whose policy is another one, as of the last event */
    int steps_refused; /* that it would try again in place, though they are not declared idempotent:
                          a plan like that is refused */
    int steps;
};

struct what_if;

/* Of a run with this plan's text and seed, as the log has them. `change` NULL: as recorded, and
 * then nothing differs unless this build decides otherwise than the one that ran it. ERR_DAMAGED:
 * the plan cannot be read. The caller frees. */
ATTR_MUST_USE bool what_if_new(struct what_if **out, const char *plan_text, uint64_t seed,
                               const struct policy_change *change, struct err *err);
/* NULL is allowed. */
void what_if_free(struct what_if *what);

/* The run's next event. ERR_DAMAGED as run_state_apply(). */
ATTR_MUST_USE bool what_if_take(struct what_if *what, const struct event *event, struct err *err);

/* What it has come to so far. O(tasks). */
void what_if_sum(const struct what_if *what, struct what_if_sum *out);
/* The fold so far, with the change's policies in its plan; borrowed. */
const struct run_state *what_if_state(const struct what_if *what);
/* How a task of the state's plan fares; borrowed until the next event. */
const struct what_if_task *what_if_task(const struct what_if *what, int task);

/* Add one run's sums to those of others; of the first differences the earlier one stays, whose
 * task is one of its own run. */
void what_if_sum_add(struct what_if_sum *all, const struct what_if_sum *one);

/* what_if_table.c, what_if_words.c: for people. */

/* How it is to look; all of it is ASCII. */
struct what_if_look {
    int width;         /* columns of a line; WHAT_IF_WIDTH_MIN at least are taken */
    shown_hms_fn *hms; /* the person's clock */
};
enum { WHAT_IF_WIDTH_MIN = 40, WHAT_IF_TASKS_SHOWN = 12 };

/* Three lines: what the columns are, as recorded, with the change ("policy B"). What
 * has no room is left out, the least telling first. Of one run or of several together. */
void what_if_table(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out);
/* How many decisions differ, what is assumed and what is not known. */
void what_if_notes(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out);
/* All of these, of one run. */
void what_if_lines(const struct what_if *what, const struct what_if_look *look, struct str *out);
/* Of one with no change, of that run: a warning if this build decides otherwise than the one that
 * ran it, for then so does any policy; else nothing. */
void what_if_doubt(const struct what_if *same, int64_t run, const struct what_if_look *look,
                   struct str *out);

/* "6 attempts and 2:10 less, same result". Adds nothing where the change saves no attempt, where a
 * task would end otherwise, or where that is not known. */
void what_if_savings(const struct what_if_sum *sum, struct str *out);

/* what_if_json.c: the same as members of a JSON object, inside the caller's braces. */

/* The sums of both sides. */
void what_if_sum_json(const struct what_if_sum *sum, struct str *out);
/* The sums, "first" and "tasks": those that fare otherwise. */
void what_if_json(const struct what_if *what, struct str *out);

#endif
