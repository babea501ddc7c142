/* circles.h - the loop state of a task in the fold of a run: the state of the rungs (entropy.h)
 * over the attempts of all steps of the task, and the current verdict. Pure.
 *
 * Only attempts that exited, died of a signal or timed out count as steps. Attempts that never
 * started, were canceled or were interrupted do not. */
#ifndef DEVS_CIRCLES_H
#define DEVS_CIRCLES_H

#include <stdbool.h>

#include "digest.h"
#include "entropy.h"
#include "moment.h"
#include "outcome.h"
#include "plan.h"
#include "str.h"

struct circles {
    struct entropy_state state;
    struct entropy_verdict
        verdict; /* after the latest fact; first_number and last_number are attempts */
    int first_step, last_step; /* steps (from 0) of the first and the last attempt of the verdict */
    struct moment since; /* if the verdict is not ok: when it was first reached for its calls */
    bool told;           /* the verdict was reported in the log since the latest fact */
};

/* Identifies the attempt of a fact. */
struct circles_attempt {
    int step, number;
    struct moment at;
};

/* Returns the digest of a step's call within its task: the same command in a different step counts
 * as a different call, so that a plan that repeats a command in each step is not seen as a loop.
 * `call` is from attempt_started. */
struct digest circles_call(struct digest call, int step);

/* Returns true if an attempt that ended like this leaves a fact. */
bool circles_counts(enum outcome_kind kind);

/* Adds the fact of an attempt. */
void circles_apply(struct circles *circles, const struct entropy_fact *fact,
                   const struct circles_attempt *attempt, const struct entropy_limits *limits);

/* Returns true if the current verdict is about this attempt; false if it left no fact. */
bool circles_is_about(const struct circles *circles, int step, int attempt);

/* Continues after a person has said "go on": sets the thresholds to the original ones times
 * `scale`, which is at most ENTROPY_SCALE_MAX, and keeps the memory. */
void circles_go_on(struct circles *circles, int scale);

/* Returns the scale that another "go on" would give. `circles` may be NULL. */
int circles_next_scale(const struct circles *circles);
/* Returns the current scale; 1 without a "go on". `circles` may be NULL. */
int circles_scale(const struct circles *circles);

/* Forgets everything but the thresholds, after a person has answered. */
void circles_begin_anew(struct circles *circles);

/* The facts of a loop rule, as events record them. */
struct loop_facts {
    enum entropy_rung rung; /* NONE = no facts */
    int count, period;
    int64_t first, last;       /* attempts, or numbers of calls */
    int first_step, last_step; /* from 0; -1: the event's step */
    unsigned masks;            /* normaliser bits: the kinds of tokens masked in the last result */
    bool masked, poll;
    struct digest identity;
    const char *why; /* borrowed; NULL = none */
};

/* Returns the facts of the current verdict, for an event about `step`; no facts while the verdict
 * is ok. Appends the text that the facts borrow to *why. */
struct loop_facts circles_facts(const struct circles *circles, int step, unsigned masks,
                                struct str *why);

/* Frees it. May be NULL. */
void circles_free(struct circles *circles);

#endif
