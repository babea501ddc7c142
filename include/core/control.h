/* control.h - a person's request to change a run or a task. A plain value. */
#ifndef DEVS_CONTROL_H
#define DEVS_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "verdict.h"

/* Numbers are in the log: never renumber. */
enum control_verb {
    CONTROL_CANCEL = 1,
    CONTROL_RETRY = 2,
    CONTROL_HOLD = 3,
    CONTROL_RELEASE = 4,
    CONTROL_SEND_ONE = 5, /* sends this task now; tasks queued for the same fault follow */
    CONTROL_CORRECT = 6,  /* corrects the class of an attempt */
    CONTROL_VERB_COUNT,
};

/* How to stop running attempts when canceling. */
enum cancel_mode {
    CANCEL_STOP = 0, /* stop retrying; running attempts may finish */
    CANCEL_TERM = 1, /* also send TERM to running attempts, and KILL after the grace period */
    CANCEL_KILL = 2, /* send KILL at once */
    CANCEL_MODE_COUNT,
};

enum {
    CONTROL_BY_MAX = 64,
    CONTROL_HINT_MAX = 512, /* maximum bytes of a hint including its NUL; fits into an event's data
                               even when escaped */
};

struct control {
    int64_t id; /* row in the log; 0 for one made in this process */
    enum control_verb verb;
    enum cancel_mode mode;      /* cancel only */
    int task;                   /* task number; -1 = the whole run */
    int step;                   /* number of the target step; -1 = the current one */
    int attempt;                /* target attempt of the step; 0 = the latest */
    int64_t key_at_ms;          /* when the key was pressed */
    struct verdict_label label; /* correct only: the attempt's correct class */
    int tries; /* retry only: number of attempts from now on; 0 = as the plan says */
    char hint[CONTROL_HINT_MAX]; /* retry only: text for the agent of the next attempt; "" = none */
    char by[CONTROL_BY_MAX];     /* the person who made the request */
};

/* Returns "cancel", "retry", "hold", "release", "send-one" or "correct". Static. */
const char *control_verb_name(enum control_verb verb);

struct str;
/* Appends the arguments of a control, as the log stores them besides the target: {"mode":"term"}
 * for a cancel, {"class":"NETWORK_TIMEOUT"} for a correction (verdict.h),
 * {"hint":"...","attempts":4} for a retry with choices; nothing for other controls. The caller
 * removes secrets from a hint. */
void control_args(const struct control *control, struct str *out);
/* The inverse of control_args(). control->verb must be set; args may be NULL if there are none.
 * Returns false for invalid arguments: a correction needs a class, a hint must be shorter than
 * CONTROL_HINT_MAX, and tries must be 1 to POLICY_ATTEMPTS_MAX. */
ATTR_MUST_USE bool control_args_parse(const char *args, struct control *control);

/* Returns "stop", "term" or "kill". Static. */
const char *cancel_mode_name(enum cancel_mode mode);

#endif
