/*
 * circles.h - does a task loop? What a run's fold knows of it: the state of the
 * rungs (entropy.h) over the attempts of all its steps, and what they say now. Pure.
 *
 * An attempt that ended by itself, with an exit, a signal or a timeout, is a step of
 * the trajectory; what never started, was cancelled or interrupted is none.
 */
#ifndef DEVS_CIRCLES_H
#define DEVS_CIRCLES_H

#include <stdbool.h>

#include "entropy.h"
#include "moment.h"
#include "outcome.h"
#include "str.h"

struct circles {
    struct entropy_state state;
    struct entropy_verdict verdict; /* after the latest fact; its numbers are attempts */
    int first_step, last_step;      /* the steps of these attempts, from 0 */
    struct moment since;            /* not ok: when it was first said of these calls */
    bool told;                      /* the log has said so since the latest fact */
};

/* What is known of one attempt beside its fact. */
struct circles_attempt {
    int step, number;
    struct moment at;
};

/* What a step calls, as one of its task's trajectory: the same command in another step is
 * another call, for a plan goes on from step to step. `call` is that of attempt_started. */
struct digest circles_call(struct digest call, int step);

/* Does an attempt that ended so leave a fact? */
bool circles_counts(enum outcome_kind kind);

/* Fold in the fact of an attempt. */
void circles_apply(struct circles *circles, const struct entropy_fact *fact,
                   const struct circles_attempt *attempt, const struct entropy_limits *limits);

/* Is what the rungs say now about this attempt? Not where it left no fact. */
bool circles_is_about(const struct circles *circles, int step, int attempt);

/* A person says "go on": thresholds are `scale` times theirs from now, at most
 * ENTROPY_SCALE_MAX; what was seen stays. */
void circles_go_on(struct circles *circles, int scale);

/* The scale that one more "go on" would give, where `circles` may be NULL. */
int circles_next_scale(const struct circles *circles);
/* The present one, 1 without a "go on". */
int circles_scale(const struct circles *circles);

/* A person's word: nothing that was seen before counts any more; the thresholds stay. */
void circles_begin_anew(struct circles *circles);

/* What the rungs say as members of a JSON object, inside the caller's braces: "rung",
 * "count", "period" (0 left out), "first", "last" (attempts), "first_step", "last_step"
 * (from 0, only where they are not `step`), "identity", "masked", "poll" (only if true),
 * "masks" (what was masked in the last result, normaliser bits, 0 left out), "why". Nothing
 * while ok. */
void circles_to_json(const struct circles *circles, int step, unsigned masks, struct str *out);

struct event;
/* EVENT_LOOP_SUSPECTED of them: its numbers go into *event, whose step and `e` (EVENT_LOOP_OF_...)
 * are set, its text is appended to *out. `masks` as above; `nudge` is a line for whoever goes on.
 */
void circles_suspicion(const struct circles *circles, unsigned masks, const char *nudge,
                       struct event *event, struct str *out);

/* Free what it owns. NULL is allowed. */
void circles_free(struct circles *circles);

#endif
