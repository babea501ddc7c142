/* view_rows.c - the rows of the list: which tasks have one, in which position, and which tasks
 * share one because they have the same fault. */
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "view.h"
#include "view_internal.h"
#include "xalloc.h"

/* A row is a task, or a fold, identified by its first task. */
enum { VIEW_NO_ROW = -1 };

/* The spans of two faults with the same result may overlap. A fold's description is about its own
 * members only. */
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

/* Finds tasks that wait with a common result. */
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
        bool is_other = state->tasks[task].follows >= 0; /* handled by find_following() */
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

/* Finds tasks that wait for another task to finish. */
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

/* Finds the present folds. */
static void view_find_folds(struct view *view, const struct run_state *state)
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
    if (view->unfolded_count == VIEW_FOLDS_MAX) { /* forget the oldest */
        for (int i = 1; i < VIEW_FOLDS_MAX; i++)
            view->unfolded[i - 1] = view->unfolded[i];
        view->unfolded_count--;
    }
    view->unfolded[view->unfolded_count++] = fold->fault.fingerprint;
}

/* Returns room for one row per task and per fold. */
static size_t rows_max(const struct view *view)
{
    return (size_t)view->order_count + VIEW_FOLDS_MAX + 1;
}

/* A fold's row is the bitwise complement of its first task's number. */
static int row_of_fold(int first)
{
    return -1 - first;
}

bool view_row_is_fold(int row)
{
    return row < 0;
}

int view_row_task(int row)
{
    return row < 0 ? -1 - row : row;
}

static int find_row(const struct view *view, int row)
{
    for (int i = 0; i < view->row_count; i++) {
        if (view->rows[i] == row)
            return i;
    }
    return VIEW_NO_ROW;
}

int view_row_of(const struct view *view, int task)
{
    return task >= 0 ? find_row(view, task) : VIEW_NO_ROW;
}

bool view_has_fold_row(const struct view *view, const struct view_fold *fold)
{
    return find_row(view, row_of_fold(fold->fault.first)) != VIEW_NO_ROW;
}

int view_chosen_row(const struct view *view)
{
    if (view->chosen < 0)
        return VIEW_NO_ROW;
    return find_row(view, view->on_fold ? row_of_fold(view->chosen) : view->chosen);
}

void view_choose(struct view *view, int row)
{
    view->chosen = view_row_task(row);
    view->on_fold = view_row_is_fold(row);
}

void view_choose_row(struct view *view, int row)
{
    const int chosen = view->chosen;
    if (view->row_count == 0)
        return;
    if (row >= view->row_count)
        row = view->row_count - 1;
    view_choose(view, view->rows[row < 0 ? 0 : row]);
    if (view->chosen == chosen)
        return;
    view->log_back = 0;
    view->search.open = false;
}

/* The rows being built. */
struct filling {
    const struct view *view;
    const struct view_facts *facts;
    int *rows;
    int count;
    int hidden[VIEW_FOLDS_MAX]; /* per fold: members hidden by the filter */
    bool has_row[VIEW_FOLDS_MAX];
};

static void add_row(struct filling *filling, int row)
{
    filling->rows[filling->count++] = row;
}

/* A fold that is partly hidden by the filter gets no row: acts on it would apply to hidden
 * tasks. */
static void count_hidden(struct filling *filling)
{
    const struct view *view = filling->view;
    for (int i = 0; i < view->order_count && view->fold_count > 0; i++) {
        int fold = view->fold_of[i];
        if (fold >= 0)
            filling->hidden[fold] += !view_matches(view, filling->facts, i);
    }
}

static void add_members(struct filling *filling, int fold)
{
    const struct view *view = filling->view;
    for (int i = 0; i < view->order_count; i++) {
        if (view->fold_of[i] == fold)
            add_row(filling, i);
    }
}

/* Adds a task that is in a fold: the fold's row at its first task, and nothing for the other tasks,
 * except the selected one. */
static void add_folded(struct filling *filling, int task, int fold)
{
    const struct view *view = filling->view;
    bool unfolded = view_is_unfolded(view, &view->folds[fold]);
    if (!filling->has_row[fold]) {
        filling->has_row[fold] = true;
        add_row(filling, row_of_fold(view->folds[fold].fault.first));
        if (unfolded)
            add_members(filling, fold);
    }
    bool stays = task == view->chosen && !view->on_fold;
    bool is_first = task == view->folds[fold].fault.first;
    if (stays && !unfolded && (!is_first || view_screen(view) != SCREEN_TASKS))
        add_row(filling, task);
}

