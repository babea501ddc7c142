/* fold_step.c - folds waits, ends and reopenings of steps. */
#include "fold.h"

#include <stdlib.h>

#include "shown.h"
#include "xalloc.h"

/* Where what a wait or an end went by is kept; NULL: it is not shown. */
static struct step_formulas *formulas_of(const struct fold *fold)
{
    if (fold->state->use == RUN_STATE_SHOWS && !fold->step->formulas)
        fold->step->formulas = xcalloc(1, sizeof(*fold->step->formulas));
    return fold->step->formulas;
}

/* The event's text outlives the event. */
static void keep_text(const struct fold *fold, char **out)
{
    free(*out);
    *out = fold->event->text ? xstrdup(fold->event->text) : NULL;
}

static struct delay read_delay(const struct fold *fold)
{
    return (struct delay){
        .delay_ms = fold->event->a,
        .exact_ms = fold->event->d,
        .n = (int)json_i64(json_get(fold->text, "n"), 1),
        .factor = json_number(json_get(fold->text, "factor"), 1),
        .hint_ms = json_i64(json_get(fold->text, "hint"), -1),
    };
}

void fold_wait_started(const struct fold *fold)
{
    struct step_state *step = fold->step;
    const struct event *event = fold->event;

    step->status = STEP_WAITING;
    step->wait_from = event->at;
    step->due = (struct moment){.at_ms = event->b, .mono_ms = event->c};
    struct step_formulas *formulas = formulas_of(fold);
    if (formulas) {
        formulas->delay = fold->known ? *fold->known->delay : read_delay(fold);
        keep_text(fold, &formulas->wait_json);
    }
    if (event->e != 0 && step->used > 0) {
        step->used--;
        const int own_retries = step_state_latest(step)->outcome.own_retries;
        step->own_retries -= own_retries < step->own_retries ? own_retries : step->own_retries;
        step->free_hints++;
    }
    if (fold->state->use == RUN_STATE_DECIDES) /* who tells has the words of this yet to find */
        fold_forget_verdict(fold);
    heap_put(&fold->state->waits, fold_task_number(fold), step->due.mono_ms);
    fold_set_status(fold, fold->task, TASK_BACKOFF);
}

/* The wait is over, by time or by a person. */
static void close_wait(const struct fold *fold)
{
    if (fold->step->status != STEP_WAITING)
        return;
    int64_t waited_ms = fold->event->at.mono_ms - fold->step->wait_from.mono_ms;
    heap_remove(&fold->state->waits, fold_task_number(fold));
    fold->task->waited_ms += waited_ms;
    fold->state->waited_ms += waited_ms;
}

void fold_wait_ended(const struct fold *fold)
{
    enum { BY_A_PERSON = 1 };
    close_wait(fold);
    fold->step->by_hand = fold->event->a == BY_A_PERSON;
    fold_make_ready(fold, fold_task_number(fold));
}

/* One needed task less: the dependents that waited for it only may start. */
static void pass_on(const struct fold *fold)
{
    const struct plan_task *plan = &fold->state->plan->tasks[fold_task_number(fold)];
    for (int i = 0; i < plan->dependent_count; i++) {
        struct task_state *dependent = &fold->state->tasks[plan->dependents[i]];
        fold_changes(fold, plan->dependents[i]);
        dependent->unmet--;
        bool waited = dependent->status == TASK_QUEUED || dependent->status == TASK_BLOCKED;
        if (dependent->unmet == 0 && waited)
            fold_make_ready(fold, plan->dependents[i]);
    }
}

static void step_passed(const struct fold *fold)
{
    struct task_state *task = fold->task;
    int number = fold_task_number(fold);
    task->step++;
    if (task->step < fold->state->plan->tasks[number].step_count) {
        fold_make_ready(fold, number);
        return;
    }
    fold_let_go(fold);
    fold_set_status(fold, task, TASK_PASSED);
    fold_forget_circles(fold);
    pass_on(fold);
}

