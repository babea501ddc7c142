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
    const bool is_note =
        run_state_hint_goes(fold->state, fold_task_number(fold)) == HINT_GOES_NOWHERE;
    struct attempt_hint **hint = is_note ? &fold->step->hint : &fold->task->agent->hint;
    const char *text = json_text(json_get(fold->text, "hint"), "");
    const char *by = json_text(json_get(fold->text, "by"), "");
    if (fold->event->a > 0) {
        fold_keep_tries(fold, fold->event->step);
        set_tries(fold->step, (int)fold->event->a);
    }
    if (text[0] == '\0')
        return;
    free(*hint);
    *hint = xcalloc(1, sizeof(**hint));
    (void)snprintf((*hint)->text, sizeof((*hint)->text), "%s", text);
    (void)snprintf((*hint)->by, sizeof((*hint)->by), "%s", by);
}

void fold_hint_taken(const struct fold *fold)
{
    const struct plan_task *plan = &fold->state->plan->tasks[fold_task_number(fold)];
    struct attempt_hint **hint =
        plan->steps[fold->event->step].agent ? &fold->task->agent->hint : &fold->step->hint;
    step_state_attempt(fold->step)->hint = *hint;
    *hint = NULL;
}
