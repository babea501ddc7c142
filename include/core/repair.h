/* repair.h - outputs that break their contract, and the prompts of agents. Pure; any thread.
 *
 * Decides whether an output matches its contract and whether its agent is asked to repair it, and
 * writes the prompts: about a broken contract, about a failed check, and for an attempt as a whole
 * (requirements D2, D3). */
#ifndef DEVS_REPAIR_H
#define DEVS_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contract.h"
#include "outcome.h"
#include "str.h"
#include "verdict.h"

enum {
    REPAIR_SHOWN_MAX = 20,         /* maximum violations in a prompt; the rest are counted */
    REPAIR_PROMPT_MAX = 16 * 1024, /* maximum bytes of a prompt */
    REPAIR_PROMPT_MIN = 2500,      /* the smallest limit that a caller may set */
};

/* Returns whether the agent may be asked to repair these violations. Returns false for an empty
 * list, and if a violation, kept or dropped, is KERNEL_MISMATCH or OP_MISMATCH: the agent did
 * something other than requested, which no prompt can repair. */
bool repair_may_retry(const struct violations *violations);

/* Appends the prompt: each violation with its path, code and error, and the expected and actual
 * values if known, the most important first; then the instructions. Contains no control bytes; at
 * most REPAIR_PROMPT_MAX bytes. */
void repair_prompt(const struct violations *violations, struct str *out);
/* Like repair_prompt(), in at most `max` bytes, from REPAIR_PROMPT_MIN to REPAIR_PROMPT_MAX. */
void repair_prompt_within(const struct violations *violations, size_t max, struct str *out);

/* A failed step that follows an agent's step, or the agent's own output if only the lines of its
 * verdict are left. Everything is borrowed; NULL = not known. */
struct repair_failure {
    char *const *argv;      /* NULL-terminated; NULL: it is the agent's output */
    const char *ended;      /* how the step ended, in a few words */
    const char *violations; /* lines that say where the output breaks its contract */
    const char *tail;       /* the end of the step's output; need not be valid text */
    size_t tail_len;
    bool expected_to_fail; /* the step was expected to fail; it passed, or failed in a different way
                            */
};

/* Appends the agent's prompt in the next round: the command, how it ended, what is wrong, and as
 * much of the end of the output as fits into `max` bytes (at least REPAIR_PROMPT_MIN). Contains
 * no control bytes except line feeds and tabs. */
void repair_failure_prompt(const struct repair_failure *failure, size_t max, struct str *out);

/* Whether an attempt of a step with an output contract succeeded with the requested output. */

enum { CONTRACT_OUTPUT_MAX = 1024 * 1024 }; /* maximum bytes; larger output matches no contract */

/* The standard output of the attempt. */
struct contract_output {
    const char *bytes; /* borrowed; the end of the output, or the whole output if len == written */
    size_t len;
    int64_t written; /* total bytes */
};

struct violations;
/* Turns the verdict of a successful attempt into a persistent failure with reason `contract` if the
 * output does not match: the evidence has as many violations as fit, and no_retry follows
 * requirement D3 (only a list of fixable codes is retried). Changes nothing if the output matches,
 * or if the attempt failed, because that failure matters more. Appends all violations to *found;
 * the caller frees with violations_done(). */
void contract_judge(const struct contract *contract, const struct contract_output *output,
                    struct verdict *verdict, struct violations *found);

/* The prompt of an attempt.
 *
 * An agent that continues its session gets only the new parts; a new session gets everything.
 * Requirements D2 (the repair), E1 (sessions). */

enum {
    AGENT_WHY_MAX = 400, /* maximum bytes, in a prompt, of the reason why an attempt ended */
};

/* Borrowed for the duration of the call; NULL = none. */
struct agent_prompt {
    const char *step;   /* the prompt of the plan's step; never NULL */
    const char *repair; /* the repair prompt of this round; NULL in the first round */
    const char *nudge;  /* a nudge of the loop detector that has not been delivered yet */
    const char *hint;   /* a person's hint, given with a retry */
    const char *why;    /* why the previous attempt of the same round ended without a result */
    const char
        *violations; /* lines that say where the result of that attempt breaks the contract */
    bool resumes; /* the attempt continues a session that has received the step's prompt, or more */
    bool was_asked; /* this session has received the prompt of this round */
};

/* Appends the prompt. A session that has received this round's prompt gets a request to continue or
 * to fix the violations; any other continued session gets the round's repair, or in the first round
 * the step's prompt. A new session gets the step's prompt and the repair. The nudge follows, and a
 * person's hint comes last. */
void agent_prompt_write(const struct agent_prompt *prompt, struct str *out);

/* Appends one line that says how an attempt ended, for `why`: at most AGENT_WHY_MAX bytes without
 * control bytes. `verdict` may be NULL. */
void agent_prompt_why(const struct outcome *outcome, const struct verdict *verdict,
                      struct str *out);

/*
 * Which session of its agent an attempt continues.
 */

struct plan_agent;
struct run_state;

/* Returns the id of the session that the next attempt of this agent's step continues: the last one
 * that the task's agent reported, otherwise the plan's `resume`. Returns NULL if a new session
 * begins: none is known, the agent cannot continue one, or its id was redacted as a secret.
 * Borrowed from the state or the plan. */
const char *agent_session_next(const struct run_state *state, int task,
                               const struct plan_agent *agent);

/* Returns the arguments of the step's latest attempt, or of the next one if the step is waiting for
 * it: the arguments from adapter_argv() without the prompt, or a copy of the plan's arguments if
 * the step has no agent. The caller frees them with adapter_argv_free(). */
char **agent_session_argv(const struct run_state *state, int task, int step);

#endif
