/* control.h - what a person asks of a run or a task. A plain value. */
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
    CONTROL_SEND_ONE = 5, /* this one now; those that wait with the same fault follow */
    CONTROL_CORRECT = 6,  /* corrects the class of an attempt */
    CONTROL_VERB_COUNT,
};

/* How a cancellation stops what runs. */
enum cancel_mode {
    CANCEL_STOP = 0, /* stop retrying; running attempts may finish */
    CANCEL_TERM = 1, /* also TERM to running attempts, KILL after the grace period */
    CANCEL_KILL = 2, /* KILL at once */
    CANCEL_MODE_COUNT,
};

enum {
    CONTROL_BY_MAX = 64,
    CONTROL_HINT_MAX =
        512, /* bytes of a hint including its NUL; fits escaped into an event's data */
};

struct control {
    int64_t id; /* row in the log; 0 for one made in this process */
    enum control_verb verb;
    enum cancel_mode mode;      /* cancel only */
    int task;                   /* task number; -1 = the whole run */
    int step;                   /* number of the step it is meant for; -1 = the current one */
    int attempt;                /* the attempt of that step it is meant for; 0 = the latest */
    int64_t key_at_ms;          /* when the key went down */
    struct verdict_label label; /* correct only: the attempt's correct class */
    int tries; /* retry only: number of attempts from now on; 0 = as the plan says */
    char hint[CONTROL_HINT_MAX]; /* retry only: for the agent of the next attempt; "" = none */
    char by[CONTROL_BY_MAX];     /* who */
};

/* "cancel", "retry", "hold", "release", "send-one", "correct". Static. */
const char *control_verb_name(enum control_verb verb);

struct str;
/* Appends what the log keeps of a control besides its target: {"mode":"term"} for a cancel,
 * {"class":"NETWORK_TIMEOUT"} for a correction (verdict.h), {"hint":"...","attempts":4} for a retry
 * with choices; nothing for others. The caller removes secrets from a hint. */
void control_args(const struct control *control, struct str *out);
/* The inverse, once the verb is set; NULL = no arguments. Returns false for what is not valid: a
 * correction needs a class, a hint is shorter than CONTROL_HINT_MAX, and tries are 1 to
 * POLICY_ATTEMPTS_MAX. */
ATTR_MUST_USE bool control_args_parse(const char *args, struct control *control);

/* "stop", "term", "kill". Static. */
const char *cancel_mode_name(enum cancel_mode mode);

#endif
