/*
 * protocol.h - the decision after an attempt: the one place where it is made.
 * Pure: facts and a time in, a decision out.
 */
#ifndef DEVS_PROTOCOL_H
#define DEVS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "budget.h"
#include "circles.h"
#include "moment.h"
#include "outcome.h"
#include "phase.h"
#include "policy.h"
#include "str.h"
#include "verdict.h"

/* What becomes of the step. Numbers are in the log: never renumber. */
enum decision_kind {
    DECISION_SUCCEEDED = 0,
    DECISION_WAIT = 1,
    DECISION_FAILED = 2,              /* policy or phase does not try again */
    DECISION_RETRY_EXHAUSTED = 3,     /* persistent, attempts used up */
    DECISION_TRANSIENT_EXHAUSTED = 4, /* transient, attempts used up */
    DECISION_ENTROPY = 5,             /* looping: equal last results, or a rung */
    DECISION_NEEDS_YOU = 6,
    DECISION_CANCELLED = 7,
    DECISION_DEADLINE = 8,
    DECISION_MAX_RETRIES = 9, /* attempts used up, by the policy's own word for it */
    DECISION_KIND_COUNT,
};

struct protocol_facts {
    const struct policy *policy; /* borrowed */
    enum phase phase;
    const struct outcome *outcome; /* borrowed */
    const struct verdict *verdict; /* borrowed; after `expect` was applied */
    int used;                      /* attempts of this grant that count, this one included */
    int own_retries;               /* of an agent, in these: they count like attempts */
    int allowed;                   /* attempts of this grant in all */
    int free_hints;                /* waits on a server's hint taken so far */
    int same;                      /* equal results in a row, this one included */
    const struct digest *results;  /* borrowed; since a new beginning, in order, this one the
                                      last: as many as the policy's windows look at */
    size_t result_count;
    const struct circles *circles; /* borrowed; what the rungs say of it; NULL = nothing */
    unsigned masks;                /* what was masked in its result: normaliser bits */
    bool is_unchanged;             /* nothing has changed its tree since the attempt before */
    int scale;                     /* windows are as many times theirs: circles_scale() */
    int step;                      /* its number from 0 */
    int round, rounds;             /* of its task's agent, if that is before it; else 0 */
    bool stopping;                 /* a person asked to stop this task */
    enum outcome_stop stop;        /* why it may not go on, unless it passed; mostly STOP_ASKED */
    const char *refused; /* borrowed; the last call that the agent before this step's end was
                            refused, NULL = none */
    const struct circles *calls; /* borrowed; STOP_LOOP: what the rungs say of its agent's calls */
    struct budget_use spent;     /* STOP_BUDGET: of what */
    bool spent_by_run;           /* STOP_BUDGET: the budget is the run's */
    int interrupted;             /* interruptions of this step so far, this one included */
    bool repeatable;             /* the workspace can be reset, or the step is idempotent */
    int64_t started_mono_ms;     /* the step's first start, for the deadline */
    int64_t held_ms;             /* time held since then: it does not count */
    uint64_t draw;               /* policy_draw() for this attempt */
    struct moment now;
};

struct decision {
    enum decision_kind kind;
    bool entropy;       /* counts one failure against the task */
    bool capture;       /* the evidence is to be kept */
    bool counts;        /* false: this attempt used up none of the grant */
    struct delay delay; /* WAIT only */
    struct moment due;  /* WAIT only: on both clocks */
};

/* Would a start at this time be past the policy's deadline? Time held does not count. */
bool protocol_is_late(const struct policy *policy, int64_t started_mono_ms, int64_t held_ms,
                      int64_t start_mono_ms);

/* What comes after the attempt that the facts are of: the table of docs/reliability.md. *out is
 * made anew; its times are those of the facts. */
void protocol_decide(const struct protocol_facts *facts, struct decision *out);

/* No round follows this decision. If the work of an agent failed that was refused a call, only a
 * person can allow that: *out becomes NEEDS_YOU. Else facts->refused becomes NULL. */
void protocol_blame_refusal(struct protocol_facts *facts, struct decision *out);

/* Does the verdict name a time to come back, though it is no failure of the world? It is
 * waited out like a server's hint. */
bool protocol_is_parked(const struct verdict *verdict);

/* What the decision went by, as a JSON object: for a wait the formula's inputs (policy, n,
 * base, multiplier, cap, jitter, factor, hint), for an end why the policy did not go on. */
void protocol_to_json(const struct protocol_facts *facts, const struct decision *decision,
                      struct str *out);

/* Why a spent budget is the end, as members inside the caller's braces: "reason" (budget), "of"
 * (task or run), "budget" (its kind), "spent", "limit". */
void protocol_budget_to_json(const struct budget_use *spent, bool by_run, struct str *out);

/* "retry exhausted", "transient exhausted", "failed", ...: the error's name. */
const char *decision_kind_name(enum decision_kind kind);

/* An end in everyday words: "gave up", "stuck", "needs you". */
const char *decision_word(enum decision_kind kind);

#endif
