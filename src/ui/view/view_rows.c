/* view_rows.c - the rows of the list: the position of each task's row, and which tasks share a row
 * because they have the same fault. */
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "view.h"
#include "view_internal.h"
#include "xalloc.h"

/* A row is the number of a task, or a fold's row, see row_of_fold(). VIEW_NO_ROW is the index of a
 * missing row. */
enum { VIEW_NO_ROW = -1 };

/* Makes folds of tasks that wait after the same result. The times of two such faults may overlap,
 * so each fold only describes its own tasks. */
static void find_waiting(struct view *view, const struct run_state *state)
{
    struct fault faults[FAULTS_MAX];
    int count = run_state_faults(state, faults);
    for (int i = 0; i < count; i++) {
        view->folds[i] = (struct view_fold){.fault = faults[i], .leader = -1};
        view->folds[i].fault.count = 0;
    }
    view->fold_count = count;
    for (int i = 0; i < state->waits.count && count > 0; i++) {
        int task = state->waits.items[i];
        int number = 0;
        while (number < count && !fault_has(&faults[number], state, task))
            number++;
        bool is_other = state->tasks[task].follows >= 0; /* handled by find_following() */
        if (number == count || is_other)
            continue;
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
}

/* Makes folds of tasks that wait for the same task to pass. */
static void find_following(struct view *view, const struct run_state *state)
{
    int first = view->fold_count;
    for (int i = 0; i < state->plan->task_count && state->follow_count > 0; i++) {
        int leader = state->tasks[i].follows;
        if (leader < 0)
            continue;
        int fold = first;
        while (fold < view->fold_count && view->folds[fold].leader != leader)
            fold++;
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

/* Returns the maximum number of rows: one for each task and each fold. */
static size_t rows_max(const struct view *view)
{
    return (size_t)view->order_count + VIEW_FOLDS_MAX + 1;
}

/* Returns the row of a fold: the bitwise complement of its first task's number. */
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

/* The rows that the list should have. */
struct wanted_rows {
    int *rows; /* has room for rows_max() rows */
    int count;
    int hidden[VIEW_FOLDS_MAX]; /* number of members hidden by the filter, per fold */
};

/* Builds the rows for the tasks in this order. */
static void build_rows(const struct view *view, const struct view_facts *facts, const int *order,
                       struct wanted_rows *out)
{
    bool has_row[VIEW_FOLDS_MAX] = {false};
    /* A fold that is partly hidden by the filter gets no row: acts on it would apply to hidden
     * tasks. */
    for (int i = 0; i < view->order_count && view->fold_count > 0; i++) {
        int fold = view->fold_of[i];
        if (fold >= 0)
            out->hidden[fold] += !view_matches(view, facts, i);
    }
    for (int i = 0; i < view->order_count; i++) {
        const int task = order[i];
        const int fold = view->fold_of[task];
        if (fold < 0 || out->hidden[fold] > 0) {
            if (task == view->chosen || view_matches(view, facts, task))
                out->rows[out->count++] = task;
            continue;
        }
        /* Tasks in a fold share the fold's row, at the position of the first of these tasks. If the
         * fold is unfolded, its tasks follow it; otherwise, only the selected task has a row of its
         * own. */
        const int first = view->folds[fold].fault.first;
        const bool unfolded = view_is_unfolded(view, &view->folds[fold]);
        if (!has_row[fold]) {
            has_row[fold] = true;
            out->rows[out->count++] = row_of_fold(first);
            for (int member = 0; unfolded && member < view->order_count; member++) {
                if (view->fold_of[member] == fold)
                    out->rows[out->count++] = member;
            }
        }
        bool stays = task == view->chosen && !view->on_fold;
        if (stays && !unfolded && (task != first || view_screen(view) != SCREEN_TASKS))
            out->rows[out->count++] = task;
    }
}

/* Makes sure that the selection has a row: its own, or its fold's. */
static void settle_choice(struct view *view)
{
    if (view->chosen < 0 || view_chosen_row(view) != VIEW_NO_ROW)
        return;
    view->on_fold = false;
    const struct view_fold *fold = view_fold_of(view, view->chosen);
    if (fold && view_chosen_row(view) == VIEW_NO_ROW && view_has_fold_row(view, fold))
        view_choose(view, row_of_fold(fold->fault.first));
}

/* The present rows while they are updated in place. */
struct mending {
    const struct view *view;
    const struct wanted_rows *wanted;
    int *rows; /* the rows that are kept */
    int count;
    bool *has_own; /* owned; per task: it has a row of its own */
    bool has_row[VIEW_FOLDS_MAX];
    bool uncovered[VIEW_FOLDS_MAX]; /* the fold has no row, and one of its tasks has none either */
};

/* Returns the fold of this task if the fold may have a row, or -1. */
static int shown_fold(const struct mending *mending, int task)
{
    int fold = mending->view->fold_of[task];
    return fold >= 0 && mending->wanted->hidden[fold] == 0 ? fold : -1;
}

/* Keeps each present row once. The row of a fold that no longer exists becomes its first task's
 * own, unless that task already has one. */
static void keep_rows(struct mending *mending)
{
    const struct view *view = mending->view;
    for (int i = 0; i < view->row_count; i++) {
        const bool is_fold = view_row_is_fold(view->rows[i]);
        const int task = view_row_task(view->rows[i]);
        const int fold = shown_fold(mending, task);
        if (is_fold && fold >= 0) {
            if (!mending->has_row[fold])
                mending->rows[mending->count++] = row_of_fold(view->folds[fold].fault.first);
            mending->has_row[fold] = true;
        } else if (!is_fold || view_row_of(view, task) == VIEW_NO_ROW) {
            if (!mending->has_own[task])
                mending->rows[mending->count++] = task;
            mending->has_own[task] = true;
        }
    }
    for (int task = 0; task < view->order_count; task++) {
        const int fold = shown_fold(mending, task);
        if (fold >= 0 && !mending->has_row[fold] && !mending->has_own[task])
            mending->uncovered[fold] = true;
    }
}

/* Returns true if this row has to be inserted. */
static bool is_missing(const struct mending *mending, int row)
{
    int task = view_row_task(row);
    int fold = shown_fold(mending, task);
    if (view_row_is_fold(row))
        return !mending->has_row[fold] && mending->uncovered[fold];
    bool is_covered = fold >= 0 && (mending->has_row[fold] || mending->uncovered[fold]) &&
                      !view_is_unfolded(mending->view, &mending->view->folds[fold]);
    return !mending->has_own[task] && !is_covered;
}

/* Copies the kept rows to `out`, and each missing row after the kept row that it should follow.
 * Returns the number of rows. */
static int put_missing(const struct mending *mending, int *out)
{
    const struct wanted_rows *wanted = mending->wanted;
    const int tasks = mending->view->order_count;
    /* Positions of the wanted rows: first the tasks' own rows, by task, then the folds' rows, by
     * the fold's first task. */
    int *at = xcalloc(2 * (size_t)tasks + 1, sizeof(*at));
    int count = 0;
    for (int i = 0; i < 2 * tasks; i++)
        at[i] = -1;
    for (int i = 0; i < wanted->count; i++) {
        int row = wanted->rows[i];
        at[view_row_task(row) + (view_row_is_fold(row) ? tasks : 0)] = i;
    }
    for (int i = -1; i < mending->count; i++) {
        int next = 0; /* before the first row: insert rows wanted at the top */
        if (i >= 0) {
            int row = mending->rows[i];
            out[count++] = row;
            next = at[view_row_task(row) + (view_row_is_fold(row) ? tasks : 0)] + 1;
        }
        bool is_placed = i < 0 || next > 0;
        for (; is_placed && next < wanted->count; next++) {
            const int row = wanted->rows[next];
            const int task = view_row_task(row);
            if (view_row_is_fold(row) ? mending->has_row[mending->view->fold_of[task]]
                                      : mending->has_own[task])
                break;
            if (is_missing(mending, row))
                out[count++] = row;
        }
    }
    free(at);
    return count;
}

/* Corrects the present rows in place. */
static void mend_rows(struct view *view, const struct wanted_rows *wanted)
{
    struct mending mending = {
        .view = view,
        .wanted = wanted,
        .rows = xcalloc(rows_max(view), sizeof(*mending.rows)),
        .has_own = xcalloc((size_t)view->order_count + 1, sizeof(*mending.has_own)),
    };
    int *out = xcalloc(rows_max(view), sizeof(*out));
    keep_rows(&mending);
    view->row_count = put_missing(&mending, out);
    memcpy(view->rows, out, (size_t)view->row_count * sizeof(*out));
    free(out);
    free(mending.rows);
    free(mending.has_own);
}

bool view_is_over(const struct view_facts *facts)
{
    return facts->state->ended || facts->orphaned;
}

/* Selects the top row if its task needs the user or has failed, when a run is opened or has ended
 * unattended. Does nothing with any other sort order than "as added". */
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
    const enum shown shown = shown_task(facts->state, view_row_task(row), facts->orphaned);
    if (!shown_is_failed(shown) && shown != SHOWN_LOST)
        return;
    view_choose(view, row);
    view->is_scrolled = false;
}

void view_arrange(struct view *view, const struct view_facts *facts)
{
    int *order = xcalloc((size_t)view->order_count + 1, sizeof(*order));
    struct wanted_rows wanted = {.rows = xcalloc(rows_max(view), sizeof(*wanted.rows))};
    task_filter_read(view->filter.text, &view->wanted);
    view_find_folds(view, facts->state);
    view_order_sort(view, facts, order);
    build_rows(view, facts, order, &wanted);

    bool first = view->row_count == 0;
    bool still = !first && facts->clock.mono_ms < view->still_until;
    if (still) {
        mend_rows(view, &wanted);
    } else {
        memcpy(view->order, order, (size_t)view->order_count * sizeof(*order));
        memcpy(view->rows, wanted.rows, (size_t)wanted.count * sizeof(*wanted.rows));
        view->row_count = wanted.count;
    }
    view->unsettled = still && (wanted.count != view->row_count ||
                                memcmp(wanted.rows, view->rows,
                                       (size_t)wanted.count * sizeof(*wanted.rows)) != 0);
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
    task_filter_read(view->filter.text, &view->wanted);
    view_find_folds(view, facts->state);
    struct wanted_rows wanted = {.rows = view->rows};
    build_rows(view, facts, view->order, &wanted);
    view->row_count = wanted.count;
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
