/* protocol.h - decides what follows an attempt; no other code does. Pure: facts and a time in, a
 * decision out. */
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

/* The decision on the step after an attempt. Numbers are in the log: never renumber. */
enum decision_kind {
    DECISION_SUCCEEDED = 0,
    DECISION_WAIT = 1,
    DECISION_FAILED = 2,              /* the policy or the phase does not retry */
    DECISION_RETRY_EXHAUSTED = 3,     /* attempts used up, last failure persistent */
    DECISION_TRANSIENT_EXHAUSTED = 4, /* attempts used up, last failure transient */
    DECISION_ENTROPY = 5,             /* looping: equal last results, or detected by a rung */
    DECISION_NEEDS_YOU = 6,
    DECISION_CANCELLED = 7,
    DECISION_DEADLINE = 8,
    DECISION_MAX_RETRIES =
        9, /* attempts used up, under a policy with POLICY_EXHAUSTED_MAX_RETRIES */
    DECISION_KIND_COUNT,
};

struct protocol_facts {
    const struct policy *policy; /* borrowed */
    enum phase phase;
    const struct outcome *outcome; /* borrowed */
    const struct verdict *verdict; /* borrowed; after applying `expect` */
    int used;                      /* attempts of this grant that count, including this one */
    int own_retries; /* own retries of the agent in these attempts, which count like attempts */
    int allowed;     /* total attempts of this grant */
    int free_hints;  /* uncounted waits requested by a server so far */
    int same;        /* equal results in a row, including this one */
    const struct digest *results; /* borrowed; results since the last fresh start, oldest first,
                                     this one last: as many as the policy's windows need */
    size_t result_count;
    const struct circles *circles; /* borrowed; loop state of the task's attempts; NULL = none */
    unsigned masks;                /* normaliser bits masked in the result of this attempt */
    bool is_unchanged;             /* the tree has not changed since the previous attempt */
    int scale;                     /* windows are multiplied by this: circles_scale() */
    bool ignores_repeats; /* the plan's loops are "off": equal results do not end the step */
    int step;             /* number of the step, from 0 */
    int round, rounds; /* current and maximum round of the task's agent, if its step is at or before
                          this one; otherwise 0 */
    bool stopping;     /* a person wants this task stopped */
    enum outcome_stop stop; /* why the step may not continue unless it passed; usually STOP_ASKED */
    const char *refused;    /* borrowed; the last call that the CLI denied to the agent before this
                               step ended; NULL = none */
    const struct circles *calls; /* borrowed; STOP_LOOP: loop state of the agent's calls */
    struct budget_use spent;     /* STOP_BUDGET: the budget that is used up */
    bool spent_by_run;           /* STOP_BUDGET: the budget is the run's */
    int interrupted;             /* interruptions of this step so far, including this one */
    bool repeatable;             /* the workspace can be reset, or the step is idempotent */
    int64_t started_mono_ms;     /* the step's first start, for the deadline */
    int64_t held_ms;             /* time on hold since then, which does not count */
    uint64_t draw;               /* policy_draw() for this attempt */
    struct moment now;
};

struct decision {
    enum decision_kind kind;
    bool entropy;       /* counts one failure against the task */
    bool capture;       /* keep the evidence */
    bool counts;        /* false: this attempt did not use up any of the grant */
    struct delay delay; /* WAIT only */
    struct moment due;  /* WAIT only: on both clocks */
};

/* The owner of the loop or budget that ended a step. */
enum decision_of {
    DECISION_OF_NONE,
    DECISION_OF_AGENT, /* the agent's own loop guard */
    DECISION_OF_CALLS, /* the calls of an agent */
    DECISION_OF_TASK,
    DECISION_OF_RUN,
    DECISION_OF_COUNT,
};

/* The inputs of a decision, as events record them; for a wait, a struct delay is recorded, too.
 * Numbers that do not apply are 0. */
struct decision_inputs {
    const char *policy; /* borrowed; name of the policy; NULL = no inputs, or only a budget */
    int phase;          /* for an end: enum phase + 1 */
    /* For a wait: delay = min(base x multiplier^(n-1), cap) x factor, but not shorter than the
     * hint. */
    int64_t base_ms, cap_ms;
    double multiplier, jitter;
    bool full_jitter;
    int used, allowed; /* attempts, or starts if the attempt never started */
    int own_retries;   /* own retries of the agent */
    int same;          /* equal results in a row; the next members are its limits */
    int window, same_stops, unchanged_stops;
    bool unchanged;      /* the tree has not changed since the previous attempt */
    int64_t hint_cap_ms; /* longest retry-after that devs waits for; -1 = there was no hint */
    int free_hints;
    int64_t deadline_ms, since_start_ms, held_ms;
    int interrupted;
    int round, rounds; /* for an end: round of the agent before the step, if there are several */
    enum decision_of of;
    struct loop_facts loop; /* for an end by a loop rule; borrows `why` */
    const char *refused; /* borrowed; the last call that the CLI denied to the agent; NULL = none */
    enum budget_kind budget;    /* the budget that is used up; BUDGET_NONE = none */
    int64_t spent, spent_limit; /* use and limit of that budget */
};

/* Returns whether a start at this time would be after the policy's deadline. Time on hold does not
 * count. */
bool protocol_is_late(const struct policy *policy, int64_t started_mono_ms, int64_t held_ms,
                      int64_t start_mono_ms);

/* Returns how many equal results in a row end the step as a loop; 0 = never. */
int protocol_equal_max(const struct protocol_facts *facts);
/* Returns how many equal results of a persistent failure on an unchanged tree end the step as
 * failed; 0 = never. */
int protocol_unchanged_max(const struct protocol_facts *facts);

/* Decides what follows the attempt, by the table in docs/reliability.md. Overwrites *out. Uses the
 * times in `facts`. */
void protocol_decide(const struct protocol_facts *facts, struct decision *out);

/* Changes *out to NEEDS_YOU if an agent's work failed and the agent was denied a call, because only
 * a person can allow the call. Otherwise sets facts->refused to NULL. Call for a decision that no
 * round follows. */
void protocol_blame_refusal(struct protocol_facts *facts, struct decision *out);

/* Returns whether the verdict says when to come back although the environment did not fail. devs
 * waits until then, as for a server's hint. */
bool protocol_is_parked(const struct verdict *verdict);

/* Returns "", "agent", "calls", "task" or "run". Static. */
const char *decision_of_name(enum decision_of of);

/* Sets the inputs of the decision for a new event: for a wait, the inputs of the formula; for an
 * end, why the policy did not continue. The inputs borrow from the facts and from *why, to which
 * the reason of a loop rule is appended. */
void protocol_inputs(const struct protocol_facts *facts, const struct decision *decision,
                     struct str *why, struct decision_inputs *out);
/* Sets the members about a used-up budget. */
void protocol_add_budget(const struct budget_use *spent, bool by_run, struct decision_inputs *out);

/* Returns the name of the error: "retry exhausted", "transient exhausted", "failed", ... Static. */
const char *decision_kind_name(enum decision_kind kind);

/* Returns an end in everyday words, such as "gave up", "stuck", "needs you". Static. */
const char *decision_word(enum decision_kind kind);

#endif
