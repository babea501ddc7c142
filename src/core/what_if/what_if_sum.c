/* what_if_sum.c - what a run comes to as recorded and with other policies. */
#include "fold.h"
#include "what_if_parts.h"

bool what_if_was_rate_limited(const struct step_state *step)
{
    return step->judged && step->verdict.type == TRANSIENT_API_RATE_LIMIT;
}

/* How long the change would have waited where so long was waited. What came on top of the delay
 * comes on top of the other one; a wait that somebody ended is not made longer. */
int64_t what_if_other_wait(const struct what_if *what, int task, int64_t waited_ms)
{
    const struct step_state *step = run_state_step(&what->state, task);
    const int64_t delay_ms = what->tasks[task].due.delay_ms;
    const int64_t more_ms = waited_ms - step_state_formulas(step)->delay.delay_ms;
    int64_t other_ms = delay_ms < waited_ms ? delay_ms : waited_ms;
    if (more_ms >= 0)
        other_ms = delay_ms + more_ms;
    return what_if_was_rate_limited(step) && other_ms < waited_ms ? waited_ms : other_ms;
}

/* Never below 0: after a reboot times go by the wall clock, which may have been set back. */
int64_t what_if_waited(const struct step_state *step, const struct moment *at)
{
    const int64_t waited_ms = at->mono_ms - step->wait_from.mono_ms;
    return step->status == STEP_WAITING ? fold_length_ms(waited_ms) : 0;
}

static void count_task(const struct what_if *what, int task, struct what_if_sum *out)
{
    const struct run_state *state = &what->state;
    const struct what_if_task *own = &what->tasks[task];
    const enum task_status status = state->tasks[task].status;
    const int64_t open_ms = what_if_waited(run_state_step(state, task), &state->last);
    out->recorded.waited_ms += own->recorded_wait_ms + open_ms;
    out->other.waited_ms += own->other_wait_ms;
    out->recorded.counts[status]++;
    if (own->course == WHAT_IF_UNKNOWN)
        out->other.unknown++;
    else
        out->other.counts[what_if_is_off(own) ? own->status : status]++;
    if (!what_if_is_off(own) && state->tasks[task].status == TASK_BACKOFF)
        out->other.waited_ms += what_if_other_wait(what, task, open_ms);
}

/* The policies of the step before: most steps of a plan share theirs. */
struct pair {
    const struct policy *was, *now;
    bool same;
};

static void compare_policies(struct pair *pair, const struct policy *was, const struct policy *now)
{
    if (pair->now && pair->was == was && pair->now == now)
        return;
    *pair = (struct pair){was, now, was && digest_equal(policy_digest(was), policy_digest(now))};
}

static void count_steps(const struct what_if *what, int task, struct pair *pair,
                        struct what_if_sum *out)
{
    const struct plan_task *now = &what->state.plan->tasks[task];
    const struct plan_task *was = what->state.growing ? NULL : &what->recorded->tasks[task];
    for (int i = 0; i < now->step_count; i++) {
        const struct plan_step *step = &now->steps[i];
        compare_policies(
            pair, was ? was->steps[i].policy : plan_policy_find(what->recorded, step->policy->name),
            step->policy);
        out->steps_changed += !pair->same;
        out->steps_refused += plan_step_attempts(step) > 1 && !plan_step_is_repeatable(now, step);
        out->steps++;
    }
}

void what_if_sum(const struct what_if *what, struct what_if_sum *out)
{
    struct pair pair = {0};
    *out = what->sum;
    for (int i = 0; i < what->state.plan->task_count; i++) {
        count_task(what, i, out);
        count_steps(what, i, &pair, out);
    }
}

static void add_side(struct what_if_side *all, const struct what_if_side *one)
{
    all->tries += one->tries;
    all->waited_ms += one->waited_ms;
    all->ran_ms += one->ran_ms;
    all->cost_micro = agent_used_sum(all->cost_micro, one->cost_micro);
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        all->counts[i] += one->counts[i];
    all->unknown += one->unknown;
}

void what_if_sum_add(struct what_if_sum *all, const struct what_if_sum *one)
{
    add_side(&all->recorded, &one->recorded);
    add_side(&all->other, &one->other);
    all->decisions += one->decisions;
    all->differ += one->differ;
    all->waits += one->waits;
    all->ends += one->ends;
    all->goes_on += one->goes_on;
    all->not_run += one->not_run;
    all->by_hand += one->by_hand;
    all->rate_limits |= one->rate_limits;
    all->gates |= one->gates;
    all->steps_changed += one->steps_changed;
    all->steps_refused += one->steps_refused;
    all->steps += one->steps;
    if (one->has_first && (!all->has_first || one->first.at.at_ms < all->first.at.at_ms))
        all->first = one->first;
    all->has_first |= one->has_first;
}
