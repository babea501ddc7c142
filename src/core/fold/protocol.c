/* protocol.c - decides after an attempt: success, a wait, or the end of the step and why.
 *
 * The order of the conditions in protocol_decide() is the protocol: a person's cancel comes first,
 * then success, ends caused by devs itself, interruptions, failures that need a person, loops, and
 * finally the policy of the step.
 *
 * An attempt that was interrupted because devs died does not use up a try, and neither do the first
 * waits requested by a server. protocol_inputs() collects the numbers that explain a decision. */
#include "protocol.h"

#include <assert.h>
#include <stddef.h>

#include "run_state.h"

enum { INTERRUPTIONS_MAX = 3 }; /* the third interruption ends the step */

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
    [DECISION_MAX_RETRIES] = "max retries exceeded",
};
static_assert(ARRAY_LEN(names) == DECISION_KIND_COUNT, "every decision has a name");

const char *decision_kind_name(enum decision_kind kind)
{
    assert(kind < DECISION_KIND_COUNT);
    return names[kind];
}

/* Returns whether the agent's own loop guard ended the attempt. */
static bool ended_for_its_loop(const struct protocol_facts *facts)
{
    return facts->stop == STOP_ASKED && facts->verdict->class == VERDICT_PERSISTENT &&
           facts->verdict->reason == REASON_LOOP;
}

/* Ends the step. Sets whether the end counts as entropy and whether to keep the evidence. */
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

/* Decides after an attempt during which devs died or another machine was lost. That is not the
 * fault of the work, so it uses up nothing. */
static void decide_interrupted(const struct protocol_facts *facts, struct decision *out)
{
    out->counts = false;
    if (facts->interrupted >= INTERRUPTIONS_MAX)
        end_step(out, DECISION_TRANSIENT_EXHAUSTED);
    else if (!facts->repeatable)
        end_step(out, DECISION_NEEDS_YOU);
    else
        wait_for(out, facts, (struct delay){.retry_number = 1, .factor = 1, .hint_ms = -1});
}

static bool is_stuck_by_rung(const struct protocol_facts *facts)
{
    return facts->circles && facts->circles->verdict.level == ENTROPY_STUCK;
}

int protocol_equal_max(const struct protocol_facts *facts)
{
    return facts->ignores_repeats ? 0 : policy_equal_max(facts->policy) * facts->scale;
}

int protocol_unchanged_max(const struct protocol_facts *facts)
{
    return facts->ignores_repeats ? 0 : facts->policy->unchanged_stops;
}

/* Returns whether a rung has detected a loop, or all results in a window of the policy are
 * equal. */
static bool is_looping(const struct protocol_facts *facts)
{
    return entropy_is_stuck(facts->results, facts->result_count, protocol_equal_max(facts)) ||
           is_stuck_by_rung(facts);
}

bool protocol_is_late(const struct policy *policy, int64_t started_mono_ms, int64_t held_ms,
                      int64_t start_mono_ms)
{
    return policy->deadline_ms > 0 &&
           start_mono_ms > started_mono_ms + held_ms + policy->deadline_ms;
}

bool protocol_is_parked(const struct verdict *verdict)
{
    return verdict->class == VERDICT_PERSISTENT && verdict->retry_after_ms >= 0;
}

/* Decides on a failure that the policy retries: waits, unless attempts or time are used up. */
static void decide_retry(const struct protocol_facts *facts, struct decision *out)
{
    const struct policy *policy = facts->policy;
    const struct verdict *verdict = facts->verdict;
    /* The first waits requested by a server do not use up an attempt. Starts have their own count,
     * and a step that cannot be repeated gets no more attempts than its policy allows. */
    const bool of_the_world = verdict->class == VERDICT_TRANSIENT || protocol_is_parked(verdict);
    const bool free_wait = of_the_world && verdict->retry_after_ms >= 0 &&
                           facts->free_hints < POLICY_FREE_HINTS && facts->repeatable &&
                           facts->outcome->kind != OUTCOME_NOT_STARTED;

    out->counts = !free_wait;
    const int tried = facts->used + facts->own_retries;
    const int used = free_wait ? tried - 1 - facts->outcome->own_retries : tried;
    if (used >= facts->allowed) {
        if (policy->exhausted == POLICY_EXHAUSTED_MAX_RETRIES)
            end_step(out, DECISION_MAX_RETRIES);
        else
            end_step(out, verdict->class == VERDICT_TRANSIENT ? DECISION_TRANSIENT_EXHAUSTED
                                                              : DECISION_RETRY_EXHAUSTED);
        return;
    }
    struct delay delay = policy_delay(policy, tried, facts->draw, verdict->retry_after_ms);
    if (protocol_is_late(policy, facts->started_mono_ms, facts->held_ms,
                         facts->now.mono_ms + delay.delay_ms))
        end_step(out, DECISION_DEADLINE);
    else
        wait_for(out, facts, delay);
}

