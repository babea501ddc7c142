#include "fold.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_past.h"
#include "xalloc.h"

void fold_set_status(const struct fold *fold, struct task_state *task, enum task_status status)
{
    struct run_state *state = fold->state;
    if (task->status == status)
        return;
    state->counts[task->status]--;
    state->counts[status]++;
    task->status = status;
    task->since = fold->event->at;
}

void fold_set_by(const struct fold *fold, struct task_state *task)
{
    const char *by = json_text(json_get(fold->text, "by"), NULL);
    free(task->by);
    task->by = by ? xstrdup(by) : NULL;
}

void fold_set_notice(const struct fold *fold, const char *what)
{
    struct run_state *state = fold->state;
    const char *id = fold->task ? state->plan->tasks[fold_task_number(fold)].id : "";
    (void)snprintf(state->notice, sizeof(state->notice), "%s%s%s", id, *id ? " " : "", what);
    state->notice_at_ms = fold->event->at.at_ms;
}

void fold_changes(const struct fold *fold, int number)
{
    if (fold->state->past)
        run_past_changes(fold->state->past, number, false);
}

/* The line in which a step of this gate (NULL: of none) stands once it may start. */
static struct number_set *line_of(struct run_state *state, struct gate_state *gate)
{
    return gate ? &gate->line : &state->ready;
}

void fold_line_up(const struct fold *fold, int number)
{
    struct gate_state *gate = run_state_gate(fold->state, number);
    number_set_add(line_of(fold->state, gate), number);
}

void fold_not_ready(const struct fold *fold, int number)
{
    struct gate_state *gate = run_state_gate(fold->state, number);
    number_set_remove(line_of(fold->state, gate), number);
    if (!gate)
        return;
    if (gate->chosen == number)
        gate->chosen = -1;
    if (gate->status == GATE_SPREADING && gate->line.count == 0)
        gate->status = GATE_OPEN;
}

void fold_make_ready(const struct fold *fold, int number)
{
    struct task_state *task = &fold->state->tasks[number];
    task->steps[task->step].status = STEP_READY;
    fold_set_status(fold, task, TASK_QUEUED);
    assert(!heap_has(&fold->state->waits, number));
    if (!task->held)
        fold_line_up(fold, number);
}

void fold_let_go(const struct fold *fold)
{
    struct task_state *task = fold->task;
    if (task->held) {
        fold->state->held_count--;
        fold_pause(fold, PAUSE_HELD, &task->held_since);
    }
    if (task->follows >= 0) {
        fold->state->follow_count--;
        fold_changes(fold, task->follows);
        fold->state->tasks[task->follows].followers--;
    }
    task->held = false;
    task->follows = -1;
}

void fold_keep_tries(const struct fold *fold, int number)
{
    fold->task->steps[number].tries_max =
        run_state_step_tries(fold->state, fold_task_number(fold), number);
}

void fold_open_grant(struct step_state *step, int grant, int allowed)
{
    step->grant = grant;
    step->allowed = allowed;
    step->used = 0;
    step->own_retries = 0;
    step->start_failures = 0;
    step->free_hints = 0;
    step->same = 0;
    step->interrupted = 0;
    step->first_start = (struct moment){0};
    step->held_ms = 0;
}
