/*
 * control.h - a person's act on a run or a task. A plain value.
 */
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
    CONTROL_SEND_ONE = 5, /* this one now; those that wait with the same fault follow it */
    CONTROL_CORRECT = 6,  /* the class of an attempt is another */
    CONTROL_VERB_COUNT,
};

/* How hard a cancel is. */
enum cancel_mode {
    CANCEL_STOP = 0, /* stop retrying; what runs may end by itself */
    CANCEL_TERM = 1, /* and TERM to what runs, KILL after the grace */
    CANCEL_KILL = 2, /* KILL at once */
    CANCEL_MODE_COUNT,
};

enum {
    CONTROL_BY_MAX = 64,
    CONTROL_HINT_MAX = 512, /* bytes of a hint with its NUL; an event's text holds it escaped */
};

struct control {
    int64_t id; /* row in the log; 0 for one made in this process */
    enum control_verb verb;
    enum cancel_mode mode; /* cancel only */
    int task;              /* task number; -1 = the whole run */
    int step;              /* number of the step it was aimed at; -1 = whichever is current */
    int attempt;           /* the attempt of that step it was aimed at; 0 = whichever there is */
    int64_t key_at_ms;     /* when the key went down */
    struct verdict_label label;  /* correct only: what the attempt's class is */
    int tries;                   /* retry only: how many it gets from now; 0 = as the plan says */
    char hint[CONTROL_HINT_MAX]; /* retry only: for the agent of its next attempt; "" = none */
    char by[CONTROL_BY_MAX];     /* who */
};

/* "cancel", "retry", "hold", "release", "send-one", "correct". Static. */
const char *control_verb_name(enum control_verb verb);

struct str;
/* What the log keeps of an act besides its target: {"mode":"term"} of a cancel,
 * {"class":"NETWORK_TIMEOUT"} of a correction (verdict.h), {"hint":"...","attempts":4} of a retry
 * that says so; nothing of the others. Secrets are cut from a hint by whoever asks. */
void control_args(const struct control *control, struct str *out);
/* The inverse, once the verb is set; NULL is no arguments. False for what is not
 * understood: a correction says to what, a hint is shorter than CONTROL_HINT_MAX, and tries are 1
 * to POLICY_ATTEMPTS_MAX. */
ATTR_MUST_USE bool control_args_parse(const char *args, struct control *control);

/* "stop", "term", "kill". Static. */
const char *cancel_mode_name(enum cancel_mode mode);

#endif
