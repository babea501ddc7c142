#include "rules.h"

enum { FREE_HINTS = 2, INTERRUPTIONS = 3 };

/* Vigna's splitmix64, from its description. */
static uint64_t split(uint64_t seed)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ (seed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return seed ^ (seed >> 31);
}

static double draw(const struct facts *facts)
{
    uint64_t number = split(facts->run_seed);
    number = split(number ^ (uint64_t)facts->task);
    number = split(number ^ (uint64_t)facts->step);
    number = split(number ^ (uint64_t)facts->round);
    number = split(number ^ (uint64_t)facts->attempt);
    return (double)(number >> 11) / 9007199254740992.0;
}

void rules_delay(const struct facts *facts, int n, struct ruling *ruling)
{
    const struct plot_policy *policy = facts->policy;
    double exact = (double)policy->base_ms;
    for (int i = 1; i < n; i++)
        exact = exact > (double)policy->cap_ms ? exact : exact * policy->multiplier;
    if (exact > (double)policy->cap_ms)
        exact = (double)policy->cap_ms;

    double factor = 1;
    if (policy->jitter == PLOT_JITTER_FULL)
        factor = draw(facts);
    else if (policy->jitter == PLOT_JITTER_PROPORTIONAL)
        factor = 1 + policy->fraction * (2 * draw(facts) - 1);

    ruling->n = n;
    ruling->factor = factor;
    ruling->hint_ms = facts->opinion.hint_ms;
    ruling->exact_ms = (int64_t)exact;
    ruling->delay_ms = (int64_t)((double)ruling->exact_ms * factor);
    if (ruling->delay_ms > policy->cap_ms)
        ruling->delay_ms = policy->cap_ms;
    if (ruling->delay_ms < ruling->hint_ms)
        ruling->delay_ms = ruling->hint_ms;
}

bool rules_late(const struct plot_policy *policy, int64_t first_start_ms, int64_t held_ms,
                int64_t start_ms)
{
    return policy->deadline_ms != 0 && start_ms - first_start_ms - held_ms > policy->deadline_ms;
}

bool rules_parked(const struct opinion *opinion)
{
    return opinion->class == VERDICT_PERSISTENT && opinion->hint_ms >= 0;
}

static struct ruling end(enum row row, enum decision_kind kind)
{
    return (struct ruling){.row = row, .kind = kind, .entropy = true, .capture = true};
}

static struct ruling end_without_entropy(enum row row, enum decision_kind kind)
{
    return (struct ruling){.row = row, .kind = kind, .capture = true};
}

/* The third time, it counts as a transient failure without attempts left (B5). */
static struct ruling decide_interrupted(const struct facts *facts)
{
    if (facts->interrupted >= INTERRUPTIONS)
        return end(ROW_INTERRUPTED_THIRD, DECISION_TRANSIENT_EXHAUSTED);
    if (!facts->repeatable)
        return end_without_entropy(ROW_INTERRUPTED_UNSAFE, DECISION_NEEDS_YOU);
    return (struct ruling){
        .row = ROW_INTERRUPTED_AGAIN, .kind = DECISION_WAIT, .n = 1, .factor = 1, .hint_ms = -1};
}

static struct ruling used_up(const struct facts *facts)
{
    struct ruling ruling = end(ROW_RETRY_EXHAUSTED, DECISION_RETRY_EXHAUSTED);
    if (facts->opinion.class == VERDICT_TRANSIENT)
        ruling = end(ROW_TRANSIENT_EXHAUSTED, DECISION_TRANSIENT_EXHAUSTED);
    if (facts->policy->max_retries)
        ruling = end(ROW_MAX_RETRIES, DECISION_MAX_RETRIES);
    if (facts->of_start)
        ruling.row = ROW_START_EXHAUSTED;
    return ruling;
}

static struct ruling decide_wait(const struct facts *facts)
{
    const struct opinion *opinion = &facts->opinion;
    bool hinted = opinion->hint_ms >= 0;
    bool free = hinted && facts->repeatable && !facts->of_start && facts->free_hints < FREE_HINTS;
    if (facts->used - (free ? 1 : 0) >= facts->allowed)
        return used_up(facts);

