/*
 * rules.h - the decision table and the delay formula of the design, written a second time.
 *
 * Facts in, a ruling out; nothing here calls the code under test.
 */
#ifndef DEVS_SIM_RULES_H
#define DEVS_SIM_RULES_H

#include "plot.h"

/* The parts of a verdict that affect decisions. */
struct opinion {
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    int64_t hint_ms; /* -1 = none */
    bool ask, no_retry;
    enum verdict_expectation expectation;
};

/* The rows of the table. */
enum row {
    ROW_SUCCESS,
    ROW_WAIT,
    ROW_WAIT_START, /* a failed start */
    ROW_WAIT_FREE,  /* by a server's hint; does not use up an attempt */
    ROW_WAIT_HINT,  /* by a server's hint; uses up an attempt */
    ROW_ENTROPY,
    ROW_CIRCLES,  /* loop found by a rung */
    ROW_CALLS,    /* loop in an agent's calls */
    ROW_OWN_LOOP, /* loop found by an agent's own guard */
    ROW_BUDGET,   /* an agent's budget is spent */
    ROW_BUDGET_AT_START,
    ROW_ROUND,    /* back to the agent */
    ROW_NO_RETRY, /* retrying is of no use */
    ROW_RETRY_EXHAUSTED,
    ROW_TRANSIENT_EXHAUSTED,
    ROW_MAX_RETRIES,
    ROW_START_EXHAUSTED,
    ROW_NO_POLICY,  /* the policy does not retry this */
    ROW_NO_TIMEOUT, /* nor after a timeout */
    ROW_NO_PHASE,   /* nor in this phase */
    ROW_ASKS,       /* a rule says that only the user can help */
    ROW_HINT_TOO_FAR,
    ROW_DEADLINE, /* the next start would be too late */
    ROW_DEADLINE_AT_START,
    ROW_INTERRUPTED_AGAIN,
    ROW_INTERRUPTED_UNSAFE,
    ROW_INTERRUPTED_THIRD,
    ROW_BLOCKED,
    ROW_UNBLOCKED,
    ROW_CANCELLED,      /* stopped by the user */
    ROW_STOPPED,        /* stop requested; it exited on its own */
    ROW_CANCELLED_IDLE, /* nothing was running */
    ROW_RED_MET,
    ROW_RED_PASSED, /* failed as expected */
    ROW_RED_WRONG,  /* failed for the wrong reason */
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
    int scale;              /* scale of the windows */
    bool circling;          /* a rung says that it is stuck */
    enum outcome_stop stop; /* the agent may not continue */
    int64_t first_start_mono_ms, held_ms;
    struct moment now;
    uint64_t run_seed;
    int task, step, round, attempt; /* for the random draw */
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

/* min(base x multiplier^(n-1), cap), with jitter, and not shorter than the hint. */
void rules_delay(const struct facts *facts, int n, struct ruling *ruling);

/* Returns true if this start is past the deadline. */
bool rules_late(const struct plot_policy *policy, int64_t first_start_ms, int64_t held_ms,
                int64_t start_ms);

/* An expected failure becomes a success, an unexpected success a failure. */
struct opinion rules_expect(const struct plot_step *step, const struct outcome *outcome,
                            struct opinion opinion, bool matches);

/* Returns true for a failure of the work with a retry time. */
bool rules_parked(const struct opinion *opinion);

#endif