static void fill(struct filling *filling, const int *order)
{
    const struct view *view = filling->view;
    count_hidden(filling);
    for (int i = 0; i < view->order_count; i++) {
        int fold = view->fold_of[order[i]];
        if (fold >= 0 && filling->hidden[fold] == 0)
            add_folded(filling, order[i], fold);
        else if (order[i] == view->chosen || view_matches(view, filling->facts, order[i]))
            add_row(filling, order[i]);
    }
}

/* Makes sure that the selection has a row: its own, or its fold's. */
static void settle_choice(struct view *view)
{
    if (view->chosen < 0 || view_chosen_row(view) != VIEW_NO_ROW)
        return;
    view->on_fold = false;
    const struct view_fold *fold = view_fold_of(view, view->chosen);
    bool is_folded = fold && view_chosen_row(view) == VIEW_NO_ROW &&
                     find_row(view, row_of_fold(fold->fault.first)) != VIEW_NO_ROW;
    if (is_folded)
        view_choose(view, row_of_fold(fold->fault.first));
}

/* Updates rows in place, while their tasks change. */
struct mending {
    const struct view *view;
    const struct filling *wanted; /* the rows as newly built */
    int *rows;
    int count;
    bool *has_own; /* per task */
    bool has_row[VIEW_FOLDS_MAX];
};

/* Returns the fold of this task, if the fold may have a row. */
static int shown_fold(const struct mending *mending, int task)
{
    int fold = mending->view->fold_of[task];
    return fold >= 0 && mending->wanted->hidden[fold] == 0 ? fold : -1;
}

static void put_own(struct mending *mending, int task)
{
    if (mending->has_own[task])
        return;
    mending->has_own[task] = true;
    mending->rows[mending->count++] = task;
}

static void put_fold(struct mending *mending, int fold)
{
    if (mending->has_row[fold])
        return;
    mending->has_row[fold] = true;
    mending->rows[mending->count++] = row_of_fold(mending->view->folds[fold].fault.first);
}

/* Keeps a row. The row of a fold that no longer exists becomes its first task's own, unless that
 * task already has one. */
static void keep_row(struct mending *mending, int row)
{
    int task = view_row_task(row);
    int fold = shown_fold(mending, task);
    if (!view_row_is_fold(row))
        put_own(mending, task);
    else if (fold >= 0)
        put_fold(mending, fold);
    else if (view_row_of(mending->view, task) == VIEW_NO_ROW)
        put_own(mending, task);
}

/* Finds folds that need a row, because they have none and neither does one of their tasks. */
static void find_uncovered(const struct mending *mending, bool uncovered[VIEW_FOLDS_MAX])
{
    for (int i = 0; i < mending->view->order_count; i++) {
        int fold = shown_fold(mending, i);
        if (fold >= 0 && !mending->has_row[fold] && !mending->has_own[i])
            uncovered[fold] = true;
    }
}

/* Returns true if this row has to be inserted. */
static bool is_missing(const struct mending *mending, const bool uncovered[VIEW_FOLDS_MAX], int row)
{
    int task = view_row_task(row);
    int fold = shown_fold(mending, task);
    if (view_row_is_fold(row))
        return !mending->has_row[fold] && uncovered[fold];
    bool is_covered = fold >= 0 && (mending->has_row[fold] || uncovered[fold]) &&
                      !view_is_unfolded(mending->view, &mending->view->folds[fold]);
    return !mending->has_own[task] && !is_covered;
}

static bool has_row_in(const struct mending *mending, int row)
{
    int task = view_row_task(row);
    return view_row_is_fold(row) ? mending->has_row[mending->view->fold_of[task]]
                                 : mending->has_own[task];
}

/* Returns the positions of the kept rows among the wanted ones, per task: first the own rows, then
 * the folds. */
static int *places(const struct mending *mending)
{
    int tasks = mending->view->order_count;
    int *at = xcalloc(2 * (size_t)tasks + 1, sizeof(*at));
    for (int i = 0; i < 2 * tasks; i++)
        at[i] = -1;
    for (int i = 0; i < mending->wanted->count; i++) {
        int row = mending->wanted->rows[i];
        at[view_row_task(row) + (view_row_is_fold(row) ? tasks : 0)] = i;
    }
    return at;
}

