/*
 * failure_class.h - what a failed attempt is called, as a value that can be counted by: its class
 * as a person corrected it, else as it was judged; where that has no word of its own, how it ended.
 */
#ifndef DEVS_FAILURE_CLASS_H
#define DEVS_FAILURE_CLASS_H

#include "run_state.h"
#include "verdict.h"

struct failure_class {
    struct verdict_label label;
    enum outcome_kind kind; /* where that says more than the class: how it ended, */
    int code;               /* and its exit code or signal; */
    bool is_silent;         /* TIMEOUT: it was silent too long; else all 0 */
};

/* Of an attempt that is over, as a person has corrected it. */
struct failure_class failure_class_of(const struct attempt_state *attempt);
/* Do they count as one: every member alike? */
bool failure_class_equals(const struct failure_class *a, const struct failure_class *b);
/* "rate-limit", "test-fail", "timeout", "exit 2": the word of the CLASS column. */
void failure_class_word(const struct failure_class *class, struct str *out);

/* Adds " (was test-fail)", the class that devs gave the attempt, if a person corrected it; else
 * nothing. */
void failure_class_original(const struct attempt_state *attempt, struct str *out);

#endif
