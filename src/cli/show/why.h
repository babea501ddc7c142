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
#include "retry_help.h"
#include "shown.h"
#include "str.h"
#include "verdict.h"

struct json;

/* A decision as the log has it. */
struct why_decided {
    bool there;
    struct str inputs;  /* owned; what it went by, a JSON object; may be empty */
    struct str formula; /* owned; the same in words; likewise */
};

struct why {
    struct follower *follower; /* borrowed; it has read all there is */
    struct attempt_pick pick;
    bool orphaned;
    struct moment now; /* of the run's end, or its last sign of life, once nothing counts */
    bool judged;
    struct verdict verdict;          /* judged only */
    struct why_decided wait;         /* another try, after a wait */
    bool free;                       /* wait: it used up no attempt */
    bool over;                       /* wait */
    struct delay delay;              /* wait */
    int64_t due_at_ms;               /* wait */
    char skipped_by[CONTROL_BY_MAX]; /* wait: who sent it on; "" = nobody */
    bool suspected;                  /* with it the log says that it may be looping */
    struct shown_circle circle;      /* suspected, or stopped for looping; else ok */
    struct why_decided stop;         /* the step was over, maybe after the wait had begun */
    enum decision_kind end;          /* stop */
    struct json *evidence;           /* owned; stop for looping: the capture of it */
    struct str facts;                /* owned; what the engine found beside its end, in lines */
    struct str facts_json;           /* owned; the same as objects with commas between */
    bool entropy;                    /* stop: it counts as one that used up its chances */
    bool captured;                   /* stop: its end was captured */
    bool has_odds;                   /* it may be tried again, and there are enough like it: */
    struct retry_odds odds;
};

/* Fold the run once more and keep what is about this attempt. The caller ends *out with
 * why_done(), also after an error. */
ATTR_MUST_USE bool why_read(struct follower *follower, const struct attempt_pick *pick,
                            struct why *out, struct err *err);
void why_done(struct why *why);

/* Appends the label of a line and the blanks after it. */
void why_begin(const char *label, struct str *out);
/* For people: a line for each thing there is to say, each with its line feed. */
void why_words(const struct why *why, struct str *out);
/* For programs: one object, {"v":1,...}, without a line feed. */
void why_json(const struct why *why, struct str *out);
/* What would help, and who has to do it: one line; "" where nothing has to be done. */
void why_next(const struct why *why, struct str *out);

#endif
