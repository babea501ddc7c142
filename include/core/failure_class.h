/*
 * failure_class.h - the name of a failed attempt as a value that can be counted: its class, as a
 * person corrected it or as it was judged; if that has no word of its own, how it ended.
 */
#ifndef DEVS_FAILURE_CLASS_H
#define DEVS_FAILURE_CLASS_H

#include "run_state.h"
#include "verdict.h"

struct failure_class {
    struct verdict_label label;
    enum outcome_kind kind; /* how it ended, if that says more than the class, */
    int code;               /* and its exit code or signal; */
    bool is_silent;         /* TIMEOUT: it was silent too long; else all 0 */
};

/* Returns the class of an ended attempt, with a person's correction. */
struct failure_class failure_class_of(const struct attempt_state *attempt);
/* Compares all members. */
bool failure_class_equals(const struct failure_class *a, const struct failure_class *b);
/* Appends the word of the CLASS column: "rate-limit", "test-fail", "timeout", "exit 2". */
void failure_class_word(const struct failure_class *class, struct str *out);

/* Appends " (was test-fail)", the class that devs gave, if a person corrected it. */
void failure_class_original(const struct attempt_state *attempt, struct str *out);

#endif
