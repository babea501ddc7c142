/*
 * retry_help.h - does retrying help? What became of the attempt after one that failed, counted by
 * class. Pure; a value belongs to one thread.
 *
 * A case is an attempt that failed and the next one of its step, if that one ran to its own end:
 * one that a person cancelled, or that devs' own end interrupted, says nothing. A new round of an
 * agent is no retry: it is counted apart.
 */
#ifndef DEVS_RETRY_HELP_H
#define DEVS_RETRY_HELP_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "failure_class.h"
#include "run_state.h"
#include "str.h"

enum {
    RETRY_CASES_MIN = 20,   /* of fewer nothing is said but how many they are */
    RETRY_TRIES_MAX = 16,   /* tries that are told apart; later ones count as the last of these */
    RETRY_CLASSES_MAX = 64, /* likewise of classes; attempts of others are only counted */
};

/* Of so many next attempts so many passed. */
struct retry_count {
    int64_t cases, passed;
};

/* Cases told apart by what was known before the next attempt. */
enum { RETRY_NEW_FAULT, RETRY_SAME_FAULT, RETRY_FAULT_COUNT }; /* the same result twice running */
enum { RETRY_PLAIN, RETRY_HINTED, RETRY_HINT_COUNT };          /* a person gave it a hint */

/* All attempts that failed with one class. */
struct retry_class {
    struct failure_class class;
    int64_t failed;               /* attempts, whatever came then */
    int64_t waited_ms, ran_ms;    /* before and in the next attempts */
    int64_t in_vain_ms;           /* of both, for those that failed again */
    struct retry_count new_round; /* an agent was prompted anew; in nothing else here */
    /* By the number of the next try in its round, from 2. */
    struct retry_count cells[RETRY_TRIES_MAX + 1][RETRY_FAULT_COUNT][RETRY_HINT_COUNT];
};

struct retry_help {
    int64_t runs, attempts, failed; /* that were added; attempts: those that ended by themselves */
    int64_t untold;                 /* failed, of a class beyond RETRY_CLASSES_MAX */
    struct retry_class classes[RETRY_CLASSES_MAX];
    int class_count;
};

/* How an attempt went, as far as it matters for the next one. */
struct retry_attempt {
    int number;                 /* within its step, from 1 */
    struct failure_class class; /* of success: it passed */
    enum outcome_kind outcome;
    struct digest fingerprint;
    int64_t waited_ms; /* before it */
    int64_t ran_ms;
    bool hinted;
    bool ends_round; /* what comes next is a new round */
};

/* The attempts of one step, in order. All zero but `help` at its beginning. */
struct retry_step {
    struct retry_help *help;   /* borrowed */
    int before;                /* attempts of earlier rounds */
    bool failed;               /* `last` is there, and failed */
    bool same;                 /* `last` had the result of the one before it */
    struct retry_attempt last; /* that says something */
};
/* The next attempt that is over. */
void retry_step_add(struct retry_step *step, const struct retry_attempt *attempt);

/* What is asked for: tries from to to (both counted), of all where they are 0. */
enum retry_of {
    RETRY_OF_ALL,
    RETRY_OF_NEW_FAULT,
    RETRY_OF_SAME_FAULT,
    RETRY_OF_PLAIN,
    RETRY_OF_HINTED
};
/* How many there were and what came of them. O(tries asked for). */
struct retry_count retry_class_count(const struct retry_class *class, enum retry_of of, int from,
                                     int to);

/* A share and the interval that holds the true one 95 times of 100, if the cases do not depend on
 * each other. The interval is that of E. B. Wilson, "Probable inference, the law of succession, and
 * statistical inference", Journal of the American Statistical Association 22 (1927), 209-212: it
 * stays within 0 and 1, and says something for 0 of n. All 0 to 1. Needs a case at least. */
struct retry_share {
    double share, low, high;
};
/* `count` has a case at least. */
struct retry_share retry_share_of(struct retry_count count);

/* Where it stops paying: the first try from which on not one of RETRY_CASES_MIN or more passed, and
 * the last one seen. False where there is no such. */
struct retry_tail {
    int from, to;
    struct retry_count count;
};
/* False, and *out untouched, where it pays up to the last try seen. */
ATTR_MUST_USE bool retry_class_tail(const struct retry_class *class, struct retry_tail *out);

/* Put the classes in order: the most failures first, equals by their word. */
void retry_help_sort(struct retry_help *help);

/* A task whose latest attempt failed: what may be said of the next one. */
struct retry_case {
    struct failure_class class;
    bool same;  /* it had the result of the attempt before it */
    int number; /* of the next attempt, as the screens count */
    int try;    /* the same within its round */
};
/* Of the task's current step; false where its latest attempt runs, passed, was stopped, or devs
 * died meanwhile. */
ATTR_MUST_USE bool retry_case_of(const struct run_state *state, int task, struct retry_case *out);

/* The closest cases of which there are RETRY_CASES_MIN: of that class, with or without the same
 * fault before, at that try; else at any try; else of the class alone. */
struct retry_odds {
    struct retry_count count;
    struct retry_case like;
    bool by_fault, by_try; /* what the cases have in common with it beside the class */
};
/* False: too few to say. */
ATTR_MUST_USE bool retry_help_odds(const struct retry_help *help, const struct retry_case *like,
                                   struct retry_odds *out);
/* What stands behind the word "chance": "6 % that try 4 passes (2 of 31 like it: test-fail, the
 * same fault twice)". */
void retry_odds_words(const struct retry_odds *odds, struct str *out);

/* retry_words.c: the same in words. */

/* "29 %", "0.4 %": what would be rounded to 0 or 100 and is neither keeps a digit. */
void retry_percent(double share, struct str *out);
/* "29 % (61 of 212)"; "too few to say (3 of 12)". */
void retry_count_words(struct retry_count count, struct str *out);
/* "again":31,"passed":2,"enough":true, and where it is enough "share", "low" and "high": members
 * within the caller's braces. */
void retry_count_json(struct retry_count count, struct str *out);
/* What the log says of a class beside its numbers, a line each with its line feed, without
 * indentation: by try, where it stops paying, after the same fault twice, with a hint, new rounds.
 * "" where there is too little of each. */
void retry_class_words(const struct retry_class *class, struct str *out);

#endif
