/* rule_trial.h - tests how other rules would classify all recorded attempts.
 *
 * Classifies every attempt of every run twice, by the current rules and by the new ones, from the
 * log: how the attempt ended, and the end of both streams. Writes nothing and ignores the recorded
 * verdicts. Call it on a separate thread: it opens its own connection and keeps a page of events
 * and the output of one attempt in memory. */
#ifndef DEVS_RULE_TRIAL_H
#define DEVS_RULE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"
#include "plan.h"
#include "str.h"

enum {
    RULE_TRIAL_CHANGES_MAX = 32, /* maximum number of distinct changes in the result */
    RULE_TRIAL_EXAMPLES_MAX = 5, /* maximum number of examples of each change */
    RULE_TRIAL_WORD_MAX = 80,
};

/* Identifies a recorded attempt, such as "#41/tax step 2 try 3". A plain value. */
struct rule_trial_attempt {
    int64_t run;
    char task[PLAN_ID_MAX + 1];
    int step; /* step number, from 0 */
    int attempt;
};

/* Attempts whose class changes in the same way. */
struct rule_trial_change {
    char from[RULE_TRIAL_WORD_MAX]; /* as in the CLASS column: "exit 1", "success" */
    char to[RULE_TRIAL_WORD_MAX];
    bool look; /* worth a look: the change overrides a success, or a failure whose reason was known
                */
    int64_t count;
    struct rule_trial_attempt examples[RULE_TRIAL_EXAMPLES_MAX]; /* the newest of these attempts */
    int example_count;
};

/* The result of a trial. A plain value. */
struct rule_trial {
    int64_t attempts; /* number of classified attempts */
    int64_t changed;
    int64_t skipped; /* number of attempts in runs whose plan cannot be read */
    bool cancelled;  /* the counts cover only the attempts classified before the user cancelled */
    struct rule_trial_change changes[RULE_TRIAL_CHANGES_MAX]; /* sorted by `count`, largest first */
    int change_count;
    int64_t others; /* changed attempts that did not fit into `changes` */
};

/* Called after each attempt, on the thread of rule_trial_run(). `total` is approximate. Return
 * false to cancel. */
typedef bool rule_trial_progress_fn(void *ctx, int64_t done, int64_t total);

struct rule_trial_asked {
    const struct place *place;        /* borrowed */
    const char *rules;                /* borrowed; the current rules, as for classifier_open() */
    const char *new_rules;            /* borrowed; as for classifier_open(), see rule_list_add() */
    rule_trial_progress_fn *progress; /* may be NULL */
    void *ctx;                        /* borrowed; for progress */
};

/* Tests the rules, newest runs first. Fails with ERR_INVALID before reading anything if the rules
 * do not compile, ERR_NOT_FOUND if there is no log. */
ATTR_MUST_USE bool rule_trial_run(const struct rule_trial_asked *asked, struct rule_trial *out,
                                  struct err *err);

/* Appends one line without a line feed, such as "14 of 640 would change: 12 exit 1 -> rate-limit, 2
 * test-fail -> rate-limit (look at these: #41/T-104 try 2, ...)". */
void rule_trial_words(const struct rule_trial *trial, struct str *out);
/* Appends "#41/T-104 try 2", or "#41/T-104 step 2 try 1" for steps after the first. */
void rule_trial_attempt_words(const struct rule_trial_attempt *attempt, struct str *out);

#endif
