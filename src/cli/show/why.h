/*
 * why.h - how an attempt ended and why, according to the log: for `devs why`.
 */
#ifndef DEVS_WHY_H
#define DEVS_WHY_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "follower.h"
#include "protocol.h"
#include "retry_help.h"
#include "shown.h"
#include "str.h"
#include "target.h"
#include "verdict.h"

struct json;

/* A decision as recorded in the log. */
struct why_decided {
    bool there;
    struct str inputs;  /* owned; its inputs, a JSON object; may be empty */
    struct str formula; /* owned; the same as text; may be empty */
};

struct why {
    struct follower *follower; /* borrowed; has read everything */
    struct attempt_pick pick;
    bool orphaned;
    struct moment now; /* the end of the run or its last sign of life if no clock is running */
    bool judged;
    struct verdict verdict;          /* valid if judged */
    struct why_decided wait;         /* another try after a wait */
    bool free;                       /* wait: it used up no attempt */
    bool over;                       /* wait */
    struct delay delay;              /* wait */
    int64_t due_at_ms;               /* wait */
    char skipped_by[CONTROL_BY_MAX]; /* wait: who skipped it; "" = nobody */
    bool suspected;                  /* the log says that the task may be looping */
    struct shown_circle circle;      /* suspected, or stopped for looping; otherwise ok */
    struct why_decided stop;         /* the end of the step, possibly after a wait */
    enum decision_kind end;          /* stop */
    struct json *evidence;           /* owned; stop for looping: its capture */
    struct str facts;                /* owned; other facts that the engine recorded, as lines */
    struct str facts_json;           /* owned; the same facts as comma-separated objects */
    bool entropy;                    /* stop: it counts as a step that used up its attempts */
    bool captured;                   /* stop: its end was captured */
    bool has_odds;                   /* a retry is possible and there are enough similar ones: */
    struct retry_odds odds;
};

/* Folds the run again and keeps what concerns this attempt. The caller ends *out with
 * why_done(), also after an error. */
ATTR_MUST_USE bool why_read(struct follower *follower, const struct attempt_pick *pick,
                            struct why *out, struct err *err);
void why_done(struct why *why);

/* Appends the label of a line, padded. */
void why_begin(const char *label, struct str *out);
/* For people: appends the lines, each with a line feed. */
void why_words(const struct why *why, struct str *out);
/* For programs: appends one object, {"v":1,...}, without a line feed. */
void why_json(const struct why *why, struct str *out);
/* Appends what would help, and who has to do it, as one line; nothing if there is nothing to do. */
void why_next(const struct why *why, struct str *out);

#endif
