/*
 * run_past.h - a run's states at some of its events, kept while it is folded, so that going back
 * folds a few thousand events again and not all.
 *
 * Only what changed is kept: of each task a version for each moment between which and the one
 * before it changed, as bytes without the zeros, and of each attempt as a rule one copy. Pure;
 * belongs to the thread of the state.
 */
#ifndef DEVS_RUN_PAST_H
#define DEVS_RUN_PAST_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "run_state.h"

enum {
    RUN_PAST_EVERY = 8192, /* events from one kept moment to the next that suit a screen */
    RUN_PAST_MOMENTS_MAX = 256,
    RUN_PAST_BYTES_MAX = 48 * 1024 * 1024, /* but the latest version of each task stays */
};

struct run_past;

/* Keep the past of this state, which is before its first event and of a plan that does not grow
 * (run_past_can_keep()): each `every` events (> 0), twice as many whenever there are too many
 * moments or they take too much memory. From now until run_past_free() the state tells what
 * changes. The caller frees, before the state is done with. */
ATTR_MUST_USE struct run_past *run_past_new(struct run_state *state, int64_t every);
/* The state tells no changes any more; free all moments. NULL is allowed. */
void run_past_free(struct run_past *past);

/* Not where the plan grows: its tasks are the state's own. */
bool run_past_can_keep(const struct run_state *state);

/* The state lies elsewhere from now on, and is the same. */
void run_past_follow(struct run_past *past, struct run_state *state);

/* After each event: keep the state if this is a moment to keep. O(1), or O(tasks changed since the
 * last one). */
void run_past_pass(struct run_past *past);

/* One may go about near here: keep this state as well, until another one is marked or the state
 * leaves for another kept moment. O(tasks changed since the last one). */
void run_past_mark(struct run_past *past);

/* Take the state back, or on, to the latest kept moment at or before event `seq` (>= 0); nothing
 * happens where it is no nearer than the state itself. O(tasks + what changed between the two). */
void run_past_approach(struct run_past *past, int64_t seq);

/* For the fold alone: this event changes the task; `old_attempts`: not the latest attempt of a step
 * alone. O(1). */
void run_past_changes(struct run_past *past, int task, bool old_attempts);

#endif
