#include "view_try.h"

#include "view.h"

bool view_try_next(const struct run_state *state, struct view_try *one, int by)
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

static struct view_try latest(const struct run_state *state, int task)
{
    struct view_try one = {.task = task, .step = run_state_step_number(state, task)};
    one.attempt = (int)state->tasks[task].steps[one.step].attempt_count + 1;
    if (!view_try_next(state, &one, -1))
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
    return latest(state, view->chosen);
}

void view_try_choose(struct view *view, const struct view_try *one)
{
    view->tried = *one;
}

static bool is_told(const struct attempt_state *attempt)
{
    return attempt->ended.mono_ms == 0 || attempt->class != VERDICT_SUCCESS;
}

void view_try_choose_failure(struct view *view, const struct run_state *state)
{
    if (view->chosen < 0)
        return;
    const struct view_try last = latest(state, view->chosen);
    struct view_try look = last;
    view->tried = last;
    while (look.attempt > 0 && !is_told(view_try_state(state, &look))) {
        if (!view_try_next(state, &look, -1))
            return;
    }
    view->tried = look;
}

bool view_try_step(struct view *view, const struct run_state *state, int by)
{
    struct view_try one = view_try_now(view, state);
    if (!view_try_next(state, &one, by))
        return false;
    view->tried = one;
    return true;
}

bool view_try_has(const struct view *view, const struct run_state *state, int by)
{
    struct view_try one = view_try_now(view, state);
    return view_try_next(state, &one, by);
}