/* Returns whether the policy retries such a failure in this phase. */
static bool tries_again(const struct protocol_facts *facts)
{
    const struct policy *policy = facts->policy;
    const struct verdict *verdict = facts->verdict;
    const bool is_parked = protocol_is_parked(verdict);
    enum verdict_class class = verdict->class;
    if (facts->outcome->kind == OUTCOME_TIMEOUT && !policy->retry_timeouts)
        return false;
    if (is_parked && policy_retries_on(policy, VERDICT_TRANSIENT, false))
        class = VERDICT_TRANSIENT;
    /* The same persistent failure has repeated too often, and nothing has changed that could make a
     * difference. */
    const int stops = protocol_unchanged_max(facts);
    const bool repeats_unchanged = stops > 0 && verdict->class == VERDICT_PERSISTENT &&
                                   !is_parked && facts->is_unchanged && facts->same >= stops;
    return policy_fits_phase(policy, facts->phase) &&
           policy_retries_on(policy, class, verdict->reason != REASON_NONE) && !repeats_unchanged;
}

void protocol_decide(const struct protocol_facts *facts, struct decision *out)
{
    assert(facts->used >= 1);

    const struct verdict *verdict = facts->verdict;
    const struct policy *policy = facts->policy;
    *out = (struct decision){.counts = true};

    if (facts->outcome->kind == OUTCOME_CANCELLED && facts->stop == STOP_ASKED)
        end_step(out, DECISION_CANCELLED);
    else if (verdict->class == VERDICT_SUCCESS)
        end_step(out, DECISION_SUCCEEDED);
    else if (facts->stopping)
        end_step(out, DECISION_CANCELLED);
    else if (facts->stop != STOP_ASKED)
        end_step(out, facts->stop == STOP_LOOP ? DECISION_ENTROPY : DECISION_NEEDS_YOU);
    else if (outcome_is_broken_off(facts->outcome->kind) && !verdict->ask)
        decide_interrupted(facts, out);
    else if (verdict->ask || verdict->retry_after_ms > policy->retry_after_cap_ms)
        end_step(out, DECISION_NEEDS_YOU);
    else if (verdict->no_retry)
        end_step(out, DECISION_FAILED);
    else if (ended_for_its_loop(facts) || is_looping(facts))
        end_step(out, DECISION_ENTROPY);
    else if (!tries_again(facts))
        end_step(out, DECISION_FAILED);
    else
        decide_retry(facts, out);
}

void protocol_blame_refusal(struct protocol_facts *facts, struct decision *out)
{
    const bool is_final = out->kind == DECISION_FAILED || out->kind == DECISION_RETRY_EXHAUSTED ||
                          out->kind == DECISION_MAX_RETRIES;
    const bool has_run =
        facts->outcome->kind == OUTCOME_EXIT || facts->outcome->kind == OUTCOME_SIGNAL;
    if (!is_final || !has_run || facts->verdict->class != VERDICT_PERSISTENT)
        facts->refused = NULL;
    if (facts->refused)
        end_step(out, DECISION_NEEDS_YOU);
}

