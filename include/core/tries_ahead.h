/*
 * tries_ahead.h - when the next tries of a task that waits are due, and when it gives up, if none
 * of them passes. Pure; the decisions are made by protocol.h, the delays are those that will be
 * waited (the jitter of each try is known before: policy.h).
 *
 * Only waits are known: how long a try runs is not. It is taken that each fails as the last one
 * did, with another result and without a time that a server names.
 */
#ifndef DEVS_TRIES_AHEAD_H
#define DEVS_TRIES_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "moment.h"
#include "protocol.h"
#include "run_state.h"
#include "shown.h"

struct tries_ahead {
    int first;         /* number of the next attempt */
    int shown;         /* the number that people see: of a start, which one of them */
    int count;         /* attempts that come, this one included; from 1 */
    struct moment due; /* of the first */
    int64_t waits_ms[POLICY_ATTEMPTS_MAX]; /* the whole wait before each */
    int64_t more_ms;                       /* all waits after the first attempt, together */
    enum decision_kind end;                /* what it comes to after the last one */
    bool is_start; /* they are starts of the same attempt, none of which has run */
    int alike;     /* it ends sooner at so many equal results in a row; 0 = it does not */
};

/* False, and *out untouched, where the task does not wait for a try, or waits for a person. */
ATTR_MUST_USE bool tries_ahead(const struct run_state *state, int task, struct tries_ahead *out);

/* "try 4 at 14:02:55; if it fails try 5 0:51 later, try 6 1:42 later; then gave-up, no sooner than
 * 14:05:28 plus the run times". Clock times by time->hms. */
void tries_ahead_words(const struct tries_ahead *ahead, const struct shown_time *time,
                       struct str *out);

#endif
