/*
 * correct_trial.h - a rule on trial, in a thread of its own: no screen waits for it.
 *
 * Every call comes from the thread that started it.
 */
#ifndef DEVS_CORRECT_TRIAL_H
#define DEVS_CORRECT_TRIAL_H

#include "attr.h"
#include "correct.h"
#include "err.h"
#include "rule_trial.h"

struct correct_trial;

/* What does the work: rule_trial_run(). */
typedef bool correct_trial_fn(const struct rule_trial_asked *asked, struct rule_trial *out,
                              struct err *err);

struct correct_trial_job {
    correct_trial_fn *run;
    const struct place *place; /* borrowed; must outlive the trial */
    const char *rules;         /* borrowed for the call: a person's rules now; NULL = none */
    const char *rule;          /* borrowed for the call: the new one */
};

/* Begin. ERR_INVALID if the rule is none. */
ATTR_MUST_USE bool correct_trial_start(struct correct_trial **out,
                                       const struct correct_trial_job *job, struct err *err);
/* Have it end soon, without news; correct_trial_stop() is still to be called. */
void correct_trial_cancel(struct correct_trial *trial);
/* Cancel it and wait for its thread: for the attempt that is being judged, at most (or, if
 * it has only begun, until its rules are compiled). Once it is over, that is no time. */
void correct_trial_stop(struct correct_trial *trial);

/* How far it is; texts are valid until it is stopped. */
struct correct_trial_news correct_trial_look(struct correct_trial *trial);
/* Was it cancelled? */
bool correct_trial_is_cancelled(const struct correct_trial *trial);

#endif
