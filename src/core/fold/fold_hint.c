/* fold_hint.c - what a person says with a retry: words for the next attempt, and how many. */
#include <stdio.h>
#include <stdlib.h>

#include "fold.h"
#include "xalloc.h"

/* A set that has not begun begins with so many. */
static void set_tries(struct step_state *step, int allowed)
{
    if (step->grant == 0)
        fold_open_grant(step, 1, allowed);
    else
        step->allowed = allowed;
}

void fold_hint_given(const struct fold *fold)
{
    const int number = run_state_hint_step(fold->state, fold_task_number(fold));
    struct step_state *step = number >= 0 ? &fold->task->steps[number] : fold->step;
    const char *text = json_text(json_get(fold->text, "hint"), "");
    const char *by = json_text(json_get(fold->text, "by"), "");
    if (fold->event->a > 0) {
        fold_keep_tries(fold, fold->event->step);
        set_tries(fold->step, (int)fold->event->a);
    }
    if (text[0] == '\0')
        return;
    free(step->hint);
    step->hint = xcalloc(1, sizeof(*step->hint));
    (void)snprintf(step->hint->text, sizeof(step->hint->text), "%s", text);
    (void)snprintf(step->hint->by, sizeof(step->hint->by), "%s", by);
}

void fold_hint_taken(struct step_state *step)
{
    step_state_attempt(step)->hint = step->hint;
    step->hint = NULL;
}
