/* view_fold.c - which tasks are one row: those with one fault; the rest of view.h is in view.c. */
#include "view.h"

/* The spans of two faults with one result may overlap: what is said of a fold is about its
 * own members only. */
static void join(struct view *view, int number, const struct run_state *state, int task)
{
    struct view_fold *fold = &view->folds[number];
    const struct moment *due = &run_state_step(state, task)->due;
    bool is_first = fold->fault.count == 0;
    if (is_first || task < fold->fault.first)
        fold->fault.first = task;
    if (is_first || due->mono_ms < fold->fault.due_first.mono_ms)
        fold->fault.due_first = *due;
    if (is_first || due->mono_ms > fold->fault.due_last.mono_ms)
        fold->fault.due_last = *due;
    fold->fault.count++;
    fold->held += state->tasks[task].held;
    view->fold_of[task] = number;
}

/* The tasks that wait with a common result. */
static void find_waiting(struct view *view, const struct run_state *state)
{
    struct fault faults[FAULTS_MAX];
    int count = run_state_faults(state, faults);
    for (int i = 0; i < count; i++) {
        struct view_fold *fold = &view->folds[i];
        *fold = (struct view_fold){.fault = faults[i], .leader = -1};
        fold->fault.count = 0;
    }
    view->fold_count = count;
    for (int i = 0; i < state->waits.count && count > 0; i++) {
        int task = state->waits.items[i];
        int fold = 0;
        while (fold < count && !fault_has(&faults[fold], state, task))
            fold++;
        bool is_other = state->tasks[task].follows >= 0; /* see find_following() */
        if (fold < count && !is_other)
            join(view, fold, state, task);
    }
}

static int fold_of_leader(const struct view *view, int leader, int first)
{
    int fold = first;
    while (fold < view->fold_count && view->folds[fold].leader != leader)
        fold++;
    return fold;
}

/* The tasks that wait for another one to be through. */
static void find_following(struct view *view, const struct run_state *state)
{
    int first = view->fold_count;
    for (int i = 0; i < state->plan->task_count && state->follow_count > 0; i++) {
        int leader = state->tasks[i].follows;
        if (leader < 0)
            continue;
        int fold = fold_of_leader(view, leader, first);
        if (fold == VIEW_FOLDS_MAX)
            continue;
        if (fold == view->fold_count) {
            const struct step_state *step = run_state_step(state, i);
            const struct attempt_state *attempt = step_state_attempt(step);
            struct fault fault = {.first = i, .since = step->wait_from};
            if (attempt)
                fault.fingerprint = attempt->fingerprint;
            view->folds[view->fold_count++] = (struct view_fold){.fault = fault, .leader = leader};
        }
        view->fold_of[i] = fold;
        view->folds[fold].fault.count++;
        view->folds[fold].held++;
    }
}

void view_find_folds(struct view *view, const struct run_state *state)
{
    for (int i = 0; i < view->order_count; i++)
        view->fold_of[i] = -1;
    find_waiting(view, state);
    find_following(view, state);
    for (int i = 0; i < view->order_count && view->fold_count > 0; i++) {
        int fold = view->fold_of[i];
        if (fold >= 0 && view->folds[fold].fault.count < FAULT_TASKS_MIN)
            view->fold_of[i] = -1;
    }
}

const struct view_fold *view_fold_of(const struct view *view, int task)
{
    int fold = task >= 0 ? view->fold_of[task] : -1;
    return fold >= 0 ? &view->folds[fold] : NULL;
}

const struct view_fold *view_chosen_fold(const struct view *view)
{
    return view->on_fold ? view_fold_of(view, view->chosen) : NULL;
}

static int find_unfolded(const struct view *view, const struct view_fold *fold)
{
    int i = 0;
    while (i < view->unfolded_count && !digest_equal(view->unfolded[i], fold->fault.fingerprint))
        i++;
    return i;
}

bool view_is_unfolded(const struct view *view, const struct view_fold *fold)
{
    return find_unfolded(view, fold) < view->unfolded_count;
}

void view_toggle_fold(struct view *view, const struct view_fold *fold)
{
    int at = find_unfolded(view, fold);
    if (at < view->unfolded_count) {
        view->unfolded[at] = view->unfolded[--view->unfolded_count];
        return;
    }
    if (view->unfolded_count == VIEW_FOLDS_MAX) { /* the oldest is forgotten */
        for (int i = 1; i < VIEW_FOLDS_MAX; i++)
            view->unfolded[i - 1] = view->unfolded[i];
        view->unfolded_count--;
    }
    view->unfolded[view->unfolded_count++] = fold->fault.fingerprint;
}
