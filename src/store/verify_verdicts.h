/*
 * verify_verdicts.h - the verdicts of a run, given once more. Private to store.
 */
#ifndef DEVS_VERIFY_VERDICTS_H
#define DEVS_VERIFY_VERDICTS_H

#include "evidence.h"
#include "verify.h"

/* What it works with. */
struct verify_judge {
    const struct verify_asked *asked; /* borrowed */
    int64_t run;
    const struct plan *plan; /* borrowed; grows with the run where it does */
    bool is_session;
    struct evidence *evidence;                          /* owned */
    struct classifier *classifiers[VERIFY_RULES_COUNT]; /* owned; RECORDED may be NULL */
    bool are_same_rules;                                /* then PRESENT alone is there */
    struct event end; /* text owned; of an attempt of which the verdict may still come */
    bool has_end;
    struct verify_verdicts sum;
};

/* `recorded` is the rule set of the log, NULL where there is none; `hash` is what the run says that
 * it is. */
ATTR_MUST_USE bool verify_judge_open(struct verify_judge *judge, struct log_reader *reader,
                                     const char *hash, const char *recorded, struct err *err);
void verify_judge_done(struct verify_judge *judge);

/* The next event. */
ATTR_MUST_USE bool verify_judge_add(struct verify_judge *judge, const struct event *event,
                                    struct err *err);
/* That was the last one. */
ATTR_MUST_USE bool verify_judge_finish(struct verify_judge *judge, struct err *err);

#endif
