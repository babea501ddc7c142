/*
 * rule_trial.h - what other rules would say of all attempts that are recorded.
 *
 * Every attempt of every run is judged twice, by the rules in force and by the new ones,
 * from what the log holds: how it ended, and the end of both streams. Nothing is written,
 * and what was recorded as its verdict has no say. Call it on a thread of your own: it
 * reads through a connection of its own and holds a page of events and the output of one
 * attempt in memory.
 */
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
    RULE_TRIAL_CHANGES_MAX = 32, /* kinds of change that are told apart */
    RULE_TRIAL_EXAMPLES_MAX = 5, /* attempts named for each */
    RULE_TRIAL_WORD_MAX = 80,
};

/* One recorded attempt: "#41/tax step 2 try 3". A plain value. */
struct rule_trial_attempt {
    int64_t run;
    char task[PLAN_ID_MAX + 1];
    int step; /* number, from 0 */
    int attempt;
};

/* Attempts whose class changes in the same way. */
struct rule_trial_change {
    char from[RULE_TRIAL_WORD_MAX]; /* as in the CLASS column: "exit 1"; "success" */
    char to[RULE_TRIAL_WORD_MAX];
    bool look; /* the present rules knew better than "it failed": have a look at these */
    int64_t count;
    struct rule_trial_attempt examples[RULE_TRIAL_EXAMPLES_MAX]; /* the newest */
    int example_count;
};

/* A plain value. */
struct rule_trial {
    int64_t attempts; /* judged */
    int64_t changed;
    int64_t skipped; /* of runs whose plan cannot be read */
    bool cancelled;  /* the figures are of what was judged until then */
    struct rule_trial_change changes[RULE_TRIAL_CHANGES_MAX]; /* the largest first */
    int change_count;
    int64_t others; /* changed in more ways than fit */
};

/* Called after each attempt, on the thread of rule_trial_run(): `total` is how many there
 * are, about. False: enough. */
typedef bool rule_trial_progress_fn(void *ctx, int64_t done, int64_t total);

struct rule_trial_asked {
    const struct place *place;        /* borrowed */
    const char *rules;                /* borrowed; in force: as for classifier_open() */
    const char *new_rules;            /* borrowed; likewise, see rule_list_add() */
    rule_trial_progress_fn *progress; /* may be NULL */
    void *ctx;                        /* borrowed; for progress */
};

/* Try the rules, the newest runs first. ERR_INVALID for rules that do not compile, before
 * anything is read; ERR_NOT_FOUND if there is no log. */
ATTR_MUST_USE bool rule_trial_run(const struct rule_trial_asked *asked, struct rule_trial *out,
                                  struct err *err);

/* "14 of 640 would change: 12 exit 1 -> rate-limit, 2 test-fail -> rate-limit (look at
 * these: #41/T-104 try 2, ...)", one line without a line feed. */
void rule_trial_words(const struct rule_trial *trial, struct str *out);
/* "#41/T-104 try 2"; "#41/T-104 step 2 try 1" past the first step. */
void rule_trial_attempt_words(const struct rule_trial_attempt *attempt, struct str *out);

#endif