enum task_status task_status_after(enum decision_kind end)
{
    switch (end) {
    case DECISION_ENTROPY:
        return TASK_STUCK;
    case DECISION_NEEDS_YOU:
        return TASK_NEEDS_YOU;
    case DECISION_CANCELLED:
        return TASK_CANCELLED;
    case DECISION_SUCCEEDED:
    case DECISION_WAIT:
    case DECISION_FAILED:
    case DECISION_RETRY_EXHAUSTED:
    case DECISION_TRANSIENT_EXHAUSTED:
    case DECISION_DEADLINE:
    case DECISION_MAX_RETRIES:
    case DECISION_KIND_COUNT:
        break;
    }
    return TASK_GAVE_UP;
}

void fold_step_ended(const struct fold *fold)
{
    struct task_state *task = fold->task;
    enum decision_kind end = (enum decision_kind)fold->event->a;

    fold_not_ready(fold, fold_task_number(fold));
    close_wait(fold);
    fold->step->status = STEP_ENDED;
    fold->step->end = end;
    struct step_formulas *formulas = formulas_of(fold);
    if (formulas)
        keep_text(fold, &formulas->end_json);
    if (fold->event->c != 0)
        task->entropy++;
    if (end == DECISION_SUCCEEDED) {
        fold_forget_verdict(fold);
        step_passed(fold);
        return;
    }
    fold_let_go(fold);
    fold_set_status(fold, task, task_status_after(end));
    if (task->status != TASK_STUCK)
        fold_forget_circles(fold);
    if (end == DECISION_NEEDS_YOU)
        fold_set_notice(fold, "needs you");
    else if (end != DECISION_CANCELLED)
        fold_set_notice(fold, decision_word(end));
}

/* What was blocked by this task only is queued again, and so on down the line. */
static void unblock_dependents(const struct fold *fold, int first)
{
    struct run_state *state = fold->state;
    size_t cap = 0;
    size_t count = 0;
    int *line = xgrow(NULL, &cap, 1, sizeof(*line));
    line[count++] = first;
    for (size_t at = 0; at < count; at++) {
        const struct plan_task *plan = &state->plan->tasks[line[at]];
        for (int i = 0; i < plan->dependent_count; i++) {
            int number = plan->dependents[i];
            struct task_state *task = &state->tasks[number];
            if (task->status != TASK_BLOCKED)
                continue;
            fold_changes(fold, number);
            task->blocked_by = run_state_blocker(state, number);
            if (task->blocked_by >= 0)
                continue;
            fold_set_status(fold, task, TASK_QUEUED);
            line = xgrow(line, &cap, count + 1, sizeof(*line));
            line[count++] = number;
        }
    }
    free(line);
}

void fold_step_reopened(const struct fold *fold)
{
    int number = fold_task_number(fold);
    const int same = fold->step->same;
    fold_pause(fold, fold->task->status == TASK_NEEDS_YOU ? PAUSE_NEEDS_YOU : PAUSE_OVER,
               &fold->task->since);
    fold_keep_tries(fold, fold->event->step);
    fold_open_grant(fold->step, (int)fold->event->a, (int)fold->event->b);
    fold_go_on(fold, (int)fold->event->c);
    if (fold->event->c > 0)
        fold->step->same = same;
    else
        fold->step->results_from = (int)fold->step->attempt_count + 1;
    fold->step->by_hand = true;
    fold_agent_reopened(fold);
    fold_budget_again(fold);
    fold->task->cancelling = false;
    if (fold->state->ended)
        fold_away(fold, &fold->state->ended_at);
    fold->state->ended = false;
    fold->state->stopped_by_person = false;
    if (fold->task->unmet == 0) {
        fold_make_ready(fold, number);
    } else {
        fold->step->status = STEP_PENDING;
        fold_set_status(fold, fold->task, TASK_QUEUED);
    }
    unblock_dependents(fold, number);
}
