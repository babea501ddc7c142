/* fold_sound.c - are an event's numbers within bounds? What is folded in is computed with:
 * nothing a log can say may overflow, or stand for what is not there. */
#include <assert.h>

#include "fold.h"

static bool is_within(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

static bool is_moment(int64_t at_ms, int64_t mono_ms)
{
    return is_within(at_ms, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS) &&
           is_within(mono_ms, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS);
}

static bool names_class(const struct event *event)
{
    return is_within(event->a, 0, VERDICT_CLASS_COUNT - 1) &&
           is_within(event->b, 0, TRANSIENT_TYPE_COUNT - 1) &&
           is_within(event->c, 0, REASON_COUNT - 1);
}

/* What is in the text is within bounds, or not there. */
static bool has_number(const struct fold *fold, const char *key, double least, double most)
{
    if (!fold->text)
        return true;
    const double value = json_number(json_get(fold->text, key), least);
    return value >= least && value <= most;
}

static bool is_sound_wait(const struct fold *fold)
{
    const struct event *event = fold->event;
    return is_within(event->a, 0, FOLD_DELAY_MAX_MS) && is_moment(event->b, event->c) &&
           is_within(event->d, 0, FOLD_DELAY_MAX_MS) && has_number(fold, "n", 0, FOLD_COUNT_MAX) &&
           has_number(fold, "base", 0, FOLD_DELAY_MAX_MS) &&
           has_number(fold, "cap", 0, FOLD_DELAY_MAX_MS) &&
           has_number(fold, "hint", -1, FOLD_DELAY_MAX_MS) &&
           has_number(fold, "multiplier", 0, FOLD_COUNT_MAX) &&
           has_number(fold, "factor", 0, FOLD_COUNT_MAX) &&
           has_number(fold, "jitter", 0, FOLD_COUNT_MAX);
}

/* What has not begun can only be cancelled. */
static bool is_sound_end(const struct fold *fold)
{
    int64_t kind = fold->event->a;
    return is_within(kind, 0, DECISION_KIND_COUNT - 1) && kind != DECISION_WAIT &&
           (fold->step->status != STEP_PENDING || kind == DECISION_CANCELLED);
}

/* It has not begun, and what is said to block it is needed and did not pass. */
static bool is_sound_block(const struct fold *fold)
{
    const struct run_state *state = fold->state;
    int number = fold_task_number(fold);
    const struct plan_task *plan = &state->plan->tasks[number];
    if (run_state_step(state, number)->status != STEP_PENDING)
        return false;
    for (int i = 0; i < plan->need_count; i++) {
        enum task_status status = state->tasks[plan->needs[i]].status;
        if (plan->needs[i] == fold->event->a)
            return task_status_is_final(status) && status != TASK_PASSED;
    }
    return false;
}

static bool is_sound_gate(const struct fold *fold)
{
    const struct event *event = fold->event;
    const struct plan *plan = fold->state->plan;
    if (!is_within(event->a, 0, plan->source_count - 1))
        return false;
    if (event->kind == EVENT_GATE_OPENED)
        return is_within(event->c, 0, FOLD_SPACING_MAX_MS);
    return is_moment(event->b, event->c) && is_within(event->d, 1, FOLD_COUNT_MAX) &&
           is_within(event->e, 0, plan->task_count);
}

/* What stands for a fact is one. */
static bool is_sound_fact(const struct fold *fold)
{
    struct entropy_fact fact;
    return !json_get(fold->text, "loop") || fold_read_fact(fold->text, &fact);
}

/* Numbers of a fact: none is negative, and sums of them do not overflow. */
static bool is_count(int64_t value)
{
    return is_within(value, 0, FOLD_TIME_MAX_MS);
}

static bool is_sound_tree(const struct event *event)
{
    const struct digest tree = {.hi = (uint64_t)event->a, .lo = (uint64_t)event->b};
    return digest_is_known(tree) && is_count(event->c) && is_count(event->d) && is_count(event->e);
}

static_assert(AGENT_USED_MAX <= FOLD_TIME_MAX_MS, "what an agent may have used is a count");

bool fold_is_of_agent(const struct fold *fold)
{
    return fold->state->plan->tasks[fold_task_number(fold)].steps[fold->event->step].agent != NULL;
}

static bool is_sound_call(const struct fold *fold)
{
    const struct event *event = fold->event;
    return is_within(event->a, 1, AGENT_CALLS_MAX) && is_count(event->b) &&
           is_within(event->c, INT32_MIN, INT32_MAX) && is_within(event->d, 0, 1) &&
           is_sound_fact(fold);
}

/* The calls of an agent while it runs, or attempts when one has ended. */
static bool is_sound_suspicion(const struct fold *fold)
{
    if (fold->step->status == STEP_JUDGING)
        return fold->event->e == EVENT_LOOP_OF_ATTEMPTS;
    return fold->event->e == EVENT_LOOP_OF_CALLS && fold_is_of_agent(fold) &&
           fold->task->agent->calls;
}

static bool is_sound_budget(const struct fold *fold)
{
    const struct event *event = fold->event;
    return is_within(event->a, BUDGET_NONE + 1, BUDGET_KIND_COUNT - 1) && is_count(event->b) &&
           is_within(event->d, EVENT_BUDGET_TOLD, EVENT_BUDGET_SPENT) &&
           (!fold->task || fold->task->agent);
}

/* The next one, from an agent's step up to the one that failed. */
static bool is_sound_round(const struct fold *fold)
{
    const struct event *event = fold->event;
    const struct plan_task *plan = &fold->state->plan->tasks[fold_task_number(fold)];
    return fold->task->agent && event->a == (int64_t)fold->task->agent->round + 1 &&
           event->a <= FOLD_COUNT_MAX && event->c == event->step && event->b >= 0 &&
           event->b == plan_task_agent_step(plan, event->step);
}

static bool is_sound_agent_event(const struct fold *fold)
{
    const struct event *event = fold->event;
    if (!fold_is_of_agent(fold))
        return false;
    if (event->kind == EVENT_AGENT_CALL)
        return is_sound_call(fold);
    return event->kind == EVENT_AGENT_SESSION ||
           (is_count(event->a) && is_count(event->b) && is_count(event->c) && is_count(event->d) &&
            is_count(event->e));
}

static bool is_sound_fact_event(const struct fold *fold)
{
    const struct event *event = fold->event;
    switch (event->kind) {
    case EVENT_AGENT_SESSION:
    case EVENT_AGENT_USED:
    case EVENT_AGENT_CALL:
        return is_sound_agent_event(fold);
    case EVENT_WORKSPACE_MADE:
        return is_within(event->a, 0, WORKSPACE_KIND_COUNT - 1) && is_count(event->b);
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        return is_sound_tree(event);
    case EVENT_WORKSPACE_CHANGED:
        return is_count(event->a) && is_count(event->b) && is_count(event->c) &&
               is_within(event->d, 0, 1) && is_count(event->e);
    case EVENT_RESULT_KEPT:
        return is_within(event->a, EVENT_KEPT_BRANCH, EVENT_KEPT_TREE);
    case EVENT_TIME_STOPPED:
    case EVENT_SECRETS_CUT:
        return is_within(event->a, 0, FOLD_DELAY_MAX_MS);
    default: /* sandbox_lacks has no numbers */
        return true;
    }
}

int64_t fold_length_ms(int64_t ms)
{
    if (ms < 0)
        return 0;
    return ms < FOLD_DELAY_MAX_MS ? ms : FOLD_DELAY_MAX_MS;
}

bool fold_is_sound(const struct fold *fold)
{
    const struct event *event = fold->event;
    if (!is_moment(event->at.at_ms, event->at.mono_ms))
        return false;
    if (event_kind_is_fact(event->kind))
        return is_sound_fact_event(fold);
    switch (event->kind) {
    case EVENT_RUN_RECOVERED:
        return is_within(event->b, 0, PLAN_JOBS_MAX) &&
               is_within(event->c, TAKE_UP_OPEN, TAKE_UP_COUNT - 1) &&
               (event->c == TAKE_UP_OPEN || fold->state->ended);
    case EVENT_RUN_STARTED:
        return is_within(event->a, 0, FOLD_COUNT_MAX);
    case EVENT_ATTEMPT_ENDED:
        return is_within(event->a, 0, OUTCOME_KIND_COUNT - 1) &&
               is_within(event->c, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS) &&
               has_number(fold, "new", -1, 1000) && has_number(fold, "stop", 0, STOP_COUNT - 1) &&
               has_number(fold, "quiet", 0, FOLD_DELAY_MAX_MS) &&
               has_number(fold, "own", 0, FOLD_COUNT_MAX) &&
               has_number(fold, "own_wait", 0, FOLD_DELAY_MAX_MS) && is_sound_fact(fold);
    case EVENT_ATTEMPT_JUDGED:
        return names_class(event) && has_number(fold, "retry_after_ms", -1, FOLD_DELAY_MAX_MS);
    case EVENT_CLASS_CORRECTED:
        return names_class(event);
    case EVENT_ATTEMPT_QUIET:
        return is_within(event->a, 0, FOLD_TIME_MAX_MS);
    case EVENT_WAIT_STARTED:
        return is_sound_wait(fold);
    case EVENT_STEP_ENDED:
        return is_sound_end(fold);
    case EVENT_STEP_REOPENED:
        return is_within(event->a, 1, FOLD_COUNT_MAX) && is_within(event->b, 1, FOLD_COUNT_MAX) &&
               is_within(event->c, 0, ENTROPY_SCALE_MAX);
    case EVENT_TASK_BLOCKED:
        return is_sound_block(fold);
    case EVENT_TASK_HELD:
        return is_within(event->a, 0, fold->state->plan->task_count);
    case EVENT_TASK_RELEASED:
        return is_moment(event->a, event->b);
    case EVENT_CANCEL_ASKED:
        return is_within(event->a, 0, CANCEL_MODE_COUNT - 1);
    case EVENT_LOOP_SUSPECTED:
        return is_sound_suspicion(fold);
    case EVENT_BUDGET:
        return is_sound_budget(fold);
    case EVENT_ROUND_STARTED:
        return is_sound_round(fold);
    case EVENT_TASK_ADDED:
        return fold_takes_task(fold);
    case EVENT_HINT_GIVEN:
        return is_within(event->a, 0, FOLD_COUNT_MAX);
    case EVENT_GATE_CLOSED:
    case EVENT_GATE_OPENED:
        return is_sound_gate(fold);
    default: /* the other kinds carry nothing that is computed with */
        return true;
    }
}
