/*
 * budget.h - how much the agents of a task, or of a run, may use. A plain value.
 */
#ifndef DEVS_BUDGET_H
#define DEVS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers are in the log: never renumber. */
enum budget_kind {
    BUDGET_NONE = 0,
    BUDGET_COST = 1, /* millionths of a US dollar */
    BUDGET_TURNS = 2,
    BUDGET_CALLS = 3, /* of the agent's tools */
    BUDGET_WALL = 4,  /* ms in which attempts run */
    BUDGET_KIND_COUNT,
};

enum { BUDGET_TOLD_PERCENT = 80 }; /* from here on a budget is spoken of */

/* All zero: none. */
struct budget {
    int64_t limits[BUDGET_KIND_COUNT]; /* by kind; 0 = none */
};

/* Some of one. */
struct budget_use {
    enum budget_kind kind;
    int64_t used;
    int64_t limit;
    int64_t base; /* what was used when it was given again, part of both; mostly 0 */
};

/* "cost_usd", "turns", "calls", "wall_s": the keys of plans. */
const char *budget_kind_name(enum budget_kind kind);
/* The inverse; BUDGET_NONE for any other word. */
enum budget_kind budget_kind_named(const char *name);

/* Is anything limited? */
bool budget_is_set(const struct budget *budget);

/* From how much on it is spoken of: some of it is used. */
int64_t budget_use_mark(const struct budget_use *use);
/* Is it used up? Never where there is no limit. */
bool budget_use_is_spent(const struct budget_use *use);
/* Is it time to speak of it: has it come to its mark? Likewise. */
bool budget_use_is_near(const struct budget_use *use);

struct str;
/* "$2.10 of $2.50", "40 of 50 turns", "3 of 8 calls", "61 of 120 s", "0.9 of 1.5 s". Rounded. */
void budget_use_words(const struct budget_use *use, struct str *out);

#endif
