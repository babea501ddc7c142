/*
 * view_detail.c - the Detail screen: the attempt that it shows, and its keys.
 */
#include "view.h"
#include "view_internal.h"

/* Moves to the attempt before (-1) or after (1), over all steps. Returns false and does not move if
 * there is none. */
static bool move_try(const struct run_state *state, struct view_try *one, int by)
{
    if (one->task < 0 || one->attempt == 0)
        return false;
    const struct task_state *task = &state->tasks[one->task];
    const int steps = state->plan->tasks[one->task].step_count;
    int step = one->step;
    int attempt = one->attempt + by;
    while (attempt < 1 || (size_t)attempt > task->steps[step].attempt_count) {
        step += by;
        if (step < 0 || step >= steps)
            return false;
        attempt = by > 0 ? 1 : (int)task->steps[step].attempt_count;
    }
    one->step = step;
    one->attempt = attempt;
    return true;
}

static struct view_try latest_try(const struct run_state *state, int task)
{
    struct view_try one = {.task = task, .step = run_state_step_number(state, task)};
    one.attempt = (int)state->tasks[task].steps[one.step].attempt_count + 1;
    if (!move_try(state, &one, -1))
        one.attempt = 0;
    return one;
}

const struct attempt_state *view_try_state(const struct run_state *state,
                                           const struct view_try *one)
{
    if (one->task < 0 || one->attempt < 1)
        return NULL;
    return step_state_find_attempt(&state->tasks[one->task].steps[one->step], one->attempt);
}

struct view_try view_try_now(const struct view *view, const struct run_state *state)
{
    if (view->chosen < 0)
        return (struct view_try){.task = -1};
    if (view->tried.task == view->chosen && view_try_state(state, &view->tried))
        return view->tried;
    return latest_try(state, view->chosen);
}

void view_try_choose(struct view *view, const struct view_try *one)
{
    view->tried = *one;
}

void view_try_choose_failure(struct view *view, const struct run_state *state)
{
    if (view->chosen < 0)
        return;
    struct view_try look = latest_try(state, view->chosen);
    view->tried = look;
    while (look.attempt > 0) {
        const struct attempt_state *attempt = view_try_state(state, &look);
        if (attempt->ended.mono_ms == 0 || attempt->class != VERDICT_SUCCESS)
            break;
        if (!move_try(state, &look, -1))
            return;
    }
    view->tried = look;
}

bool view_try_step(struct view *view, const struct run_state *state, int by)
{
    struct view_try one = view_try_now(view, state);
    if (!move_try(state, &one, by))
        return false;
    view->tried = one;
    return true;
}

bool view_try_has(const struct view *view, const struct run_state *state, int by)
{
    struct view_try one = view_try_now(view, state);
    return move_try(state, &one, by);
}

enum { PAGE_TRIES = 8 };

/* Finds the nearest failed attempt after (step 1) or before (step -1) the attempt in view. */
static bool find_failure(const struct view *view, const struct run_state *state, int step,
                         struct view_try *out)
{
    *out = view_try_now(view, state);
    while (move_try(state, out, step)) {
        const struct attempt_state *attempt = view_try_state(state, out);
        if (attempt && attempt->ended.mono_ms != 0 && attempt->class != VERDICT_SUCCESS)
            return true;
    }
    return false;
}

const char *view_detail_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act)
{
    struct view_try found;
    if (view->chosen < 0)
        return NULL;
    switch (act) {
    case UI_FILTER:
        return (view->panes & VIEW_HAS_LOG) == 0 ? "no room for the log here: {open} opens it"
                                                 : NULL;
    case UI_ERROR_NEXT:
        return find_failure(view, facts->state, 1, &found) ? NULL
                                                           : "no later try of this task failed";
    case UI_ERROR_BACK:
        return find_failure(view, facts->state, -1, &found) ? NULL
                                                            : "no earlier try of this task failed";
    default: /* other acts always have an effect */
        return NULL;
    }
}

bool view_detail_act(struct view *view, const struct view_facts *facts, enum act act,
                     struct view_todo *out)
{
    struct view_try found;
    (void)out; /* unused: only a new frame is needed */
    if (view->chosen < 0)
        return false;
    switch (act) {
    case UI_OPEN:
        view_log_open(view, facts);
        return true;
    case UI_FILTER:
        view->pane = VIEW_PANE_LOG;
        line_edit_clear(&view->search);
        line_edit_open(&view->search);
        return true;
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK:
        if (find_failure(view, facts->state, act == UI_ERROR_NEXT ? 1 : -1, &found))
            view_try_choose(view, &found);
        return true;
    default:
        break;
    }
    if (view_preview_act(view, act))
        return true;
    const int by = view_move_lines(act, PAGE_TRIES);
    if (by == 0 || view->pane == VIEW_PANE_LOG)
        return false;
    /* Moves by that many attempts, or as far as possible. */
    const int step = by < 0 ? -1 : 1;
    int left = by < 0 ? -by : by;
    if (!view_try_step(view, facts->state, step)) {
        view_say(view, &facts->clock, "the task has no %s try", by < 0 ? "earlier" : "later");
        return true;
    }
    while (--left > 0 && view_try_step(view, facts->state, step))
        ;
    view->log_back = 0;
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
