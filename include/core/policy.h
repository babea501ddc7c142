/* policy.h - retry policies (whether and when to try again), and budgets. Pure. */
#ifndef DEVS_POLICY_H
#define DEVS_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "digest.h"
#include "outcome.h"
#include "verdict.h"

enum {
    POLICY_NAME_MAX = 32,                       /* maximum bytes of a name, including the NUL */
    POLICY_ATTEMPTS_MAX = 100,                  /* maximum of a policy's max_attempts */
    POLICY_DELAY_MS_MAX = 7 * 24 * 3600 * 1000, /* maximum of a policy's delays */
    POLICY_FREE_HINTS = 2, /* maximum waits on a server's hint that use up no attempt */
};

/* How delays are varied, so that not all steps retry at the same moment. */
enum policy_jitter {
    POLICY_JITTER_NONE,         /* delay = exact */
    POLICY_JITTER_PROPORTIONAL, /* delay = exact x (1 +- a fraction) */
    POLICY_JITTER_FULL,         /* delay = exact x (0 up to 1) */
    POLICY_JITTER_COUNT,
};

/* Returns "none", "proportional" or "full". Static. */
const char *policy_jitter_name(enum policy_jitter kind);

/* The decision on a step that has used up its attempts. */
enum policy_exhausted {
    POLICY_EXHAUSTED_BY_CLASS,    /* transient exhausted or retry exhausted, depending on the last
                                     verdict */
    POLICY_EXHAUSTED_MAX_RETRIES, /* max retries exceeded, with the last error as the cause */
    POLICY_EXHAUSTED_COUNT,
};

/* Returns "by-class" or "max-retries". Static. */
const char *policy_exhausted_name(enum policy_exhausted exhausted);

/* Failures that a policy retries, as bits. UNKNOWN: a persistent failure without a known reason. */
enum { POLICY_ON_TRANSIENT = 1, POLICY_ON_PERSISTENT = 2, POLICY_ON_UNKNOWN = 4 };

struct policy {
    char name[POLICY_NAME_MAX + 1]; /* only the name of a step's own policy ends in '+' */
    int max_attempts;               /* maximum attempts, including the first one */
    int64_t base_delay_ms;
    double multiplier;
    int64_t cap_ms; /* maximum of a delay by the formula, including jitter */
    enum policy_jitter jitter_kind;
    double jitter;       /* proportional: fraction of the delay, in both directions, 0..1; else 0 */
    unsigned retry_on;   /* POLICY_ON_* */
    bool retry_timeouts; /* also retries after the step's own timeout (requirement E2) */
    unsigned phases;     /* bits 1 << enum phase: phases in which the policy retries */
    int window;          /* this many equal results in a row are a loop; 0 = off */
    int same_stops;      /* like `window`, for tasks with rounds; 0 = off */
    int unchanged_stops; /* this many equal results of a persistent failure in a row on an
                            unchanged tree end the step as failed; 0 = off */
    int64_t retry_after_cap_ms; /* if a server asks for a longer wait, the step needs a person */
    int64_t deadline_ms;        /* from the step's first start; 0 = none */
    enum policy_exhausted exhausted;
};

/* The policy of steps that name none. */
#define POLICY_DEFAULT "default"

/* Returns the built-in policy POLICY_DEFAULT, "infrastructure", "research", "transport" or
 * "careful"; NULL for any other name. Static. */
const struct policy *policy_named(const char *name);
/* Returns the new name of a built-in policy that was renamed, such as "default" for "sandbox"; else
 * NULL. Static. */
const char *policy_new_name(const char *name);
/* Returns built-in policy number `index`, from 0 = POLICY_DEFAULT; NULL past the last one.
 * Static. */
const struct policy *policy_builtin(size_t index);

/* Returns 128 bits of the SHA-256 of all members except the name. */
struct digest policy_digest(const struct policy *policy);

