/*
 * verify.h - compares a recorded run with this build: repeats its decisions (redecide.h), and its
 * verdicts with both the recorded and the current rules.
 *
 * The log has all inputs of a verdict except memory counters, which are taken from the recorded
 * verdict.
 */
#ifndef DEVS_VERIFY_H
#define DEVS_VERIFY_H

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "outcome.h"
#include "redecide.h"
#include "verdict.h"

/* The rules that attempts are judged with. */
enum verify_rules {
    VERIFY_RECORDED, /* the rules recorded in the log */
    VERIFY_PRESENT,  /* the rules of this build and of the user */
    VERIFY_RULES_COUNT,
};

/* Whether the rules of the run are available: they may be missing from the log, or unreadable for
 * this build. */
enum verify_log_rules { VERIFY_RULES_NONE, VERIFY_RULES_UNREADABLE, VERIFY_RULES_THERE };

/* A verdict that differs. Everything is borrowed for the call. */
struct verify_verdict {
    enum verify_rules rules;
    const struct plan *plan;   /* plan of the run */
    const struct event *event; /* event of the attempt's end */
    const struct outcome *outcome;
    const struct verdict
        *was; /* recorded verdict, before expected failures are taken into account */
    const struct verdict *is;
};

/* Numbers of verdicts. judged + cut + seen + unread + unruled = ended. */
struct verify_verdicts {
    int64_t ended;   /* attempts that ended and were judged */
    int64_t judged;  /* attempts that were judged again */
    int64_t cut;     /* skipped: the end of the output is not in the log */
    int64_t seen;    /* skipped: devs itself found that a result could not be saved or is missing */
    int64_t unread;  /* skipped: output was not available when the run was continued */
    int64_t unruled; /* skipped: attempts of agents that devs did not start, which are judged
                        without rules */
    int64_t
        contracts; /* judged attempts whose contract was not checked, because output is missing */
    int64_t different[VERIFY_RULES_COUNT];
    int64_t prints;                 /* fingerprints that were computed again */
    int64_t other_prints;           /* computed fingerprints that differ from the recorded ones */
    int64_t first_print;            /* event of the first fingerprint that differs; 0 = none */
    int64_t prints_left;            /* fingerprints that could not be computed */
    enum verify_log_rules recorded; /* if not THERE, VERIFY_RECORDED is not reported */
};

struct verify_sum {
    struct redecide_sum decisions;
    struct verify_verdicts verdicts;
};

/* Called for each verdict that differs, in log order. */
typedef void verify_verdict_fn(void *ctx, const struct verify_verdict *verdict);
/* Called occasionally, with `done` of about `total` events. */
typedef void verify_progress_fn(void *ctx, int64_t done, int64_t total);

struct verify_asked {
    struct log_reader *reader; /* borrowed */
    int64_t run;               /* 0 = the newest live run, or else the newest run */
    const char *rules; /* borrowed; the user's rules, as for classifier_open(); may be NULL */
    redecide_differs_fn *differs; /* this and the next two callbacks may be NULL */
    verify_verdict_fn *verdict;
    verify_progress_fn *progress;
    void *ctx;          /* borrowed; for `differs` and `verdict` */
    void *progress_ctx; /* borrowed; for `progress` */
};

/* Compares the run. Thread: the reader's. Fails with ERR_NOT_FOUND if there is no such run,
 * ERR_DAMAGED if its plan or an event cannot be read, ERR_INVALID if rules do not compile; *out
 * then covers what was examined so far. O(events + output of the run). Memory: two run states and a
 * page. */
ATTR_MUST_USE bool verify_run(const struct verify_asked *asked, struct verify_sum *out,
                              struct err *err);

#endif
