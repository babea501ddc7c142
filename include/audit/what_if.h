/* what_if.h - computes the decisions that other policies would have made in a recorded run.
 *
 * The run's events are folded as usual (run_state.h), but with a plan whose policies are changed.
 * After each recorded attempt the scheduler's own rules (protocol.h) decide again, and the result
 * is compared with the log. Pure: events in, sums out.
 *
 * What cannot be known is not invented:
 * - If the change ends a step that continued, neither its later attempts nor the tasks that need
 *   the task run. If it continues a step that ended, the result is not known.
 * - An attempt has the same result after a different wait. After a rate limit the wait is not
 *   shortened.
 * - A task that a person continued continues with the change too, from there as recorded.
 * - Slots, gates, budgets and detected loops stay as they were.
 *
 * Belongs to one thread at a time. */
#ifndef DEVS_WHAT_IF_H
#define DEVS_WHAT_IF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "contract.h"
#include "err.h"
#include "event.h"
#include "moment.h"
#include "plan.h"
#include "protocol.h"
#include "run_state.h"
#include "shown.h"
#include "str.h"

/* Policies other than those of a run: the file of `devs what-if`, and its effect on a plan.
 *
 * The file can have three forms. The first two may be combined; a policy by name takes precedence:
 *
 *   {"policies": {"default": {"cap_ms": 20000}}}   by name, as in devs.config.json, whose other
 *                                                  keys are ignored
 *   {"policy": {"cap_ms": 20000}}                  for every step; or a name: {"policy":
 *   "research"}
 *   {"cap_ms": 20000}                              the same
 *
 * Fields that are not set stay as in the run. "like" starts from another policy instead, a built-in
 * one or one of the file. Failed starts ("infrastructure") are changed only by that name. A step's
 * own policy cannot be changed by name. */

enum { POLICY_CHANGE_BYTES_MAX = SETTINGS_BYTES_MAX };

struct policy_change;

/* Parses a change and checks it like settings. On failure returns false and adds all problems to
 * *violations. The caller frees *out with policy_change_free() and *violations with
 * violations_done(). Immutable; any thread may read it. */
ATTR_MUST_USE bool policy_change_read(const char *text, size_t len, struct policy_change **out,
                                      struct violations *violations);
/* Accepts NULL. */
void policy_change_free(struct policy_change *change);

/* Applies the change to the policies of a plan that plan_parse() has read. */
void policy_change_apply(const struct policy_change *change, struct plan *plan);

/* Appends the change as one line: "cap 20 s, stops after 2 equal results", "default: 5 tries; mine:
 * cap 1 s". */
void policy_change_words(const struct policy_change *change, struct str *out);

/* A decision, as recorded or with the change. */
struct what_if_decision {
    enum decision_kind kind;
    bool new_round;   /* the task's agent is prompted again instead */
    int64_t delay_ms; /* DECISION_WAIT only */
};

enum { WHAT_IF_WHY_MAX = 200 };

/* A difference between the recorded decision and the decision with the change. */
struct what_if_difference {
    int task, step,
        attempt; /* the difference follows this attempt; 0: it precedes the step's first attempt */
    bool is_before;   /* the difference is at the start of the next attempt, not at the end of this
                         one */
    struct moment at; /* time of the recorded decision */
    struct what_if_decision recorded, other;
    char why[WHAT_IF_WHY_MAX]; /* the change's reason in plain words, one line; may be "" */
};

/* How a task fares with the change. */
enum what_if_course {
    WHAT_IF_SAME,    /* as recorded, except perhaps for the length of waits */
    WHAT_IF_ENDS,    /* a step ends, or ends differently */
    WHAT_IF_BLOCKED, /* does not run: a task that it needs does not pass */
    WHAT_IF_UNKNOWN, /* continues where the run did not, or needs a task that does */
    WHAT_IF_COURSE_COUNT,
};

struct what_if_task {
    enum what_if_course course;
    enum task_status status; /* ENDS, BLOCKED: the resulting status */
    int step,
        attempt; /* ENDS, UNKNOWN: step and number of the attempt after which the task differs */
    int not_run; /* recorded attempts that are not run with the change */
    int not_run_step; /* step of the first of these attempts, which have the numbers not_run_from to
                         not_run_to */
    int not_run_from, not_run_to;
    int64_t recorded_wait_ms, other_wait_ms; /* sums of all waits */
    int64_t shift_ms; /* how much later than recorded the current step is; negative: earlier */
    struct what_if_decision due; /* the current wait */
    int64_t
        cost_micro; /* cost of the running attempt, as far as reported; millionths of a US dollar */
};

