/*
 * redecide.h - makes the decisions of a recorded run again and compares. Pure; belongs to one
 * thread.
 *
 * The inputs are taken from the log, the scheduler of this build decides, and what it emits is
 * compared with what was recorded. Events come in as recorded, in order. Those that say what
 * happened (an attempt's end, a person's control, a fact of the engine) become inputs of
 * scheduler_step(); those that follow from them are compared. After a difference it continues from
 * what the log says.
 */
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
    REDECIDE_MOMENT_MAX =
        1000 *
        1000, /* events of one moment; continuing a run of PLAN_TASKS_MAX tasks needs fewer */
    REDECIDE_DIFFERENCES_MAX = 200, /* after this many the rest is not compared */
    REDECIDE_GUESSES_MAX = 2000,    /* attempts to find a reason that the log does not mention; each
                                       costs copies of the whole state */
};

/* A decision that differs now. Borrowed for the duration of the call. */
struct redecide_difference {
    const struct run_state *state; /* as in the log, before `recorded` */
    enum input_kind input;         /* what was decided on */
    const struct event *cause; /* the recorded event that was the input; for INPUT_TIME, the first
                                  event that followed */
    const struct event
        *recorded; /* NULL: the log has nothing here. May be an event that cannot be applied */
    const struct event *made; /* NULL: this build decides nothing here */
};
/* Called for each difference, in the order of the log. */
typedef void redecide_differs_fn(void *ctx, const struct redecide_difference *difference);

/* Returns the control with this number as it was requested; false if the log no longer has it. */
typedef bool redecide_act_fn(void *ctx, int64_t id, struct control *out);

/* The run. Everything is borrowed until redecide_close(). */
struct redecide_run {
    const struct plan *plan;
    uint64_t seed;
    const char *dir;
    bool is_session; /* of an agent that devs did not start: nobody starts or stops anything */
    redecide_act_fn *act;
    redecide_differs_fn *differs;
    void *ctx; /* of both callbacks */
};

/* The result. decisions = same + different + those of lost_acts and unseen. */
struct redecide_sum {
    int64_t events;    /* compared so far */
    int64_t decisions; /* recorded ones, and those missing from the log */
    int64_t same;
    int64_t different; /* each from the first one that differs up to the next input */
    int64_t unseen;    /* after REDECIDE_DIFFERENCES_MAX; in a plan that grows, after the first */
    int64_t lost;      /* following controls that the log no longer has */
    int64_t lost_acts; /* the number of these controls */
    int64_t acts;      /* by people, taken as they are */
    int64_t facts;     /* what happened, taken as it is */
    int64_t unknown;   /* events of kinds that this build does not know */
    int64_t calls; /* starts: accepted as recorded, since the environment that the digest of a call
                      covers is not in the log */
    int64_t prompts; /* rounds: the same for the text of the prompt */
    int64_t cut_off; /* how often devs died before recording everything it had decided */
};

struct redecide;

/* Call before the first event. The caller frees with redecide_close(). */
void redecide_open(struct redecide **out, const struct redecide_run *run);
/* Accepts NULL. */
void redecide_close(struct redecide *redecide);

/* Adds the next event of the run and copies what it needs. The decisions of a moment are compared
 * when an event of another moment arrives. Fails with ERR_DAMAGED if the event cannot follow, and
 * with ERR_LIMIT beyond REDECIDE_MOMENT_MAX. Add nothing after a failure. */
ATTR_MUST_USE bool redecide_add(struct redecide *redecide, const struct event *event,
                                struct err *err);
/* Call after the last event. Fails like redecide_add(). */
ATTR_MUST_USE bool redecide_finish(struct redecide *redecide, struct err *err);

/* The result so far; valid until redecide_close(). */
const struct redecide_sum *redecide_sum(const struct redecide *redecide);

/* Turns a recorded verdict into what it was before the step's expectation was applied. A success
 * without a recorded verdict (`was_recorded` false) where a failure was expected had been a failure
 * that meets the plan; which one is not known. */
void redecide_as_judged(const struct plan_step *step, enum outcome_kind ended, bool was_recorded,
                        struct verdict *verdict);

/* Returns whether events of this kind are decisions, that is, follow from what came before. */
bool redecide_is_decision(enum event_kind kind);

#endif
