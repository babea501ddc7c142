/* retry_help.h - whether retrying helps: the results of the attempts that followed failed ones,
 * counted by class. Pure; a value belongs to one thread.
 *
 * A case is a failed attempt and the next attempt of its step, if the next one ended on its own; an
 * attempt that a person cancelled, or that the end of devs interrupted, says nothing. A new round
 * of an agent is not a retry and is counted separately. */
#ifndef DEVS_RETRY_HELP_H
#define DEVS_RETRY_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "run_state.h"
#include "str.h"

enum {
    RETRY_CASES_MIN = 20, /* minimum cases for a share; with fewer, only their number is shown */
    RETRY_TRIES_MAX =
        16, /* maximum tries counted separately; later ones count as the last of these */
    RETRY_CLASSES_MAX =
        64, /* maximum classes counted separately; attempts of other classes are only counted */
};

/* Number of next attempts, and how many passed. */
struct retry_count {
    int64_t cases, passed;
};

/* What was known before the next attempt. */
enum { RETRY_NEW_FAULT, RETRY_SAME_FAULT, RETRY_FAULT_COUNT }; /* the same result twice in a row */
enum { RETRY_PLAIN, RETRY_HINTED, RETRY_HINT_COUNT };          /* a person gave it a hint */

/* All attempts that failed with one class. */
struct retry_class {
    struct failure_class class;
    int64_t failed; /* number of attempts, whatever followed them */
    int64_t waited_ms,
        ran_ms;         /* time waited before the next attempts, and time in which they ran */
    int64_t in_vain_ms; /* sum of both times for next attempts that failed */
    struct retry_count new_round; /* next attempts for which an agent was prompted again; not
                                     included in the other counts */
    /* By the number of the next try in its round, from 2. */
    struct retry_count cells[RETRY_TRIES_MAX + 1][RETRY_FAULT_COUNT][RETRY_HINT_COUNT];
};

struct retry_help {
    int64_t runs;     /* runs added so far */
    int64_t attempts; /* attempts, without cancelled and interrupted ones */
    int64_t failed;   /* attempts that failed */
    int64_t untold;   /* failed attempts of classes beyond RETRY_CLASSES_MAX */
    struct retry_class classes[RETRY_CLASSES_MAX];
    int class_count;
};

/* How an attempt went, as far as it matters for the next one. */
struct retry_attempt {
    int number;                 /* number of the attempt within its step, from 1 */
    struct failure_class class; /* the class of success if it passed */
    enum outcome_kind outcome;
    struct digest fingerprint;
    int64_t waited_ms; /* length of the wait before the attempt */
    int64_t ran_ms;
    bool hinted;
    bool ends_round; /* a new round follows */
};

/* The attempts of one step, in order. Initially all zero but `help`. */
struct retry_step {
    struct retry_help *help;   /* borrowed */
    int before;                /* attempts of earlier rounds */
    bool failed;               /* `last` exists and failed */
    bool same;                 /* `last` had the same result as the attempt before it */
    struct retry_attempt last; /* the last attempt that counts */
};
/* Adds the next ended attempt. */
void retry_step_add(struct retry_step *step, const struct retry_attempt *attempt);

/* Which cases are counted. */
enum retry_of {
    RETRY_OF_ALL,
    RETRY_OF_NEW_FAULT,
    RETRY_OF_SAME_FAULT,
    RETRY_OF_PLAIN,
    RETRY_OF_HINTED
};
/* Returns the number of cases of the tries `from` to `to` (inclusive; both 0: all tries), and how
 * many passed. O(tries counted). */
struct retry_count retry_class_count(const struct retry_class *class, enum retry_of of, int from,
                                     int to);

/* A share, and its 95% confidence interval if the cases are independent. The interval is that of E.
 * B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the
 * American Statistical Association 22 (1927), 209-212: it stays within 0 and 1, and is meaningful
 * for 0 of n. All values are from 0 to 1. */
struct retry_share {
    double share, low, high;
};
/* Returns the share and its interval. `count` must have at least one case. */
struct retry_share retry_share_of(struct retry_count count);

/* Where retrying stops paying: the first try from which on none of at least RETRY_CASES_MIN cases
 * passed, and the last try seen. */
struct retry_tail {
    int from, to;
    struct retry_count count;
};
/* Returns false and leaves *out unchanged if retrying pays up to the last try seen. */
ATTR_MUST_USE bool retry_class_tail(const struct retry_class *class, struct retry_tail *out);

/* Sorts the classes by number of failures, most first; equal numbers by name. */
void retry_help_sort(struct retry_help *help);

/* A task whose latest attempt failed. */
struct retry_case {
    struct failure_class class;
    bool same;  /* same result as the previous attempt */
    int number; /* number of the next attempt, as shown on screens */
    int try;    /* number of the next attempt within its round */
};
/* Reads the case from the task's current step. Returns false if the latest attempt is running,
 * passed, was stopped, or was interrupted by the end of devs. */
ATTR_MUST_USE bool retry_case_of(const struct run_state *state, int task, struct retry_case *out);

/* The most similar cases of which there are at least RETRY_CASES_MIN: with the same class, fault
 * and try; otherwise with the same class and fault; otherwise with the same class. */
struct retry_odds {
    struct retry_count count;
    struct retry_case like;
    bool by_fault,
        by_try; /* the cases have the fault, and the try, of `like` as well as its class */
};
/* Returns false if there are too few cases. */
ATTR_MUST_USE bool retry_help_odds(const struct retry_help *help, const struct retry_case *like,
                                   struct retry_odds *out);
/* Appends the text after the word "chance": "6% that try 4 passes (2 of 31 similar tries:
 * test-fail, the same fault twice)". */
void retry_odds_words(const struct retry_odds *odds, struct str *out);

/* Shares and counts as text and as JSON. */

/* Appends "29%", "0.4%". Keeps a digit where rounding would give a false 0 or 100. */
void retry_percent(double share, struct str *out);
/* Appends "29% (61 of 212)" or "too few to say (3 of 12)". */
void retry_count_words(struct retry_count count, struct str *out);
/* Appends "again":31,"passed":2,"enough":true, and, if there are enough cases, "share", "low" and
 * "high". The caller adds the braces. */
void retry_count_json(struct retry_count count, struct str *out);
/* Appends what the log says about a class besides its numbers, one line each with a line feed and
 * without indentation: by try, where retrying stops paying, after the same fault twice, with a
 * hint, new rounds. "" if there is too little data. */
void retry_class_words(const struct retry_class *class, struct str *out);

#endif
