/*
 * attempt_pick.h - which attempt of a task a person means: --step N, --try N, or neither.
 */
#ifndef DEVS_ATTEMPT_PICK_H
#define DEVS_ATTEMPT_PICK_H

#include "attr.h"
#include "err.h"
#include "run_state.h"

/* The words of the command line, NULL where nothing was said. */
struct attempt_words {
    const char *step, *try;
};

/* A plain value. attempt is 0 where the task has none yet. */
struct attempt_pick {
    int task, step, attempt;
};

/* The attempt that is named; else the latest that failed, of the step or of the whole
 * task; else the latest there is. ERR_INVALID says what there is. */
ATTR_MUST_USE bool attempt_pick(const struct run_state *state, int task,
                                const struct attempt_words *words, struct attempt_pick *out,
                                struct err *err);

#endif
