#include "mcp_advice.h"

#include <stddef.h>

#include "attr.h"

/* By the reason of a persistent failure. */
static const char *const by_reason[] = {
    [REASON_TEST_FAIL] = "A test is red: read what it says, change the work, then run it again.",
    [REASON_COMPILE] = "It does not build: mend the first error, then run it again.",
    [REASON_USAGE] = "The command's words are wrong: read its usage and call it correctly.",
    [REASON_NOT_FOUND] = "What it looks for is not there: check the names before calling again.",
    [REASON_PERMISSION] = "A permission is missing: do not work around it, ask the person.",
    [REASON_AUTH] = "A login or key is missing: only the person can mend that.",
    [REASON_QUOTA] = "A quota is used up: only the person can mend that.",
    [REASON_CONTEXT_LENGTH] = "What it was asked is too long: make it shorter.",
    [REASON_BAD_REQUEST] = "The request is wrong: put it right before calling again.",
    [REASON_TOO_LARGE] = "What was sent is too large: make it smaller.",
    [REASON_LIMIT] = "It met a limit of its own: do less at a time.",
    [REASON_CONFIG] = "The settings are wrong: put them right before calling again.",
    [REASON_CONFLICT] = "There is a conflict: resolve it before calling again.",
    [REASON_CRASH] = "The program crashed: find out why before calling again.",
    [REASON_SETUP] = "What it needs is not set up: set it up, or ask the person.",
    [REASON_DEADLINE] = "It needs more time: give timeout_s, or do less at a time.",
};

static const char *advice_by_verdict(const struct attempt_state *attempt,
                                     const struct verdict *verdict)
{
    const char *words = NULL;
    if (attempt->outcome.kind == OUTCOME_TIMEOUT)
        return by_reason[REASON_DEADLINE];
    if (verdict && verdict->class == VERDICT_TRANSIENT)
        return "The work is not at fault, so do not change it because of this: what failed passes "
               "by itself. Try again later, or tell the person.";
    if (verdict && (size_t)verdict->reason < ARRAY_LEN(by_reason))
        words = by_reason[verdict->reason];
    return words ? words : "Read the output, change what is wrong, then call again.";
}

static const char *advice_by_status(const struct mcp_ended *ended)
{
    const struct step_state *step = run_state_step(ended->state, ended->task);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct verdict room;
    switch (ended->state->tasks[ended->task].status) {
    case TASK_CANCELLED:
        return "It was stopped from outside: do not repeat it, ask what to do instead.";
    case TASK_NEEDS_YOU:
        return "Only a person can mend this: tell them what is said here, and stop.";
    case TASK_STUCK:
        return "Stop: the same thing is done again and again. Tell the person where you are.";
    case TASK_PASSED:
        return "";
    default:
        return attempt ? advice_by_verdict(attempt, step_state_verdict(step, &room))
                       : "It was not executed: tell the person.";
    }
}

void mcp_once(const struct mcp_ended *ended, struct str *out)
{
    const struct policy *policy = ended->state->plan->policy;
    const struct mcp_request *request = ended->request;
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(ended->state, ended->task));
    if (!attempt || attempt->outcome.kind == OUTCOME_NOT_STARTED || request->path ||
        !mcp_ended_failed(ended))
        return;
    if (!request->idempotent)
        str_add(out, request->says_idempotent
                         ? "executed once: the call says that it is not idempotent"
                         : "executed once: the call is not declared idempotent, and what it "
                           "changes in the project cannot be put back");
    else if (!policy_fits_phase(policy, request->phase))
        str_addf(out, "executed once: policy %s does not try again in phase %s", policy->name,
                 phase_name(request->phase));
}

void mcp_advice(const struct mcp_ended *ended, struct str *out)
{
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(ended->state, ended->task));
    bool may_repeat = mcp_ended_is_transient(ended) && !ended->request->idempotent && attempt;
    if (ended->loop->level == ENTROPY_STUCK)
        str_add(out, "Stop here: do not make this call again, and tell the person that you go in "
                     "circles. ");
    str_add(out, advice_by_status(ended));
    if (may_repeat)
        str_add(out, " If running it twice does no harm, call it with idempotent: true: then it "
                     "is tried again by itself.");
}
