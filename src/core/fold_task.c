#include "fold.h"

#include <stdlib.h>

#include "xalloc.h"

void fold_task_blocked(const struct fold *fold)
{
    fold->task->blocked_by = (int)fold->event->a;
    if (fold->task->held)
        fold->state->held_count--;
    fold->task->held = false;
    fold_set_status(fold, fold->task, TASK_BLOCKED);
}

void fold_task_held(const struct fold *fold)
{
    heap_remove(&fold->state->ready, fold_task_number(fold));
    fold->task->held = true;
    fold->task->held_since = fold->event->at;
    fold->state->held_count++;
    fold_set_by(fold);
}

void fold_task_released(const struct fold *fold)
{
    struct task_state *task = fold->task;
    int number = fold_task_number(fold);
    fold->state->held_count--;
    run_state_step(fold->state, number)->held_ms +=
        run_state_held_ms(fold->state, number, &fold->event->at);
    task->held = false;
    if (task->step < fold->state->plan->tasks[number].step_count &&
        task->steps[task->step].status == STEP_READY)
        heap_put(&fold->state->ready, number, number);
}

static void ask_to_cancel(const struct fold *fold, struct task_state *task)
{
    if (task_status_is_final(task->status))
        return;
    task->cancelling = true;
    task->cancel_mode = (enum cancel_mode)fold->event->a;
    const char *by = json_text(json_get(fold->text, "by"), NULL);
    free(task->by);
    task->by = by ? xstrdup(by) : NULL;
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