/* Inserts each missing row after the kept row that it should follow. */
static void put_missing(struct mending *mending, int *out)
{
    const struct filling *wanted = mending->wanted;
    bool uncovered[VIEW_FOLDS_MAX] = {false};
    int tasks = mending->view->order_count;
    int *at = places(mending);
    int count = 0;
    find_uncovered(mending, uncovered);
    for (int i = -1; i < mending->count; i++) {
        int next = 0; /* before the first row: insert rows wanted at the top */
        if (i >= 0) {
            int row = mending->rows[i];
            out[count++] = row;
            next = at[view_row_task(row) + (view_row_is_fold(row) ? tasks : 0)] + 1;
        }
        bool is_placed = i < 0 || next > 0;
        for (; is_placed && next < wanted->count; next++) {
            if (has_row_in(mending, wanted->rows[next]))
                break;
            if (is_missing(mending, uncovered, wanted->rows[next]))
                out[count++] = wanted->rows[next];
        }
    }
    mending->count = count;
    free(at);
}

/* Corrects the present rows in place. */
static void mend_rows(struct view *view, const struct filling *wanted)
{
    struct mending mending = {
        .view = view,
        .wanted = wanted,
        .rows = xcalloc(rows_max(view), sizeof(*mending.rows)),
        .has_own = xcalloc((size_t)view->order_count + 1, sizeof(*mending.has_own)),
    };
    int *out = xcalloc(rows_max(view), sizeof(*out));
    for (int i = 0; i < view->row_count; i++)
        keep_row(&mending, view->rows[i]);
    put_missing(&mending, out);
    memcpy(view->rows, out, (size_t)mending.count * sizeof(*out));
    view->row_count = mending.count;
    free(out);
    free(mending.rows);
    free(mending.has_own);
}

static bool has_rows(const struct view *view, const struct filling *wanted)
{
    return wanted->count == view->row_count &&
           memcmp(wanted->rows, view->rows, (size_t)wanted->count * sizeof(*wanted->rows)) == 0;
}

bool view_is_over(const struct view_facts *facts)
{
    return facts->state->ended || facts->orphaned;
}

/* When a run is opened, or has ended while the view was elsewhere, selects the first task that
 * needs the user or has failed. In a live run, only if the top row needs the user. */
static void choose_first_failed(struct view *view, const struct view_facts *facts, bool is_opened)
{
    const bool is_over = view_is_over(facts);
    const bool has_ended = is_over && !view->was_over;
    view->was_over = is_over;
    const bool is_used =
        view->used_at_ms != 0 && facts->clock.mono_ms - view->used_at_ms < VIEW_LEFT_ALONE_MS;
    if ((!has_ended && !is_opened) || is_used || view->choice_is_given || view->row_count == 0 ||
        view->sorted.by != ORDER_ADDED || view->sorted.is_turned)
        return;
    const int row = view->rows[0];
    switch (shown_task(facts->state, view_row_task(row), facts->orphaned)) {
    case SHOWN_NEEDS_YOU:
    case SHOWN_STUCK:
    case SHOWN_GAVE_UP:
    case SHOWN_LOST:
        view_choose(view, row);
        view->is_scrolled = false;
        break;
    default:
        break;
    }
}

void view_arrange(struct view *view, const struct view_facts *facts)
{
    int *order = xcalloc((size_t)view->order_count + 1, sizeof(*order));
    struct filling wanted = {
        .view = view,
        .facts = facts,
        .rows = xcalloc(rows_max(view), sizeof(*wanted.rows)),
    };
    view_filter_take(view);
    view_find_folds(view, facts->state);
    view_order_sort(view, facts, order);
    fill(&wanted, order);

    bool first = view->row_count == 0;
    bool still = !first && facts->clock.mono_ms < view->still_until;
    if (still) {
        mend_rows(view, &wanted);
    } else {
        memcpy(view->order, order, (size_t)view->order_count * sizeof(*order));
        memcpy(view->rows, wanted.rows, (size_t)wanted.count * sizeof(*wanted.rows));
        view->row_count = wanted.count;
    }
    view->unsettled = still && !has_rows(view, &wanted);
    if (!still)
        choose_first_failed(view, facts, first && view->chosen == 0);
    settle_choice(view);
    free(order);
    free(wanted.rows);
}

void view_narrow(struct view *view, const struct view_facts *facts)
{
    int chosen = view->chosen;
    view->chosen = -1;
    view_filter_take(view);
    view_find_folds(view, facts->state);
    struct filling filling = {.view = view, .facts = facts, .rows = view->rows};
    fill(&filling, view->order);
    view->row_count = filling.count;
    view->chosen = chosen;
    settle_choice(view);
    if (view_chosen_row(view) < 0) {
        view->chosen = -1;
        view->on_fold = false;
        if (view->row_count > 0)
            view_choose(view, view->rows[0]);
    }
    view->unsettled = false;
}
