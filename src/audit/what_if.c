/* what_if.c - follows a recorded run with other policies.
 *
 * The sections, in this order: the sums, the decisions after an attempt, the events. */
#include "what_if.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler.h"
#include "text.h"
#include "xalloc.h"

struct what_if {
    struct plan *recorded;      /* owned; the plan of the run */
    struct plan *other;         /* owned; the plan with the change */
    struct run_state state;     /* owned; the state of the run, with `other` as its plan */
    struct what_if_task *tasks; /* owned; one for each task of the state's plan */
    size_t task_count, task_cap;
    struct what_if_sum sum; /* without the members that what_if_sum() counts */
};

/* Returns whether the task differs from the record. */
static bool is_off(const struct what_if_task *task)
{
    return task->course != WHAT_IF_SAME;
}

/* The sums. */

static bool was_rate_limited(const struct step_state *step)
{
    return step->judged && step->verdict.type == TRANSIENT_API_RATE_LIMIT;
}

/* Returns how long the wait is with the change. Keeps the recorded time beyond the delay; does not
 * extend a wait that somebody ended. */
static int64_t other_wait(const struct what_if *what, int task, int64_t waited_ms)
{
    const struct step_state *step = run_state_step(&what->state, task);
    const int64_t delay_ms = what->tasks[task].due.delay_ms;
    const int64_t more_ms = waited_ms - step_state_formulas(step)->delay.delay_ms;
    int64_t other_ms = delay_ms < waited_ms ? delay_ms : waited_ms;
    if (more_ms >= 0)
        other_ms = delay_ms + more_ms;
    return was_rate_limited(step) && other_ms < waited_ms ? waited_ms : other_ms;
}

/* Returns how long the step has waited, in ms; 0 if it is not waiting. Never negative: after a
 * reboot, times are converted by the wall clock, which may have been set back. */
static int64_t waited_in(const struct step_state *step, const struct moment *at)
{
    const int64_t waited_ms = at->mono_ms - step->wait_from.mono_ms;
    return step->status == STEP_WAITING ? fold_length_ms(waited_ms) : 0;
}

