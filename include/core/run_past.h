/*
 * run_past.h - the states of a run at some of its events, kept while it is folded, so that going
 * back applies only a few thousand events again. Pure; belongs to the thread of the state.
 *
 * Only changes are kept: for each task one version for each moment before which it changed, as
 * bytes without the zeros, and usually one copy of each attempt.
 */
#ifndef DEVS_RUN_PAST_H
#define DEVS_RUN_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "run_state.h"

enum {
    RUN_PAST_EVERY = 8192, /* a distance of kept moments, in events, that suits a screen */
    RUN_PAST_MOMENTS_MAX = 256,
    RUN_PAST_BYTES_MAX =
        48 * 1024 * 1024, /* the latest version of each task is kept even beyond this */
};

struct run_past;

/* Starts keeping the past of this state, which must be before its first event and have a plan that
 * does not grow (run_past_can_keep()): every `every` events (> 0), and twice as many whenever there
 * are too many moments or they need too much memory. Until run_past_free() the state reports what
 * changes. The caller frees, before the state. */
ATTR_MUST_USE struct run_past *run_past_new(struct run_state *state, int64_t every);
/* Frees all moments; the state reports no more changes. Accepts NULL. */
void run_past_free(struct run_past *past);

/* Returns whether the past can be kept. It cannot if the plan grows, since its tasks are the
 * state's own then. */
bool run_past_can_keep(const struct run_state *state);

/* The state has been moved to another address. */
void run_past_follow(struct run_past *past, struct run_state *state);

/* Call after each event: keeps the state if this is a moment to keep. O(1), or O(tasks changed
 * since the last one). */
void run_past_pass(struct run_past *past);

/* Keeps this state as well, as a place near which a person may move, until another one is marked or
 * the state moves to another kept moment. O(tasks changed since the last one). */
void run_past_mark(struct run_past *past);

/* Moves the state, back or forward, to the latest kept moment at or before event `seq` (>= 0). Does
 * nothing if that is not closer than the state itself. O(tasks + what changed between the two). */
void run_past_approach(struct run_past *past, int64_t seq);

/* For the fold only: this event changes the task. `old_attempts`: not only the latest attempt of a
 * step. O(1). */
void run_past_changes(struct run_past *past, int task, bool old_attempts);

#endif
