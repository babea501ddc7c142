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

enum { BUDGET_TOLD_PERCENT = 80 }; /* a budget is reported from here on */

/* Zero-initialized: no limits. */
struct budget {
    int64_t limits[BUDGET_KIND_COUNT]; /* by kind; 0 = none */
};

/* How much of one budget is used. */
struct budget_use {
    enum budget_kind kind;
    int64_t used;
    int64_t limit;
    int64_t base; /* use before the budget was granted again, part of both numbers above */
};

/* Returns the key in plans: "cost_usd", "turns", "calls" or "wall_s". */
const char *budget_kind_name(enum budget_kind kind);
/* The inverse of budget_kind_name(). Returns BUDGET_NONE for any other word. */
enum budget_kind budget_kind_named(const char *name);

/* Returns whether anything is limited. */
bool budget_is_set(const struct budget *budget);

/* Returns the use from which on the budget is reported. */
int64_t budget_use_mark(const struct budget_use *use);
/* Returns whether the budget is used up; false if there is no limit. */
bool budget_use_is_spent(const struct budget_use *use);
/* Returns whether the use has reached its mark; false if there is no limit. */
bool budget_use_is_near(const struct budget_use *use);

struct str;
/* Appends "$2.10 of $2.50", "40 of 50 turns", "3 of 8 calls", "61 of 120 s" or "0.9 of 1.5 s",
 * rounded. */
void budget_use_words(const struct budget_use *use, struct str *out);

#endif
