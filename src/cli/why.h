/*
 * why.h - what became of one attempt and why, as the log tells it: for `devs why`.
 */
#ifndef DEVS_WHY_H
#define DEVS_WHY_H

#include <stdbool.h>
#include <stdint.h>

#include "attempt_pick.h"
#include "attr.h"
#include "control.h"
#include "err.h"
#include "follower.h"
#include "protocol.h"
#include "str.h"
#include "verdict.h"

/* What was decided after it. */
enum why_decision {
    WHY_UNDECIDED, /* it runs, or it passed as it should */
    WHY_WAIT,      /* another try after a wait */
    WHY_END,       /* the step was over */
};

struct why {
    struct follower *follower; /* borrowed; it has read all there is */
    struct attempt_pick pick;
    bool orphaned;
    struct moment now; /* of the run's end, or the last event, once nothing counts any more */
    bool judged;
    struct verdict verdict; /* judged only */
    enum why_decision decision;
    enum decision_kind end;          /* END only */
    bool entropy;                    /* END only: it counts as a failure that used up its chances */
    bool free;                       /* WAIT only: it used up no attempt */
    bool over;                       /* WAIT only */
    struct delay delay;              /* WAIT only */
    int64_t due_at_ms;               /* WAIT only */
    char skipped_by[CONTROL_BY_MAX]; /* WAIT only: who sent it on; "" = it was waited out */
    struct str inputs;               /* owned; what the decision went by, as in the log */
    struct str formula;              /* owned; the same in words */
};

/* Fold the run once more and keep what is about this attempt. The caller ends *out with
 * why_done(), also after an error. */
ATTR_MUST_USE bool why_read(struct follower *follower, const struct attempt_pick *pick,
                            struct why *out, struct err *err);
void why_done(struct why *why);

/* For people: a line for each thing there is to say, each with its line feed. */
void why_words(const struct why *why, struct str *out);
/* For programs: one object, {"v":1,...}, without a line feed. */
void why_json(const struct why *why, struct str *out);
/* What would help, and who has to do it: one line; "" where nothing has to be done. */
void why_next(const struct why *why, struct str *out);

#endif
