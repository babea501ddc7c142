#include "protocol.h"

#include <assert.h>

enum { INTERRUPTIONS_MAX = 3 }; /* the third one ends the step */

static const char *const names[] = {
    [DECISION_SUCCEEDED] = "succeeded",
    [DECISION_WAIT] = "wait",
    [DECISION_FAILED] = "failed",
    [DECISION_RETRY_EXHAUSTED] = "retry exhausted",
    [DECISION_TRANSIENT_EXHAUSTED] = "transient exhausted",
    [DECISION_ENTROPY] = "entropy detected",
    [DECISION_NEEDS_YOU] = "needs you",
    [DECISION_CANCELLED] = "cancelled",
    [DECISION_DEADLINE] = "deadline",
};
static_assert(ARRAY_LEN(names) == DECISION_KIND_COUNT, "every decision has a name");

const char *decision_kind_name(enum decision_kind kind)
{
    assert(kind < DECISION_KIND_COUNT);
    return names[kind];
}

/* The step is over: what that means for entropy and evidence. */
static void end_step(struct decision *out, enum decision_kind kind)
{
    bool by_itself = kind != DECISION_SUCCEEDED && kind != DECISION_CANCELLED;
    out->kind = kind;
    out->entropy = by_itself && kind != DECISION_NEEDS_YOU;
    out->capture = kind != DECISION_SUCCEEDED;
}

static void wait_for(struct decision *out, const struct protocol_facts *facts, struct delay delay)
{
    out->kind = DECISION_WAIT;
    out->delay = delay;
    out->due.at_ms = facts->now.at_ms + delay.delay_ms;
    out->due.mono_ms = facts->now.mono_ms + delay.delay_ms;
}

/* devs died while it ran: no fault of the work, so it uses up nothing. */
static void decide_interrupted(const struct protocol_facts *facts, struct decision *out)
{
    out->counts = false;
    if (facts->interrupted >= INTERRUPTIONS_MAX)
        end_step(out, DECISION_TRANSIENT_EXHAUSTED);
    else if (!facts->repeatable)
        end_step(out, DECISION_NEEDS_YOU);
    else
        wait_for(out, facts, (struct delay){.n = 1, .factor = 1, .hint_ms = -1});
}

/* A loop is seen when the policy's window is full of equal results. */
static bool goes_in_circles(const struct protocol_facts *facts)
{
    const struct policy *policy = facts->policy;
    return (policy->window > 0 && facts->same >= policy->window) ||
           (policy->same_stops > 0 && facts->same >= policy->same_stops);
}

bool protocol_is_late(const struct policy *policy, int64_t started_mono_ms, int64_t held_ms,
                      int64_t start_mono_ms)
{
    return policy->deadline_ms > 0 &&
           start_mono_ms > started_mono_ms + held_ms + policy->deadline_ms;
}

static bool is_past_deadline(const struct protocol_facts *facts, int64_t delay_ms)
{
    return protocol_is_late(facts->policy, facts->started_mono_ms, facts->held_ms,
                            facts->now.mono_ms + delay_ms);
}

/* The policy tries again on this: wait, unless attempts or time are used up. */
static void decide_retry(const struct protocol_facts *facts, struct decision *out)
{
    const struct verdict *verdict = facts->verdict;
    bool transient = verdict->class == VERDICT_TRANSIENT;
    bool free_wait =
        transient && verdict->retry_after_ms >= 0 && facts->free_hints < POLICY_FREE_HINTS;

    out->counts = !free_wait;
    int used = facts->used - (free_wait ? 1 : 0);
    if (used >= facts->allowed) {
        end_step(out, transient ? DECISION_TRANSIENT_EXHAUSTED : DECISION_RETRY_EXHAUSTED);
        return;
    }
    struct delay delay =
        policy_delay(facts->policy, facts->retry, facts->draw, verdict->retry_after_ms);
    if (is_past_deadline(facts, delay.delay_ms))
        end_step(out, DECISION_DEADLINE);
    else
        wait_for(out, facts, delay);
}

void protocol_decide(const struct protocol_facts *facts, struct decision *out)
{
    assert(facts->used >= 1);
    assert(facts->retry >= 1);

    const struct verdict *verdict = facts->verdict;
    const struct policy *policy = facts->policy;
    *out = (struct decision){.counts = true};

    if (facts->outcome->kind == OUTCOME_CANCELLED)
        end_step(out, DECISION_CANCELLED);
    else if (verdict->class == VERDICT_SUCCESS)
        end_step(out, DECISION_SUCCEEDED);
    else if (facts->stopping)
        end_step(out, DECISION_CANCELLED);
    else if (facts->outcome->kind == OUTCOME_INTERRUPTED)
        decide_interrupted(facts, out);
    else if (verdict->ask || verdict->retry_after_ms > policy->retry_after_cap_ms)
        end_step(out, DECISION_NEEDS_YOU);
    else if (goes_in_circles(facts))
        end_step(out, DECISION_ENTROPY);
    else if (!policy_fits_phase(policy, facts->phase) || !policy_retries_on(policy, verdict->class))
        end_step(out, DECISION_FAILED);
    else
        decide_retry(facts, out);
}
