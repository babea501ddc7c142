/*
 * shown_said.h - what the agent of a task said last, beside what the checks after it say. Pure.
 *
 * That an agent says so proves nothing; a later step that passed in the same round does. What
 * is said while its attempt still runs is no claim yet.
 */
#ifndef DEVS_SHOWN_SAID_H
#define DEVS_SHOWN_SAID_H

#include "run_state.h"
#include "str.h"

enum shown_claim {
    SHOWN_CLAIM_NONE,      /* it has no agent, or that has not spoken, or not ended */
    SHOWN_CLAIM_UNCHECKED, /* no check has ended since */
    SHOWN_CLAIM_REFUTED,   /* the last check after it failed */
    SHOWN_CLAIM_STALE,     /* it passed, and the tree has changed since */
    SHOWN_CLAIM_PROVEN,    /* it passed */
    SHOWN_CLAIM_COUNT,
};

/* How what the agent of the task said last stands. O(steps of the task). */
enum shown_claim shown_claim(const struct run_state *state, int task);
/* "unchecked", "refuted", "stale", "proven": for programs. Not of NONE. */
const char *shown_claim_name(enum shown_claim claim);
/* `"All tests pass now."   not proven: VERIFY after it: exit 1`; the quotation is cut so that all
 * of it takes at most `columns`, or down to a few words where the rest alone is that long; ""
 * for no claim. */
void shown_said(const struct run_state *state, int task, int columns, struct str *out);

#endif
