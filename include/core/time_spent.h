/*
 * time_spent.h - where the time went: the spans of tasks (timeline.h) added up. Pure.
 *
 * Time in which a task waits for what it needs, or for a slot, and time after its end are nobody's:
 * they are in no sum. What is planned is none either.
 */
#ifndef DEVS_TIME_SPENT_H
#define DEVS_TIME_SPENT_H

#include "failure_class.h"

enum time_use {
    TIME_WORK,  /* an attempt ran */
    TIME_WAIT,  /* for the next attempt, behind a source's limit, or in an agent's own retries */
    TIME_YOU,   /* needed a person, or was held by one */
    TIME_QUIET, /* an attempt ran, and was not heard */
    TIME_USE_COUNT,
};

enum { TIME_CLASSES_MAX = 32 }; /* that are told apart; the time of others is in the sums only */
/* What was waited after. */
struct time_class {
    struct failure_class class;
    int64_t waited_ms;
};

struct time_spent {
    int64_t ms[TIME_USE_COUNT];
    int64_t total_ms;                            /* of these */
    struct time_class classes[TIME_CLASSES_MAX]; /* waits; the longest first, none of 0 ms */
    int class_count;
    int longest_task[TIME_USE_COUNT]; /* with the most of it; the first of equals; -1 = none */
    int64_t longest_ms[TIME_USE_COUNT];
    int attempts, failed; /* attempts that began; those that ended badly */
};

/* "work", "wait", "you", "quiet". */
const char *time_use_name(enum time_use use);

/* Of all tasks. O(tasks + attempts). */
void time_spent_of_run(struct time_spent *out, const struct run_state *state,
                       const struct moment *now, bool orphaned);

/* Add what was spent in another run. Tasks are of a run: `longest_task` says nothing afterwards. */
void time_spent_add(struct time_spent *to, const struct time_spent *more);

/* Share of the sum in whole percent, rounded so that all uses come to 100; 0 where the sum is 0. */
int time_spent_percent(const struct time_spent *spent, enum time_use use);
/* "work 39:44 (69 %), wait 10:31 (18 %; timeout 5:48, test-fail 3:23), you 2:41 (5 %)": what is not
 * 0, and the longest of the waits; "" where nothing was spent. */
void time_spent_words(const struct time_spent *spent, struct str *out);
/* "work_ms":2384000,"wait_ms":...: a member for each use, within the caller's braces. */
void time_spent_json(const struct time_spent *spent, struct str *out);

#endif
