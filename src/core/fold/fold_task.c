/* fold_task.c - folds what becomes of whole tasks. */
#include "fold.h"

void fold_task_blocked(const struct fold *fold)
{
    fold->task->blocked_by = (int)fold->event->a;
    fold_let_go(fold);
    fold_set_status(fold, fold->task, TASK_BLOCKED);
}

void fold_task_held(const struct fold *fold)
{
    struct task_state *task = fold->task;
    fold_not_ready(fold, fold_task_number(fold));
    task->held = true;
    task->held_since = fold->event->at;
    fold->state->held_count++;
    if (fold->event->a > 0) {
        task->follows = (int)fold->event->a - 1;
        fold->state->follow_count++;
        fold_changes(fold, task->follows);
        fold->state->tasks[task->follows].followers++;
        heap_remove(&fold->state->waits, fold_task_number(fold));
    }
    fold_set_by(fold, task);
}

/* What followed another task waits on, until the new due time if there is one. */
static void resume_wait(const struct fold *fold, struct step_state *step)
{
    const struct event *event = fold->event;
    if (event->b > 0)
        step->due = (struct moment){.at_ms = event->a, .mono_ms = event->b};
    heap_put(&fold->state->waits, fold_task_number(fold), step->due.mono_ms);
}

void fold_task_released(const struct fold *fold)
{
    int number = fold_task_number(fold);
    struct step_state *step = run_state_step(fold->state, number);
    step->held_ms += run_state_held_ms(fold->state, number, &fold->event->at);
    fold_let_go(fold);
    if (step->status == STEP_READY)
        fold_line_up(fold, number);
    else if (step->status == STEP_WAITING)
        resume_wait(fold, step);
}

static void ask_to_cancel(const struct fold *fold, struct task_state *task)
{
    if (task_status_is_final(task->status))
        return;
    if (!task->cancelling)
        task->cancelled_at = fold->event->at;
    task->cancelling = true;
    task->cancel_mode = (enum cancel_mode)fold->event->a;
    fold_set_by(fold, task);
}

void fold_cancel_asked(const struct fold *fold)
{
    if (fold->task) {
        ask_to_cancel(fold, fold->task);
        return;
    }
    fold->state->stopped_by_person = true;
    for (int i = 0; i < fold->state->plan->task_count; i++)
        ask_to_cancel(fold, &fold->state->tasks[i]);
}
