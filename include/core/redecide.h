/*
 * redecide.h - the decisions of a recorded run, made once more: what went into each of them is
 * taken from the log, the scheduler of this build decides, and what it emits is compared with
 * what was recorded. Pure; belongs to one thread.
 *
 * Events come in as they were recorded, in order. Those that say what happened (an attempt's end,
 * a person's act, a fact of the engine) become inputs of scheduler_step(); those that follow from
 * these are what is compared. After one that differs it goes on from what the log says.
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
    REDECIDE_MOMENT_MAX = 1000 * 1000, /* events of one and the same moment; a run of
                                          PLAN_TASKS_MAX tasks that is taken up again has fewer */
    REDECIDE_DIFFERENCES_MAX = 200,    /* after so many the rest is not looked at */
    REDECIDE_GUESSES_MAX = 2000,       /* so often a reason is looked for that the log does not say:
                                          each costs copies of the whole state */
};

/* A decision that is another one now. All borrowed for the call. */
struct redecide_difference {
    const struct run_state *state; /* as the log has it, before `recorded` */
    enum input_kind input;         /* what was decided on */
    const struct event *cause;     /* the recorded event that brought it; of INPUT_TIME, the first
                                      that followed on it */
    const struct event *recorded;  /* NULL: the log has nothing here; it may be one that
                                      cannot be folded in */
    const struct event *made;      /* NULL: this build decides nothing here */
};
/* Called for each difference, in the order of the log. */
typedef void redecide_differs_fn(void *ctx, const struct redecide_difference *difference);

/* The act of that number as it was asked for; false if the log does not have it any more. */
typedef bool redecide_act_fn(void *ctx, int64_t id, struct control *out);

/* Of which run. All borrowed until redecide_close(). */
struct redecide_run {
    const struct plan *plan;
    uint64_t seed;
    const char *dir;
    bool is_session; /* of an agent that devs did not start: nobody starts or ends anything */
    redecide_act_fn *act;
    redecide_differs_fn *differs;
    void *ctx; /* of both */
};

/* What came of it. decisions = same + different + those of lost_acts and unseen. */
struct redecide_sum {
    int64_t events;    /* that were looked at */
    int64_t decisions; /* recorded ones, and those that the log lacks */
    int64_t same;
    int64_t different; /* each from the first one on that differs, up to the next input */
    int64_t unseen;    /* after REDECIDE_DIFFERENCES_MAX; in a plan that grows, after the first */
    int64_t lost;      /* that followed on acts which the log does not have any more */
    int64_t lost_acts; /* how many these are */
    int64_t acts;      /* of people, taken as they are */
    int64_t facts;     /* what happened, taken as it is */
    int64_t unknown;   /* events of kinds that this build does not know */
    int64_t calls;     /* starts: the digest of what is called depends on an environment that
                          nobody recorded, and is taken as it is */
    int64_t prompts;   /* rounds: the words of the prompt likewise */
    int64_t cut_off;   /* how often its devs did not live to record all that it had decided */
};

struct redecide;

/* Before the first event. The caller ends it with redecide_close(). */
void redecide_open(struct redecide **out, const struct redecide_run *run);
/* NULL is allowed. */
void redecide_close(struct redecide *redecide);

/* The next event of the run; what is needed of it is copied. Decisions of a moment are compared
 * when an event of another one comes. ERR_DAMAGED: it cannot follow; ERR_LIMIT:
 * REDECIDE_MOMENT_MAX. Nothing may be added after either. */
ATTR_MUST_USE bool redecide_add(struct redecide *redecide, const struct event *event,
                                struct err *err);
/* That was the last one. False as for an event that is given. */
ATTR_MUST_USE bool redecide_finish(struct redecide *redecide, struct err *err);

/* What was compared so far; valid until redecide_close(). */
const struct redecide_sum *redecide_sum(const struct redecide *redecide);

struct json;
/* What EVENT_ATTEMPT_JUDGED says; `text` is its text, read. */
void redecide_recorded_verdict(const struct event *judged, const struct json *text,
                               struct verdict *out);
/* Make of a recorded verdict what it was before the step's plan was asked whether a failure was
 * wanted. A success that left no verdict (`was_recorded` false) where one was wanted had been a
 * failure that meets the plan; which one, nobody knows. */
void redecide_as_judged(const struct plan_step *step, enum outcome_kind ended, bool was_recorded,
                        struct verdict *verdict);

/* Is an event of this kind a decision: does it follow from what went before it? */
bool redecide_is_decision(enum event_kind kind);

#endif