/* One side of the table. */
struct what_if_side {
    int64_t tries;      /* number of attempts, without those that never started */
    int64_t waited_ms;  /* time spent waiting for the next attempt, up to the last event */
    int64_t ran_ms;     /* total duration of the ended attempts */
    int64_t cost_micro; /* millionths of a US dollar; 0 = not known */
    int counts[TASK_STATUS_COUNT]; /* tasks by status, at the last event */
    int unknown;                   /* tasks whose status is not known */
};

struct what_if_sum {
    struct what_if_side recorded, other;
    int64_t decisions; /* decisions made again */
    int64_t differ;    /* decisions that differ: the sum of the next three */
    int64_t waits;     /* decisions to wait for a different time */
    int64_t ends;      /* decisions to end where the run continued, or to end differently */
    int64_t goes_on;   /* decisions to continue where the run ended, or to continue differently */
    int64_t not_run;   /* recorded attempts that are not run */
    int64_t by_hand;   /* steps that a person continued after they differed */
    bool rate_limits;  /* a wait was kept because of a rate limit */
    bool gates;        /* a gate of the run was closed */
    bool has_first;
    struct what_if_difference first; /* the earliest difference; only if has_first */
    int steps_changed; /* steps of the plan whose policy differs, as of the last event */
    int steps_refused; /* steps that the change would retry in place although they are not declared
                          idempotent; such a plan is rejected */
    int steps;
};

struct what_if;

/* `plan_text` and `seed` are those in the log. If `change` is NULL, the policies are the recorded
 * ones, and nothing differs unless this build decides differently from the build that ran it. Fails
 * with ERR_DAMAGED if the plan cannot be read. The caller frees. */
ATTR_MUST_USE bool what_if_new(struct what_if **out, const char *plan_text, uint64_t seed,
                               const struct policy_change *change, struct err *err);
/* Accepts NULL. */
void what_if_free(struct what_if *what);

/* Adds the run's next event. Fails with ERR_DAMAGED like run_state_apply(). */
ATTR_MUST_USE bool what_if_take(struct what_if *what, const struct event *event, struct err *err);

/* Sets *out to the result so far. O(tasks). */
void what_if_sum(const struct what_if *what, struct what_if_sum *out);
/* Returns the run state so far, whose plan has the changed policies; borrowed. */
const struct run_state *what_if_state(const struct what_if *what);
/* Returns how a task of the state's plan fares; borrowed until the next event. */
const struct what_if_task *what_if_task(const struct what_if *what, int task);

/* Adds one run's sums to the sums of other runs. Keeps the earlier first difference, whose task
 * belongs to its own run. */
void what_if_sum_add(struct what_if_sum *all, const struct what_if_sum *one);

/* Text for people. */

/* The layout of the text, which is all ASCII. */
struct what_if_look {
    int width;         /* columns of a line; at least WHAT_IF_WIDTH_MIN are used */
    shown_hms_fn *hms; /* formats times in the user's time zone */
};
enum { WHAT_IF_WIDTH_MIN = 40, WHAT_IF_TASKS_SHOWN = 12 };

/* Appends three lines: the column names, as recorded, and with the change ("policy B"). Leaves out
 * the least informative columns if not all fit. Works for one run or the sum of several. */
void what_if_table(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out);
/* Appends the number of decisions that differ, the assumptions, and the limits of the result. */
void what_if_notes(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out);
/* Appends the table, the first difference, the tasks that differ and the notes of one run. */
void what_if_lines(const struct what_if *what, const struct what_if_look *look, struct str *out);
/* Appends a warning if this build decides differently from the build that ran it, because then any
 * policy seems to change the run. `same` was created without a change. Otherwise appends
 * nothing. */
void what_if_doubt(const struct what_if *same, int64_t run, const struct what_if_look *look,
                   struct str *out);

/* Appends the savings: "6 attempts and 2:10 less, same result". Appends nothing if the change saves
 * no attempt, or if a task ends differently or its result is not known. */
void what_if_savings(const struct what_if_sum *sum, struct str *out);

/* JSON output, as members of an object; the caller adds the braces. */

/* Appends the sums of both sides. */
void what_if_sum_json(const struct what_if_sum *sum, struct str *out);
/* Appends the sums, "first", and "tasks" with the tasks that differ. */
void what_if_json(const struct what_if *what, struct str *out);

#endif