void what_if_sum(const struct what_if *what, struct what_if_sum *out)
{
    const struct run_state *state = &what->state;
    /* The policies of the previous step, because most steps of a plan share a policy. */
    const struct policy *last_was = NULL;
    const struct policy *last_now = NULL;
    bool same = false;
    *out = what->sum;
    for (int task = 0; task < state->plan->task_count; task++) {
        const struct what_if_task *own = &what->tasks[task];
        const enum task_status status = state->tasks[task].status;
        const int64_t open_ms = waited_in(run_state_step(state, task), &state->last);
        out->recorded.waited_ms += own->recorded_wait_ms + open_ms;
        out->other.waited_ms += own->other_wait_ms;
        out->recorded.counts[status]++;
        if (own->course == WHAT_IF_UNKNOWN)
            out->other.unknown++;
        else
            out->other.counts[is_off(own) ? own->status : status]++;
        if (!is_off(own) && status == TASK_BACKOFF)
            out->other.waited_ms += other_wait(what, task, open_ms);

        const struct plan_task *now = &state->plan->tasks[task];
        const struct plan_task *was = state->growing ? NULL : &what->recorded->tasks[task];
        for (int i = 0; i < now->step_count; i++) {
            const struct plan_step *step = &now->steps[i];
            const struct policy *before =
                was ? was->steps[i].policy : plan_policy_find(what->recorded, step->policy->name);
            if (!last_now || last_was != before || last_now != step->policy) {
                last_was = before;
                last_now = step->policy;
                same = before && digest_equal(policy_digest(before), policy_digest(last_now));
            }
            out->steps_changed += !same;
            out->steps_refused +=
                plan_step_attempts(step) > 1 && !plan_step_is_repeatable(now, step);
            out->steps++;
        }
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

/* Decisions of other policies after an attempt, and their consequences. */

/* Appends the reason as a screen would show it if it had been recorded. */
static void explain_decision(const struct what_if *what, int task,
                             const struct scheduler_ruling *ruling, char out[WHAT_IF_WHY_MAX])
{
    const struct plan *plan = what->state.plan;
    const int number = run_state_step_number(&what->state, task);
    struct step_state step = *run_state_step(&what->state, task);
    struct str loop = {0};
    struct str why = {0};
    step.end = ruling->decision.kind;
    step.status = ruling->decision.kind == DECISION_WAIT ? STEP_WAITING : STEP_ENDED;
    struct step_formulas formulas = {.delay = ruling->decision.delay};
    protocol_inputs(&ruling->facts, &ruling->decision, &loop, &formulas.inputs);
    formulas.refused = (char *)(uintptr_t)formulas.inputs.refused; /* only read */
    step.formulas = &formulas;
    if (ruling->decision.kind == DECISION_WAIT)
        shown_formula(&step, &why);
    else
        shown_end(&plan->tasks[task].steps[number], &step, &why);
    (void)snprintf(out, WHAT_IF_WHY_MAX, "%.*s",
                   (int)text_cut(str_text(&why), why.len, WHAT_IF_WHY_MAX - 1), str_text(&why));
    str_done(&why);
    str_done(&loop);
}

static void note_first(struct what_if *what, const struct what_if_difference *difference)
{
    if (!what->sum.has_first)
        what->sum.first = *difference;
    what->sum.has_first = true;
}

/* Marks the task as different from the record from here on. */
static void leave_record(struct what_if *what, int task,
                         const struct what_if_difference *difference)
{
    struct what_if_task *own = &what->tasks[task];
    const bool ends = !difference->other.new_round && difference->other.kind != DECISION_WAIT;
    own->course = ends ? WHAT_IF_ENDS : WHAT_IF_UNKNOWN;
    own->status = ends ? task_status_after(difference->other.kind) : TASK_BACKOFF;
    own->step = difference->step;
    own->attempt = difference->attempt;
    what->sum.ends += ends;
    what->sum.goes_on += !ends;
}

/* Asks the scheduler about the ended attempt, with the policies of the change, and compares. */
static void compare_decision(struct what_if *what, int task, const struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    struct run_state *state = &what->state; /* never modified: nothing is emitted */
    const struct step_state *step = run_state_step(state, task);
    const struct moment at = {.at_ms = event->at.at_ms + own->shift_ms,
                              .mono_ms = event->at.mono_ms + own->shift_ms};
    struct verdict verdict =
        verdict_new();              /* holds a plain success, for which the log has no verdict */
    struct scheduler_ruling ruling; /* borrows the verdict */
    if (step->judged)
        (void)step_state_verdict(step, &verdict);
    scheduler_rule_at(state, &at, task, &step_state_attempt(step)->outcome, &verdict, &ruling);

    struct what_if_difference difference = {
        .task = task,
        .step = event->step,
        .attempt = event->attempt,
        .at = event->at,
        .other = {.kind = ruling.decision.kind,
                  .new_round = ruling.new_round,
                  .delay_ms = ruling.decision.delay.delay_ms},
    };
    struct what_if_decision *recorded = &difference.recorded;
    const struct what_if_decision *other = &difference.other;
    if (event->kind == EVENT_STEP_ENDED)
        recorded->kind = event->step_ended.decision;
    else if (event->kind == EVENT_WAIT_STARTED)
        *recorded = (struct what_if_decision){.kind = DECISION_WAIT,
                                              .delay_ms = event->wait.delay.delay_ms};
    else if (event->kind == EVENT_ROUND_STARTED)
        *recorded = (struct what_if_decision){.kind = DECISION_FAILED, .new_round = true};
    own->due = *other;
    what->sum.decisions++;

    const bool any_round = recorded->new_round || other->new_round;
    const bool is_same =
        any_round ? recorded->new_round == other->new_round
                  : recorded->kind == other->kind && recorded->delay_ms == other->delay_ms;
    if (is_same)
        return;
    what->sum.differ++;
    explain_decision(what, task, &ruling, difference.why);
    note_first(what, &difference);
    if (!any_round && recorded->kind == DECISION_WAIT && other->kind == DECISION_WAIT)
        what->sum.waits++;
    else
        leave_record(what, task, &difference);
}

/* Returns whether it is too late for the next start with the change. */
static bool is_late(const struct what_if *what, int task, const struct moment *at)
{
    const struct step_state *step = run_state_step(&what->state, task);
    const struct plan_task *plan = &what->state.plan->tasks[task];
    return step->first_start.at_ms != 0 &&
           protocol_is_late(plan->steps[run_state_step_number(&what->state, task)].policy,
                            step->first_start.mono_ms, step->held_ms,
                            at->mono_ms + what->tasks[task].shift_ms);
}

/* Records a start that happened only in the run, or only with the change. */
static void differ_at_start(struct what_if *what, int task, const struct event *event,
                            enum decision_kind recorded, enum decision_kind other)
{
    const struct attempt_state *last = step_state_attempt(run_state_step(&what->state, task));
    const struct what_if_difference difference = {.task = task,
                                                  .step = event->step,
                                                  .attempt = last ? last->number : 0,
                                                  .is_before = true,
                                                  .at = event->at,
                                                  .recorded = {.kind = recorded},
                                                  .other = {.kind = other}};
    what->sum.differ++;
    note_first(what, &difference);
    leave_record(what, task, &difference);
}

/* Sets the course of a blocked task from the courses of the tasks that it needs. */
static void look_at_needs(struct what_if *what, int task)
{
    const struct plan_task *plan = &what->state.plan->tasks[task];
    struct what_if_task *own = &what->tasks[task];
    own->course = WHAT_IF_SAME;
    for (int i = 0; i < plan->need_count; i++) {
        const enum what_if_course needed = what->tasks[plan->needs[i]].course;
        if (needed == WHAT_IF_UNKNOWN && own->course == WHAT_IF_SAME)
            own->course = WHAT_IF_UNKNOWN;
        if (needed == WHAT_IF_ENDS || needed == WHAT_IF_BLOCKED)
            own->course = WHAT_IF_BLOCKED;
    }
    own->status = TASK_BLOCKED;
    own->step = own->attempt = 0;
}

/* The events. */

static bool parse_plan(const char *text, struct plan **out, struct err *err)
{
    struct violations wrong = {0};
    const bool ok = plan_parse(text, strlen(text), out, &wrong);
    violations_done(&wrong);
    return ok || err_set(err, ERR_DAMAGED, "the plan in the log cannot be read");
}

/* Makes room for the tasks of the state's plan, which may have grown. */
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
    if (!parse_plan(plan_text, &what->recorded, err) || !parse_plan(plan_text, &what->other, err)) {
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

/* Returns false if a person, a budget or the clock ends the step: that is not a decision after an
 * attempt. */
static bool is_judged(const struct what_if *what, int task)
{
    const struct step_state *step = run_state_step(&what->state, task);
    return step->status == STEP_JUDGING && step_state_attempt(step) != NULL;
}

static void on_start(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    if (!what->state.tasks[task].first_start.at_ms)
        look_at_needs(what, task);
    if (!is_off(own) && is_late(what, task, &event->at))
        differ_at_start(what, task, event, DECISION_WAIT, DECISION_DEADLINE);
    own->cost_micro = 0;
    what->sum.recorded.tries++;
    if (!is_off(own)) {
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
    const bool has_run = event->ended.outcome.kind != OUTCOME_NOT_STARTED;
    const int64_t ran_ms = fold_length_ms(event->ended.outcome.ran_ms);
    what->sum.recorded.ran_ms += ran_ms;
    what->sum.recorded.tries -= !has_run;
    if (!is_off(own)) {
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
    const int64_t cost_micro = event->used.used.cost_micro;
    const int64_t more_micro = cost_micro - own->cost_micro;
    what->sum.recorded.cost_micro = agent_used_sum(what->sum.recorded.cost_micro, more_micro);
    if (!is_off(own))
        what->sum.other.cost_micro = agent_used_sum(what->sum.other.cost_micro, more_micro);
    own->cost_micro = cost_micro;
}

static void on_wait_over(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    const struct step_state *step = run_state_step(&what->state, task);
    if (step->status != STEP_WAITING)
        return;
    const int64_t waited_ms = waited_in(step, &event->at);
    own->recorded_wait_ms += waited_ms;
    if (is_off(own))
        return;
    const int64_t other_ms = other_wait(what, task, waited_ms);
    const int64_t delay_ms = step_state_formulas(step)->delay.delay_ms;
    const bool stayed = other_ms == waited_ms && own->due.delay_ms < delay_ms;
    what->sum.rate_limits |= stayed && was_rate_limited(step);
    own->other_wait_ms += other_ms;
    own->shift_ms += other_ms - waited_ms;
}

static void on_step_ended(struct what_if *what, int task, struct event *event)
{
    on_wait_over(what, task, event);
    if (is_off(&what->tasks[task]))
        return;
    if (is_judged(what, task))
        compare_decision(what, task, event);
    else if (event->step_ended.decision == DECISION_DEADLINE && !is_late(what, task, &event->at))
        differ_at_start(what, task, event, DECISION_DEADLINE, DECISION_WAIT);
}

/* Handles a task that a person continues: it continues with the change too. If the new set has as
 * many attempts as the policy allows, it gets as many as the changed policy allows. */
static void on_reopened(struct what_if *what, int task, struct event *event)
{
    struct what_if_task *own = &what->tasks[task];
    if (!what->state.growing) {
        const struct plan_step *was = &what->recorded->tasks[task].steps[event->step];
        if (event->reopened.allowed == plan_step_attempts(was))
            event->reopened.allowed =
                plan_step_attempts(&what->other->tasks[task].steps[event->step]);
    }
    what->sum.by_hand += is_off(own);
    look_at_needs(what, task);
    own->shift_ms = 0;
}

static void on_decision(struct what_if *what, int task, struct event *event)
{
    if (!is_off(&what->tasks[task]) && is_judged(what, task))
        compare_decision(what, task, event);
}

/* Looks at an event of one kind. Events of all other kinds do not depend on the policy. */
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

bool what_if_take(struct what_if *what, const struct event *event, struct err *err)
{
    struct event taken = *event;
    const int task = event->task;
    const bool is_current = task >= 0 && task < what->state.plan->task_count &&
                            event->step == run_state_step_number(&what->state, task);
    /* The fold rejects other events. */
    const bool is_sound = event_kind_is_known(event->kind) && event_is_in_range(event) &&
                          is_time(event->at.at_ms) && is_time(event->at.mono_ms);
    /* Must precede run_state_apply(): the event was decided in the state before it. */
    if (is_current && is_sound && looks[event->kind])
        looks[event->kind](what, task, &taken);
    if (!run_state_apply(&what->state, &taken, err))
        return false;
    make_room(what);
    /* The task may be blocked by a task whose outcome with the change is not known. */
    if (taken.kind == EVENT_TASK_BLOCKED &&
        what->tasks[taken.blocked.needs].course == WHAT_IF_UNKNOWN && !is_off(&what->tasks[task]))
        look_at_needs(what, task);
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
