/*
 * protocol.h - the decision after an attempt, which is made only here. Pure: facts and a time in, a
 * decision out.
 */
#ifndef DEVS_PROTOCOL_H
#define DEVS_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "circles.h"
#include "moment.h"
#include "outcome.h"
#include "policy.h"
#include "str.h"
#include "verdict.h"

/* The outcome for the step. Numbers are in the log: never renumber. */
enum decision_kind {
    DECISION_SUCCEEDED = 0,
    DECISION_WAIT = 1,
    DECISION_FAILED = 2,              /* the policy or the phase does not retry */
    DECISION_RETRY_EXHAUSTED = 3,     /* persistent, attempts used up */
    DECISION_TRANSIENT_EXHAUSTED = 4, /* transient, attempts used up */
    DECISION_ENTROPY = 5,             /* looping: equal last results, or a rung */
    DECISION_NEEDS_YOU = 6,
    DECISION_CANCELLED = 7,
    DECISION_DEADLINE = 8,
    DECISION_MAX_RETRIES = 9, /* attempts used up, under the policy's own name for it */
    DECISION_KIND_COUNT,
};

struct protocol_facts {
    const struct policy *policy; /* borrowed */
    enum phase phase;
    const struct outcome *outcome; /* borrowed */
    const struct verdict *verdict; /* borrowed; after `expect` was applied */
    int used;                      /* counting attempts of this grant, including this one */
    int own_retries;               /* by an agent, among these; they count like attempts */
    int allowed;                   /* total attempts of this grant */
    int free_hints;                /* uncounted waits requested by a server so far */
    int same;                      /* equal results in a row, including this one */
    const struct digest *results;  /* borrowed; oldest first, since a fresh start, this one last: as
                                      many as the policy's windows look at */
    size_t result_count;
    const struct circles *circles; /* borrowed; what the rungs say about it; NULL = nothing */
    unsigned masks;                /* what was masked in its result: normaliser bits */
    bool is_unchanged;             /* nothing has changed its tree since the previous attempt */
    int scale;                     /* windows are multiplied by this: circles_scale() */
    bool ignores_repeats;          /* the plan's loops are "off": equal results end nothing */
    int step;                      /* its number, from 0 */
    int round, rounds;             /* of its task's agent, if that comes before it; otherwise 0 */
    bool stopping;                 /* a person wants this task stopped */
    enum outcome_stop stop; /* why it may not continue unless it passed; usually STOP_ASKED */
    const char *refused; /* borrowed; the last call denied to the agent before the end of this step;
                            NULL = none */
    const struct circles
        *calls;              /* borrowed; STOP_LOOP: what the rungs say about its agent's calls */
    struct budget_use spent; /* STOP_BUDGET: the budget that is used up */
    bool spent_by_run;       /* STOP_BUDGET: the budget is the run's */
    int interrupted;         /* interruptions of this step so far, including this one */
    bool repeatable;         /* the workspace can be reset, or the step is idempotent */
    int64_t started_mono_ms; /* the step's first start, for the deadline */
    int64_t held_ms;         /* time held since then, which does not count */
    uint64_t draw;           /* policy_draw() for this attempt */
    struct moment now;
};

struct decision {
    enum decision_kind kind;
    bool entropy;       /* counts one failure against the task */
    bool capture;       /* the evidence is kept */
    bool counts;        /* false: this attempt did not use up any of the grant */
    struct delay delay; /* WAIT only */
    struct moment due;  /* WAIT only: on both clocks */
};

/* Whose loop or budget the end of a step is about. */
enum decision_of {
    DECISION_OF_NONE,
    DECISION_OF_AGENT, /* the agent's own loop guard */
    DECISION_OF_CALLS, /* the calls of an agent */
    DECISION_OF_TASK,
    DECISION_OF_RUN,
    DECISION_OF_COUNT,
};

/* The inputs of a decision, as events record them; a wait has a struct delay, too. Numbers that do
 * not apply are 0. */
struct decision_inputs {
    const char *policy; /* borrowed; its name; NULL: no inputs, or only a budget */
    int phase;          /* of an end: enum phase + 1 */
    /* Of a wait: delay = min(base x multiplier^(n-1), cap) x factor, but not shorter than the
     * hint. */
    int64_t base_ms, cap_ms;
    double multiplier, jitter;
    bool full_jitter;
    int used, allowed; /* attempts; starts if it never started */
    int own_retries;   /* by an agent */
    int same;          /* equal results in a row, and their limits: */
    int window, same_stops, unchanged_stops;
    bool unchanged;      /* on an unchanged tree */
    int64_t hint_cap_ms; /* longest retry-after that is waited for; -1 = there was no hint */
    int free_hints;
    int64_t deadline_ms, since_start_ms, held_ms;
    int interrupted;
    int round, rounds; /* of an end: of the agent before it, if it has several */
    enum decision_of of;
    struct loop_facts loop;     /* of an end by a loop rule; its `why` is borrowed */
    const char *refused;        /* borrowed; the last call denied to the agent; NULL = none */
    enum budget_kind budget;    /* the budget that is used up; NONE = none */
    int64_t spent, spent_limit; /* of that budget */
};

/* Returns whether a start at this time would be past the policy's deadline. Time held does not
 * count. */
bool protocol_is_late(const struct policy *policy, int64_t started_mono_ms, int64_t held_ms,
                      int64_t start_mono_ms);

/* Returns how many equal results in a row end the step as a loop; 0 = never. */
int protocol_equal_max(const struct protocol_facts *facts);
/* Returns how many equal results of a persistent failure on an unchanged tree end the step as
 * failed; 0 = never. */
int protocol_unchanged_max(const struct protocol_facts *facts);

/* Decides what follows the attempt: the table in docs/reliability.md. Overwrites *out; its times
 * are those of the facts. */
void protocol_decide(const struct protocol_facts *facts, struct decision *out);

/* For a decision that no round follows. If the work of an agent failed and it was denied a call,
 * only a person can allow that: changes *out to NEEDS_YOU. Otherwise sets facts->refused to
 * NULL. */
void protocol_blame_refusal(struct protocol_facts *facts, struct decision *out);

/* Returns whether the verdict names a time to come back although the environment did not fail. It
 * is waited for like a server's hint. */
bool protocol_is_parked(const struct verdict *verdict);

/* "", "agent", "calls", "task", "run". */
const char *decision_of_name(enum decision_of of);

/* Sets the inputs of the decision in a new event: for a wait those of the formula, for an end why
 * the policy did not continue. They borrow from the facts and from *why, to which the reason of a
 * loop rule is appended. */
void protocol_inputs(const struct protocol_facts *facts, const struct decision *decision,
                     struct str *why, struct decision_inputs *out);
/* Sets the members about a used-up budget. */
void protocol_add_budget(const struct budget_use *spent, bool by_run, struct decision_inputs *out);

/* Returns the error's name: "retry exhausted", "transient exhausted", "failed", ... */
const char *decision_kind_name(enum decision_kind kind);

/* Returns an end in everyday words: "gave up", "stuck", "needs you". */
const char *decision_word(enum decision_kind kind);

#endif
