/* fold_pause.c - folds the stretches in which a task was held, blocked or behind a gate. */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

/* Room for one more. */
static struct task_pause *next_pause(struct task_state *task)
{
    if (!task->pauses)
        task->pauses = xcalloc(1, sizeof(*task->pauses));
    struct task_pauses *pauses = task->pauses;
    if (pauses->count == TASK_PAUSES_MAX) {
        pauses->count--;
        (void)memmove(pauses->items, pauses->items + 1, pauses->count * sizeof(*pauses->items));
    }
    pauses->items = xgrow(pauses->items, &pauses->cap, pauses->count + 1, sizeof(*pauses->items));
    return &pauses->items[pauses->count++];
}

void fold_pause(const struct fold *fold, enum pause_kind kind, const struct moment *from)
{
    *next_pause(fold->task) = (struct task_pause){
        .kind = kind, .ended = fold->task->status, .from = *from, .until = fold->event->at};
}

void fold_pauses_free(struct task_pauses *pauses)
{
    if (!pauses)
        return;
    free(pauses->items);
    free(pauses);
}
