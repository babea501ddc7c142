#include "view_detail.h"

#include "view.h"
#include "view_log.h"
#include "view_move.h"

enum { PAGE_TRIES = 8 };

/* The try so far on, or the last one there is that way; says so where there is none. */
static void move(struct view *view, const struct view_facts *facts, int by)
{
    const int step = by < 0 ? -1 : 1;
    int left = by < 0 ? -by : by;
    if (!view_try_step(view, facts->state, step)) {
        view_say(view, &facts->clock, "the task has no %s try", by < 0 ? "earlier" : "later");
        return;
    }
    while (--left > 0 && view_try_step(view, facts->state, step))
        ;
    view->log_back = 0;
}

static bool is_failure(const struct view *view, const struct run_state *state)
{
    const struct view_try at = view_try_now(view, state);
    const struct attempt_state *attempt = view_try_state(state, &at);
    return attempt && attempt->ended.mono_ms != 0 && attempt->class != VERDICT_SUCCESS;
}

static void move_to_failure(struct view *view, const struct view_facts *facts, int step)
{
    const struct view_try before = view->tried;
    while (view_try_step(view, facts->state, step)) {
        if (is_failure(view, facts->state))
            return;
    }
    view->tried = before;
    view_say(view, &facts->clock, "no %s try of this task failed", step < 0 ? "earlier" : "later");
}

static void search(struct view *view, const struct view_facts *facts)
{
    if ((view->panes & VIEW_HAS_LOG) == 0) {
        view_tell(view, &facts->clock, "there is no room for the log here: {open} opens it");
        return;
    }
    view->pane = VIEW_PANE_LOG;
    line_edit_clear(&view->search);
    line_edit_open(&view->search);
}

bool view_detail_act(struct view *view, const struct view_facts *facts, enum act act,
                     struct view_todo *out)
{
    (void)out; /* nothing but a new frame */
    if (view->chosen < 0)
        return false;
    switch (act) {
    case UI_OPEN:
        view_log_open(view, facts);
        return true;
    case UI_FILTER:
        search(view, facts);
        return true;
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK:
        move_to_failure(view, facts, act == UI_ERROR_NEXT ? 1 : -1);
        return true;
    default:
        break;
    }
    if (view_preview_act(view, act))
        return true;
    const int by = view_move_lines(act, PAGE_TRIES);
    if (by == 0 || view->pane == VIEW_PANE_LOG)
        return false;
    move(view, facts, by);
    return true;
}

void view_detail_choose(struct view *view, const struct run_state *state, int row)
{
    const int steps = state->plan->tasks[view->chosen].step_count;
    for (int i = 0; i < steps; i++) {
        const int count = (int)state->tasks[view->chosen].steps[i].attempt_count;
        if (row < count) {
            const struct view_try one = {.task = view->chosen, .step = i, .attempt = row + 1};
            view_try_choose(view, &one);
            view->log_back = 0;
            return;
        }
        row -= count;
    }
}
