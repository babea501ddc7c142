#include "what_if.h"

#include <stdlib.h>
#include <string.h>

#include "fold.h"
#include "what_if_parts.h"
#include "xalloc.h"

static bool parse(const char *text, struct plan **out, struct err *err)
{
    struct violations wrong = {0};
    const bool ok = plan_parse(text, strlen(text), out, &wrong);
    violations_done(&wrong);
    return ok || err_set(err, ERR_DAMAGED, "the plan in the log cannot be read");
}

/* The state's plan may have grown. */
static void make_room(struct what_if *what)
{
    const size_t wanted = (size_t)what->state.plan->task_count;
    if (wanted <= what->task_count)
        return;
    what->tasks = xgrow(what->tasks, &what->task_cap, wanted, sizeof(*what->tasks));
    memset(what->tasks + what->task_count, 0, (wanted - what->task_count) * sizeof(*what->tasks));
    what->task_count = wanted;
}

bool what_if_new(struct what_if **out, const char *plan_text, uint64_t seed,
                 const struct policy_change *change, struct err *err)
{
    struct what_if *what = xcalloc(1, sizeof(*what));
    if (!parse(plan_text, &what->recorded, err) || !parse(plan_text, &what->other, err)) {
        what_if_free(what);
        return false;
    }
    if (change)
        policy_change_apply(change, what->other);
    run_state_init(&what->state, what->other, seed);
    make_room(what);
    *out = what;
    return true;
}

void what_if_free(struct what_if *what)
{
    if (!what)
        return;
    run_state_done(&what->state);
    plan_free(what->other);
    plan_free(what->recorded);
    free(what->tasks);
    free(what);
}

bool what_if_is_off(const struct what_if_task *task)
{
    return task->course != WHAT_IF_SAME;
}

/* The task that the event is about, if it names its current step; else -1. */
static int current_task(const struct what_if *what, const struct event *event)
{
    const struct run_state *state = &what->state;
    if (event->task < 0 || event->task >= state->plan->task_count ||
        event->step != run_state_step_number(state, event->task))
        return -1;
    return event->task;
}

/* The end of a step by a person, by a budget or by the clock is no decision after an attempt. */
static bool is_judged(const struct what_if *what, int task)
{
    const struct step_state *step = run_state_step(&what->state, task);
    return step->status == STEP_JUDGING && step_state_attempt(step) != NULL;
}

static void on_start(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    if (!what->state.tasks[task].first_start.at_ms)
        what_if_look_at_needs(what, task);
    if (!what_if_is_off(own) && what_if_is_late(what, task, &event->at))
        what_if_differ_at_start(what, task, event, DECISION_WAIT, DECISION_DEADLINE);
    own->cost_micro = 0;
    what->sum.recorded.tries++;
    if (!what_if_is_off(own)) {
        what->sum.other.tries++;
        return;
    }
    what->sum.not_run++;
    if (own->not_run++ == 0) {
        own->not_run_step = event->step;
        own->not_run_from = event->attempt;
    }
    if (event->step == own->not_run_step)
        own->not_run_to = event->attempt;
}

static void on_end(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    const bool has_run = event->a != OUTCOME_NOT_STARTED;
    const int64_t ran_ms = fold_length_ms(event->c);
    what->sum.recorded.ran_ms += ran_ms;
    what->sum.recorded.tries -= !has_run;
    if (!what_if_is_off(own)) {
        what->sum.other.ran_ms += ran_ms;
        what->sum.other.tries -= !has_run;
    } else if (!has_run) {
        own->not_run--;
        what->sum.not_run--;
    }
}

static void on_cost(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    const int64_t cost_micro = agent_used_of_event(event).cost_micro;
    const int64_t more_micro = cost_micro - own->cost_micro;
    what->sum.recorded.cost_micro = agent_used_sum(what->sum.recorded.cost_micro, more_micro);
    if (!what_if_is_off(own))
        what->sum.other.cost_micro = agent_used_sum(what->sum.other.cost_micro, more_micro);
    own->cost_micro = cost_micro;
}