/* Returns how many equal results in a row end a step as a loop: the smaller of window and
 * same_stops, where 0 = not set. Returns 0 if neither is set: never. */
int policy_equal_max(const struct policy *policy);

struct str;
/* Appends when the policy retries, such as "after 500 ms, x 2 up to 30 s". */
void policy_words(const struct policy *policy, struct str *out);
/* Appends "within 5 s"; nothing if there is no deadline. */
void policy_deadline_words(const struct policy *policy, struct str *out);

/* Returns true if the policy retries in this phase. */
bool policy_fits_phase(const struct policy *policy, enum phase phase);
/* Returns true if the policy retries failures of this class. `has_reason` says whether a persistent
 * failure has a known reason. */
bool policy_retries_on(const struct policy *policy, enum verdict_class class, bool has_reason);

/* A delay with the inputs of its formula, so that it can be shown and recomputed. */
struct delay {
    int64_t delay_ms; /* the actual delay */
    int64_t exact_ms; /* min(base x multiplier^(n-1), cap), before jitter */
    int retry_number; /* 1 for the first retry: the formula's n */
    double factor;    /* random factor of the jitter: delay = exact x factor */
    int64_t hint_ms;  /* wait requested by a server (retry-after); -1 if none */
};

/* Returns the delay before retry n (1..): min(base x multiplier^(n-1), cap), where the exponent
 * saturates, times a factor that depends on the jitter, with u = draw / 2^53 from policy_draw():
 * 1 (none), 1 + jitter x (2u-1) (proportional) or u (full). Clamped to 0 and the cap, then raised
 * to hint_ms (if >= 0), which the cap does not limit. */
struct delay policy_delay(const struct policy *policy, int n, uint64_t draw, int64_t hint_ms);

/* Identifies a draw: the same key always gives the same number. */
struct draw_key {
    uint64_t seed; /* seed of the run */
    int task, step, round, attempt;
};

/* Returns the top 53 bits of splitmix64 over the key's parts in the order above. Test vectors are
 * in docs/policies.md. */
uint64_t policy_draw(const struct draw_key *key);

/*
 * Budgets: how much the agents of a task, or of a run, may use. A plain value.
 */

enum budget_kind {
    BUDGET_NONE = 0,
    BUDGET_COST = 1, /* millionths of a US dollar */
    BUDGET_TURNS = 2,
    BUDGET_CALLS = 3, /* tool calls of the agent */
    BUDGET_WALL = 4,  /* total time in which attempts run, in ms */
    BUDGET_DAY = 5,   /* millionths of a US dollar, of all runs in the log on the same day */
    BUDGET_KIND_COUNT,
};

enum { BUDGET_TOLD_PERCENT = 80 }; /* share of its limit at which a budget is reported */

/* Zero-initialized: no limits. */
struct budget {
    int64_t limits[BUDGET_KIND_COUNT]; /* limits by kind; 0 = no limit */
};

/* Usage of one budget. */
struct budget_use {
    enum budget_kind kind;
    int64_t used;
    int64_t limit;
    int64_t base; /* use before the budget was last renewed; included in `used` and `limit` */
};

/* Returns the key in plans: "cost_usd", "turns", "calls", "wall_s" or "day_usd". */
const char *budget_kind_name(enum budget_kind kind);

/* Returns whether the budget has any limit. */
bool budget_is_set(const struct budget *budget);

/* Returns the use at which the budget is reported. */
int64_t budget_use_mark(const struct budget_use *use);
/* Returns whether the budget is used up; false if there is no limit. */
bool budget_use_is_spent(const struct budget_use *use);
/* Returns whether the use has reached budget_use_mark(); false if there is no limit. */
bool budget_use_is_near(const struct budget_use *use);

/* Appends "$2.10 of $2.50", "40 of 50 turns", "3 of 8 calls", "61 of 120 s" or "0.9 of 1.5 s",
 * rounded. */
void budget_use_words(const struct budget_use *use, struct str *out);

#endif