    struct ruling ruling = {.row = ROW_WAIT, .kind = DECISION_WAIT, .free = free};
    if (facts->of_start)
        ruling.row = ROW_WAIT_START;
    else if (hinted)
        ruling.row = free ? ROW_WAIT_FREE : ROW_WAIT_HINT;
    rules_delay(facts, facts->used, &ruling);
    if (rules_late(facts->policy, facts->first_start_mono_ms, facts->held_ms,
                   facts->now.mono_ms + ruling.delay_ms))
        return end(ROW_DEADLINE, DECISION_DEADLINE);
    return ruling;
}

static bool goes_in_circles(const struct facts *facts)
{
    int window = facts->policy->window * facts->scale;
    int stops = facts->policy->same_stops * facts->scale;
    return (window != 0 && facts->same >= window) || (stops != 0 && facts->same >= stops);
}

/* In this case, a failure of the work with a retry time counts as an external one. */
static bool tries_again(const struct facts *facts)
{
    const struct plot_policy *policy = facts->policy;
    if (facts->opinion.class == VERDICT_TRANSIENT)
        return policy->on_transient;
    return policy->on_persistent || (rules_parked(&facts->opinion) && policy->on_transient);
}

struct ruling rules_decide(const struct facts *facts)
{
    const struct plot_policy *policy = facts->policy;
    const struct opinion *opinion = &facts->opinion;
    if (facts->outcome == OUTCOME_CANCELLED && facts->stop == STOP_ASKED)
        return end_without_entropy(ROW_CANCELLED, DECISION_CANCELLED);
    if (opinion->class == VERDICT_SUCCESS)
        return (struct ruling){.row = ROW_SUCCESS, .kind = DECISION_SUCCEEDED};
    if (facts->stopping)
        return end_without_entropy(ROW_STOPPED, DECISION_CANCELLED);
    if (facts->stop == STOP_LOOP)
        return end(ROW_CALLS, DECISION_ENTROPY);
    if (facts->stop == STOP_BUDGET)
        return end_without_entropy(ROW_BUDGET, DECISION_NEEDS_YOU);
    if (outcome_is_broken_off(facts->outcome))
        return decide_interrupted(facts);
    if (opinion->ask)
        return end_without_entropy(ROW_ASKS, DECISION_NEEDS_YOU);
    if (opinion->hint_ms > policy->hint_cap_ms)
        return end_without_entropy(ROW_HINT_TOO_FAR, DECISION_NEEDS_YOU);
    if (opinion->no_retry)
        return end(ROW_NO_RETRY, DECISION_FAILED);
    if (opinion->class == VERDICT_PERSISTENT && opinion->reason == REASON_LOOP)
        return end(ROW_OWN_LOOP, DECISION_ENTROPY);
    if (goes_in_circles(facts))
        return end(ROW_ENTROPY, DECISION_ENTROPY);
    if (facts->circling)
        return end(ROW_CIRCLES, DECISION_ENTROPY);
    if ((policy->phases & 1U << facts->phase) == 0)
        return end(ROW_NO_PHASE, DECISION_FAILED);
    if (facts->outcome == OUTCOME_TIMEOUT && !policy->timeouts)
        return end(ROW_NO_TIMEOUT, DECISION_FAILED);
    if (!tries_again(facts))
        return end(ROW_NO_POLICY, DECISION_FAILED);
    return decide_wait(facts);
}

static bool is_red_enough(const struct plot_step *step, const struct outcome *outcome,
                          const struct opinion *opinion)
{
    unsigned reasons = step->reasons;
    if (reasons == 0)
        reasons = 1U << REASON_NONE | 1U << REASON_TEST_FAIL | 1U << REASON_COMPILE;
    return outcome->kind == OUTCOME_EXIT && outcome->code != 126 && outcome->code != 127 &&
           opinion->class == VERDICT_PERSISTENT && (reasons & 1U << opinion->reason) != 0;
}

struct opinion rules_expect(const struct plot_step *step, const struct outcome *outcome,
                            struct opinion opinion, bool matches)
{
    bool judged_as_is = outcome->kind == OUTCOME_CANCELLED || outcome_is_broken_off(outcome->kind);
    if (!step->expects_failure || judged_as_is)
        return opinion;
    if (opinion.class == VERDICT_SUCCESS) {
        opinion.class = VERDICT_PERSISTENT;
        opinion.expectation = VERDICT_UNEXPECTED_PASS;
    } else if (is_red_enough(step, outcome, &opinion) && (matches || !step->has_match)) {
        opinion.class = VERDICT_SUCCESS;
    } else {
        opinion.expectation = VERDICT_WRONG_REASON;
    }
    return opinion;
}