const char *decision_of_name(enum decision_of of)
{
    static const char *const of_names[] = {
        [DECISION_OF_NONE] = "",     [DECISION_OF_AGENT] = "agent", [DECISION_OF_CALLS] = "calls",
        [DECISION_OF_TASK] = "task", [DECISION_OF_RUN] = "run",
    };
    static_assert(ARRAY_LEN(of_names) == DECISION_OF_COUNT, "each has a name");
    assert(of < DECISION_OF_COUNT);
    return of_names[of];
}

void protocol_add_budget(const struct budget_use *spent, bool by_run, struct decision_inputs *out)
{
    out->of = by_run ? DECISION_OF_RUN : DECISION_OF_TASK;
    out->budget = spent->kind;
    out->spent = spent->used;
    out->spent_limit = spent->limit;
}

void protocol_inputs(const struct protocol_facts *facts, const struct decision *decision,
                     struct str *why, struct decision_inputs *out)
{
    const struct policy *policy = facts->policy;
    const bool has_equal = protocol_equal_max(facts) > 0;
    const bool has_unchanged = protocol_unchanged_max(facts) > 0;
    out->policy = policy->name;
    if (decision->kind == DECISION_WAIT) {
        out->base_ms = policy->base_delay_ms;
        out->multiplier = policy->multiplier;
        out->cap_ms = policy->cap_ms;
        out->jitter = policy->jitter;
        out->full_jitter = policy->jitter_kind == POLICY_JITTER_FULL;
    } else {
        out->phase = (int)facts->phase + 1;
    }
    out->used = facts->used;
    out->allowed = facts->allowed;
    out->own_retries = facts->own_retries;
    if (has_equal || has_unchanged)
        out->same = facts->same;
    if (has_equal) {
        out->window = policy->window * facts->scale;
        out->same_stops = policy->same_stops * facts->scale;
    }
    if (has_unchanged) {
        out->unchanged_stops = policy->unchanged_stops;
        out->unchanged = facts->is_unchanged;
    }
    if (facts->verdict->retry_after_ms >= 0) {
        out->hint_cap_ms = policy->retry_after_cap_ms;
        out->free_hints = facts->free_hints;
    }
    if (policy->deadline_ms > 0) {
        out->deadline_ms = policy->deadline_ms;
        out->since_start_ms = fold_span_ms(facts->now.mono_ms - facts->started_mono_ms);
    }
    out->held_ms = facts->held_ms > 0 ? fold_span_ms(facts->held_ms) : 0;
    out->interrupted = facts->interrupted;
    if (decision->kind != DECISION_WAIT && facts->rounds > 1) {
        out->round = facts->round;
        out->rounds = facts->rounds;
    }
    if (decision->kind == DECISION_ENTROPY) { /* a loop of an agent's calls, or of attempts */
        if (ended_for_its_loop(facts)) {
            out->of = DECISION_OF_AGENT;
        } else if (facts->stop == STOP_LOOP) {
            out->of = DECISION_OF_CALLS;
            out->loop = circles_facts(facts->calls, facts->step, 0, why);
        } else if (is_stuck_by_rung(facts)) {
            out->loop = circles_facts(facts->circles, facts->step, facts->masks, why);
        }
    }
    if (decision->kind == DECISION_NEEDS_YOU)
        out->refused = facts->refused;
    if (decision->kind == DECISION_NEEDS_YOU && facts->stop == STOP_BUDGET)
        protocol_add_budget(&facts->spent, facts->spent_by_run, out);
}

const char *decision_word(enum decision_kind kind)
{
    static const char *const words[] = {
        [DECISION_SUCCEEDED] = "passed",
        [DECISION_WAIT] = "waits",
        [DECISION_FAILED] = "gave up",
        [DECISION_RETRY_EXHAUSTED] = "gave up",
        [DECISION_TRANSIENT_EXHAUSTED] = "gave up",
        [DECISION_ENTROPY] = "stuck",
        [DECISION_NEEDS_YOU] = "needs you",
        [DECISION_CANCELLED] = "cancelled",
        [DECISION_DEADLINE] = "gave up",
        [DECISION_MAX_RETRIES] = "gave up",
    };
    static_assert(ARRAY_LEN(words) == DECISION_KIND_COUNT, "every decision has its word");
    assert(kind < DECISION_KIND_COUNT);
    return words[kind];
}
