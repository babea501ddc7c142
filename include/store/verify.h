/*
 * verify.h - a recorded run held against this build: its decisions made once more (redecide.h),
 * its verdicts given once more, by the rules that it ran with and by those of today.
 *
 * What a verdict went by is in the log but for what a memory counter said, which is taken from the
 * verdict itself.
 */
#ifndef DEVS_VERIFY_H
#define DEVS_VERIFY_H

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "outcome.h"
#include "redecide.h"
#include "verdict.h"

/* By whose rules. */
enum verify_rules {
    VERIFY_RECORDED, /* those that the log has of the run */
    VERIFY_PRESENT,  /* those of this build, and the person's */
    VERIFY_RULES_COUNT,
};

/* Of a run whose rules are not in the log, or cannot be read by this build, nobody knows what they
 * would say. */
enum verify_log_rules { VERIFY_RULES_NONE, VERIFY_RULES_UNREADABLE, VERIFY_RULES_THERE };

/* A verdict that is another one. All borrowed for the call. */
struct verify_verdict {
    enum verify_rules rules;
    const struct plan *plan;   /* of the run */
    const struct event *event; /* the end of the attempt */
    const struct outcome *outcome;
    const struct verdict *was; /* before it was asked whether a failure was wanted */
    const struct verdict *is;
};

/* Verdicts, in numbers. judged + cut + seen + unread + unruled = ended. */
struct verify_verdicts {
    int64_t ended;     /* attempts that are over and were judged */
    int64_t judged;    /* once more */
    int64_t cut;       /* not: the end of their output is not in the log */
    int64_t seen;      /* not: devs saw it itself, that a result could not be kept or written */
    int64_t unread;    /* not: who took the run up had not seen their output either */
    int64_t unruled;   /* not: no rules were asked, for an agent that devs did not start */
    int64_t contracts; /* of those that were judged: not held against their contract, for the log
                          has not all of their output */
    int64_t different[VERIFY_RULES_COUNT];
    int64_t prints;       /* fingerprints of results that were taken once more */
    int64_t other_prints; /* of these, others than those that were recorded */
    int64_t first_print;  /* the event of the first of them; 0 = none */
    int64_t prints_left;  /* not taken: an agent's, or not all of the output is in the log */
    enum verify_log_rules recorded; /* other than THERE: VERIFY_RECORDED is not told */
};

struct verify_sum {
    struct redecide_sum decisions;
    struct verify_verdicts verdicts;
};

/* Called for each verdict that is another one, in the order of the log. */
typedef void verify_verdict_fn(void *ctx, const struct verify_verdict *verdict);
/* Called now and then: `done` of about `total` events. */
typedef void verify_progress_fn(void *ctx, int64_t done, int64_t total);

struct verify_asked {
    struct log_reader *reader; /* borrowed */
    int64_t run;               /* 0 = the current one */
    const char *rules;         /* borrowed; of the person, as for classifier_open(); may be NULL */
    redecide_differs_fn *differs; /* may be NULL, as all of these */
    verify_verdict_fn *verdict;
    verify_progress_fn *progress;
    void *ctx;          /* borrowed; of `differs` and `verdict` */
    void *progress_ctx; /* borrowed; of `progress` */
};

/* The thread of the reader. ERR_NOT_FOUND: no such run; ERR_DAMAGED: its plan or an event cannot
 * be read; ERR_INVALID: rules that do not compile. *out is of the examined output until then.
 * O(events + output of the run); memory: two states of the run, and a page. */
ATTR_MUST_USE bool verify_run(const struct verify_asked *asked, struct verify_sum *out,
                              struct err *err);

#endif
