#include "fold.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "xalloc.h"

int fold_task_number(const struct fold *fold)
{
    return (int)(fold->task - fold->state->tasks);
}

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

void fold_set_by(const struct fold *fold)
{
    const char *by = json_text(json_get(fold->text, "by"), NULL);
    free(fold->task->by);
    fold->task->by = by ? xstrdup(by) : NULL;
}

void fold_set_notice(const struct fold *fold, const char *what)
{
    struct run_state *state = fold->state;
    const char *id = fold->task ? state->plan->tasks[fold_task_number(fold)].id : "";
    (void)snprintf(state->notice, sizeof(state->notice), "%s%s%s", id, *id ? " " : "", what);
    state->notice_at_ms = fold->event->at.at_ms;
}

void fold_make_ready(const struct fold *fold, int number)
{
    struct task_state *task = &fold->state->tasks[number];
    task->steps[task->step].status = STEP_READY;
    fold_set_status(fold, task, TASK_QUEUED);
    assert(!heap_has(&fold->state->waits, number));
    if (!task->held)
        heap_put(&fold->state->ready, number, number);
}

void fold_open_grant(struct step_state *step, int grant, int allowed)
{
    step->grant = grant;
    step->allowed = allowed;
    step->used = 0;
    step->retries = 0;
    step->start_failures = 0;
    step->free_hints = 0;
    step->same = 0;
    step->first_start = (struct moment){0};
    step->held_ms = 0;
}
