/* redecide.h - makes the decisions of a recorded run again and compares. Pure; belongs to one
 * thread.
 *
 * The inputs are taken from the log, the scheduler of this build decides, and the events that it
 * emits are compared with the recorded ones. Events are added as recorded, in order. Events that
 * say what happened (an attempt's end, a person's control, a fact of the engine) become inputs of
 * scheduler_step(); events that follow from them are compared. After a difference, the comparison
 * continues from the recorded state. */
#ifndef DEVS_REDECIDE_H
#define DEVS_REDECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "event.h"
#include "plan.h"
#include "run_state.h"
#include "scheduler.h"

enum {
    REDECIDE_MOMENT_MAX = 1000 * 1000, /* maximum events of one moment; continuing a run of
                                          PLAN_TASKS_MAX tasks needs fewer */
    REDECIDE_DIFFERENCES_MAX = 200,    /* after this many differences, the rest is not compared */
    REDECIDE_GUESSES_MAX = 2000, /* maximum attempts to find a reason that the log does not mention;
                                    each copies the whole state */
};

/* A decision that this build makes differently. Borrowed for the duration of the call. */
struct redecide_difference {
    const struct run_state *state; /* the state before `recorded`, as in the log */
    enum input_kind input;         /* kind of the input that was decided on */
    const struct event *cause; /* the recorded event that was the input; for INPUT_TIME, the first
                                  event that followed */
    const struct event
        *recorded; /* the event in the log; NULL = none. May be an event that cannot be applied */
    const struct event *made; /* the event that this build made; NULL = none */
};
/* Called for each difference, in the order of the log. */
typedef void redecide_differs_fn(void *ctx, const struct redecide_difference *difference);

/* Stores the control with this number as it was requested. Returns false if the log no longer has
 * it. */
typedef bool redecide_act_fn(void *ctx, int64_t id, struct control *out);

/* The run. Everything is borrowed until redecide_close(). */
struct redecide_run {
    const struct plan *plan;
    uint64_t seed;
    const char *dir;
    bool is_session; /* a session of an agent that devs did not start, so nothing is started or
                        stopped */
    redecide_act_fn *act;
    redecide_differs_fn *differs;
    void *ctx; /* passed to both callbacks */
};

/* The result. decisions = same + different + lost + unseen. */
struct redecide_sum {
    int64_t events;    /* events compared so far */
    int64_t decisions; /* recorded decisions, and decisions missing from the log */
    int64_t same;
    int64_t different; /* decisions from the first one that differs up to the next input */
    int64_t unseen; /* decisions not compared: after REDECIDE_DIFFERENCES_MAX differences; in a plan
                       that grows, after the first */
    int64_t lost;   /* decisions that follow controls that the log no longer has */
    int64_t lost_acts; /* number of controls that the log no longer has */
    int64_t acts;      /* controls by people, accepted as recorded */
    int64_t facts;     /* events that say what happened, accepted as recorded */
    int64_t unknown;   /* events of kinds that this build does not know */
    int64_t calls;     /* starts of attempts; the call's digest is accepted as recorded, because the
                          environment that it covers is not in the log */
    int64_t prompts;   /* starts of rounds; the prompt's text is accepted as recorded, for the same
                          reason */
    int64_t cut_off;   /* how often devs died before recording everything it had decided */
};

struct redecide;

/* Begins the comparison. Call before the first event. The caller frees with redecide_close(). */
void redecide_open(struct redecide **out, const struct redecide_run *run);
/* Accepts NULL. */
void redecide_close(struct redecide *redecide);

/* Adds the next event of the run and copies what it needs. The decisions of a moment are compared
 * when an event of a different moment arrives. Fails with ERR_DAMAGED if the event cannot follow,
 * and with ERR_LIMIT beyond REDECIDE_MOMENT_MAX. Add nothing after a failure. */
ATTR_MUST_USE bool redecide_add(struct redecide *redecide, const struct event *event,
                                struct err *err);
/* Compares the decisions of the last moment. Call after the last event. Fails like
 * redecide_add(). */
ATTR_MUST_USE bool redecide_finish(struct redecide *redecide, struct err *err);

/* Returns the result so far; valid until redecide_close(). */
const struct redecide_sum *redecide_sum(const struct redecide *redecide);

/* Restores a recorded verdict to its form before the step's expectation was applied. If a failure
 * was expected, a success without a recorded verdict (`was_recorded` false) was originally a
 * failure that meets the plan; the log does not say which one. */
void redecide_as_judged(const struct plan_step *step, enum outcome_kind ended, bool was_recorded,
                        struct verdict *verdict);

/* Returns whether events of this kind are decisions, that is, follow from earlier events. */
bool redecide_is_decision(enum event_kind kind);

#endif
