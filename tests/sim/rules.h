/*
 * rules.h - the design's decision table and delay formula, written a second time.
 *
 * Facts in, a ruling out; nothing here calls the code under test.
 */
#ifndef DEVS_SIM_RULES_H
#define DEVS_SIM_RULES_H

#include "model.h"
#include "plot.h"

/* The rows of the table. */
enum row {
    ROW_SUCCESS,
    ROW_WAIT,
    ROW_WAIT_START, /* a start that failed */
    ROW_WAIT_FREE,  /* on a server's hint, uses up nothing */
    ROW_WAIT_HINT,  /* on a server's hint, uses up an attempt */
    ROW_ENTROPY,
    ROW_CIRCLES,  /* entropy by a rung */
    ROW_CALLS,    /* by an agent's calls */
    ROW_OWN_LOOP, /* by an agent's own guard */
    ROW_BUDGET,   /* an agent's budget is spent */
    ROW_BUDGET_AT_START,
    ROW_ROUND,    /* it goes back to the agent */
    ROW_NO_RETRY, /* no try mends it */
    ROW_RETRY_EXHAUSTED,
    ROW_TRANSIENT_EXHAUSTED,
    ROW_MAX_RETRIES,
    ROW_START_EXHAUSTED,
    ROW_NO_POLICY,  /* the policy does not try again on it */
    ROW_NO_TIMEOUT, /* nor after its own time was up */
    ROW_NO_PHASE,   /* nor in this phase */
    ROW_ASKS,       /* a rule says that only a person can help */
    ROW_HINT_TOO_FAR,
    ROW_DEADLINE, /* the next start would be after it */
    ROW_DEADLINE_AT_START,
    ROW_INTERRUPTED_AGAIN,
    ROW_INTERRUPTED_UNSAFE,
    ROW_INTERRUPTED_THIRD,
    ROW_BLOCKED,
    ROW_UNBLOCKED,
    ROW_CANCELLED,      /* ended by a person */
    ROW_STOPPED,        /* a person asked; it ended by itself */
    ROW_CANCELLED_IDLE, /* nothing ran */
    ROW_RED_MET,
    ROW_RED_PASSED, /* it was to fail */
    ROW_RED_WRONG,  /* for the wrong reason */
    ROW_REOPENED,
    ROW_COUNT,
};

struct facts {
    const struct plot_policy *policy;
    enum phase phase;
    enum outcome_kind outcome;
    struct opinion opinion;
    bool of_start;
    bool stopping, repeatable;
    int used, allowed;
    int free_hints, same, interrupted;
    int scale;              /* of the windows */
    bool circling;          /* a rung says that it is stuck */
    enum outcome_stop stop; /* an agent may not go on */
    int64_t first_start_mono_ms, held_ms;
    struct moment now;
    uint64_t run_seed;
    int task, step, round, attempt; /* for the draw */
};

struct ruling {
    enum row row;
    enum decision_kind kind;
    bool entropy, capture;
    bool free; /* the wait gives the attempt back */
    int n;
    int64_t delay_ms, exact_ms;
    double factor;
    int64_t hint_ms;
};

struct ruling rules_decide(const struct facts *facts);

/* min(base x multiplier^(n-1), cap), jitter, and no shorter than the hint. */
void rules_delay(const struct facts *facts, int n, struct ruling *ruling);

/* Is this start past the deadline? */
bool rules_late(const struct plot_policy *policy, int64_t first_start_ms, int64_t held_ms,
                int64_t start_ms);

/* A failure that was asked for is a success, a success that was not is a failure. */
struct opinion rules_expect(const struct plot_step *step, const struct outcome *outcome,
                            struct opinion opinion, bool matches);

/* A failure of the work that says when to come back. */
bool rules_parked(const struct opinion *opinion);

#endif