static void on_wait_over(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    const struct step_state *step = run_state_step(&what->state, task);
    if (step->status != STEP_WAITING)
        return;
    const int64_t waited_ms = what_if_waited(step, &event->at);
    own->recorded_wait_ms += waited_ms;
    if (what_if_is_off(own))
        return;
    const int64_t other_ms = what_if_other_wait(what, task, waited_ms);
    const int64_t delay_ms = step_state_formulas(step)->delay.delay_ms;
    const bool stayed = other_ms == waited_ms && own->due.delay_ms < delay_ms;
    what->sum.rate_limits |= stayed && what_if_was_rate_limited(step);
    own->other_wait_ms += other_ms;
    own->shift_ms += other_ms - waited_ms;
}

static void on_step_ended(struct what_if *what, int task, struct event *event)
{
    on_wait_over(what, task, event);
    if (what_if_is_off(&what->tasks[task]))
        return;
    if (is_judged(what, task))
        what_if_compare(what, task, event);
    else if (event->a == DECISION_DEADLINE && !what_if_is_late(what, task, &event->at))
        what_if_differ_at_start(what, task, event, DECISION_DEADLINE, DECISION_WAIT);
}

/* A person lets it go on: with the change, too. Tries that the policy gives are the other
 * policy's. */
static void on_reopened(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    if (!what->state.growing) {
        const struct plan_step *was = &what->recorded->tasks[task].steps[event->step];
        if (event->b == plan_step_attempts(was))
            event->b = plan_step_attempts(&what->other->tasks[task].steps[event->step]);
    }
    what->sum.by_hand += what_if_is_off(own);
    what_if_look_at_needs(what, task);
    own->shift_ms = 0;
}

static void on_decision(struct what_if *what, int task, struct event *event)
{
    if (!what_if_is_off(&what->tasks[task]) && is_judged(what, task))
        what_if_compare(what, task, event);
}

/* Of all other kinds nothing depends on the policy. */
typedef void look_fn(struct what_if *what, int task, struct event *event);
static look_fn *const looks[EVENT_KIND_COUNT] = {
    [EVENT_ATTEMPT_STARTED] = on_start,  [EVENT_ATTEMPT_ENDED] = on_end,
    [EVENT_AGENT_USED] = on_cost,        [EVENT_WAIT_STARTED] = on_decision,
    [EVENT_ROUND_STARTED] = on_decision, [EVENT_WAIT_ENDED] = on_wait_over,
    [EVENT_STEP_ENDED] = on_step_ended,  [EVENT_STEP_REOPENED] = on_reopened,
};

static bool is_time(int64_t ms)
{
    return ms >= -FOLD_TIME_MAX_MS && ms <= FOLD_TIME_MAX_MS;
}

/* May what it says be computed with? A start says a digest. */
static bool is_sound(const struct event *event)
{
    const bool numbers =
        event->kind == EVENT_ATTEMPT_STARTED || (is_time(event->a) && is_time(event->c));
    return numbers && is_time(event->at.at_ms) && is_time(event->at.mono_ms);
}

/* Before the event is folded in: the state is that which it was decided in. What is not sound the
 * fold will refuse. */
static void look_at(struct what_if *what, struct event *event)
{
    const int task = current_task(what, event);
    const bool is_known = event_kind_is_known((int64_t)event->kind);
    if (task >= 0 && is_known && is_sound(event) && looks[event->kind])
        looks[event->kind](what, task, event);
}

/* Blocked by a task of which it is not known whether it passes. */
static void look_at_block(struct what_if *what, const struct event *event)
{
    if (what->tasks[event->a].course == WHAT_IF_UNKNOWN &&
        !what_if_is_off(&what->tasks[event->task]))
        what_if_look_at_needs(what, event->task);
}

bool what_if_take(struct what_if *what, const struct event *event, struct err *err)
{
    struct event taken = *event;
    look_at(what, &taken);
    if (!run_state_apply(&what->state, &taken, err))
        return false;
    make_room(what);
    if (taken.kind == EVENT_TASK_BLOCKED)
        look_at_block(what, &taken);
    if (taken.kind == EVENT_GATE_CLOSED)
        what->sum.gates = true;
    return true;
}

const struct run_state *what_if_state(const struct what_if *what)
{
    return &what->state;
}

const struct what_if_task *what_if_task(const struct what_if *what, int task)
{
    return &what->tasks[task];
}
