/*
 * circles.h - the loop state of a task, as a run's fold keeps it: the state of the rungs
 * (entropy.h) over the attempts of all its steps, and their current verdict. Pure.
 *
 * Only attempts that exited, died of a signal or timed out count as steps. Attempts that never
 * started, were canceled or were interrupted do not.
 */
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
    struct entropy_verdict verdict; /* after the latest fact; its numbers are attempts */
    int first_step, last_step;      /* the steps of these attempts, from 0 */
    struct moment since;            /* not ok: when it was first reported for these calls */
    bool told;                      /* reported in the log since the latest fact */
};

/* What is known of an attempt beside its fact. */
struct circles_attempt {
    int step, number;
    struct moment at;
};

/* Returns the digest of a step's call within its task: the same command in another step is
 * another call, since a plan moves from step to step. `call` is from attempt_started. */
struct digest circles_call(struct digest call, int step);

/* Returns true if an attempt that ended like this leaves a fact. */
bool circles_counts(enum outcome_kind kind);

/* Adds the fact of an attempt. */
void circles_apply(struct circles *circles, const struct entropy_fact *fact,
                   const struct circles_attempt *attempt, const struct entropy_limits *limits);

/* Returns true if the current verdict is about this attempt; false if it left no fact. */
bool circles_is_about(const struct circles *circles, int step, int attempt);

/* A person has said "go on": multiplies the original thresholds by `scale`, at most
 * ENTROPY_SCALE_MAX, and keeps the memory. */
void circles_go_on(struct circles *circles, int scale);

/* Returns the scale that another "go on" would give. `circles` may be NULL. */
int circles_next_scale(const struct circles *circles);
/* Returns the current scale; 1 without a "go on". `circles` may be NULL. */
int circles_scale(const struct circles *circles);

/* A person has answered: forgets everything but the thresholds. */
void circles_begin_anew(struct circles *circles);

/* The facts of a loop rule, as events record them. */
struct loop_facts {
    enum entropy_rung rung; /* NONE = no facts */
    int count, period;
    int64_t first, last;       /* attempts, or numbers of calls */
    int first_step, last_step; /* from 0; -1: the event's step */
    unsigned masks;            /* what was masked in the last result: normaliser bits */
    bool masked, poll;
    struct digest identity;
    const char *why; /* borrowed; NULL = none */
};

/* Returns the facts of the current verdict, for an event about `step`; none while ok. Appends the
 * text that they borrow to *why. */
struct loop_facts circles_facts(const struct circles *circles, int step, unsigned masks,
                                struct str *why);

/* Frees it. May be NULL. */
void circles_free(struct circles *circles);

#endif
