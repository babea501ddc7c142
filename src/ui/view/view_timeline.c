/* view_timeline.c - the Timeline screen: its cursor, its zoom, and its keys.
 *
 * A search for the next failure skips tasks whose state shows that they have not failed, without
 * reading their timeline. */
#include "timeline_axis.h"
#include "view.h"
#include "view_internal.h"

bool view_timeline_folds(const struct view_timeline *timeline, int64_t run_ms)
{
    if (timeline->folding == TIMELINE_FOLDS_LONG)
        return run_ms > TIMELINE_FOLD_MS;
    return timeline->folding == TIMELINE_FOLDS;
}

int64_t view_timeline_cursor(const struct view_timeline *timeline, const struct moment *now)
{
    return timeline->is_placed ? timeline->cursor_ms : now->mono_ms;
}

void view_timeline_fit(struct view *view, const struct timeline_axis *axis, int rows)
{
    struct view_timeline *timeline = &view->timeline;
    const int chosen = view_chosen_row(view);
    timeline->axis = *axis;
    timeline->rows = rows;
    if (chosen >= 0 && chosen < timeline->top)
        timeline->top = chosen;
    if (chosen >= timeline->top + rows)
        timeline->top = chosen - rows + 1;
    if (timeline->top > view->row_count - rows)
        timeline->top = view->row_count - rows;
    if (timeline->top < 0)
        timeline->top = 0;
}

void view_timeline_sum(struct view *view, const struct view_facts *facts, const struct moment *now)
{
    struct timeline_sum *sum = &view->timeline.sum;
    const struct run_state *state = facts->state;
    const int64_t since_ms = now->mono_ms - sum->at.mono_ms;
    const bool is_fresh = sum->is_there && axis_equals(&sum->axis, &view->timeline.axis) &&
                          sum->seed == state->seed && sum->orphaned == facts->orphaned &&
                          sum->started.at_ms == state->started_at.at_ms &&
                          sum->started.mono_ms == state->started_at.mono_ms && since_ms >= 0 &&
                          since_ms < (state->ended ? 1 : TIMELINE_SUM_MS);
    if (is_fresh)
        return;
    *sum = (struct timeline_sum){.is_there = true,
                                 .seed = state->seed,
                                 .started = state->started_at,
                                 .at = *now,
                                 .orphaned = facts->orphaned,
                                 .axis = view->timeline.axis};
    timeline_load_read(&sum->load, state, &sum->axis, now, facts->orphaned);
    time_spent_of_run(&sum->spent, state, now, facts->orphaned);
}

/* Returns the column to the left (-1) or right (1) of the cursor; a fold counts as one column.
 * Returns a negative number if there is none. */
static int next_column(const struct view_timeline *timeline, const struct moment *now, int by)
{
    const struct timeline_axis *axis = &timeline->axis;
    int first;
    int column = axis_column(axis, view_timeline_cursor(timeline, now)) + by;
    if (axis_fold_at(axis, column, &first) >= 0)
        column = by > 0 ? first + AXIS_FOLD_COLUMNS : first - 1;
    return column < axis->columns ? column : -1;
}

/* A failure in a row of the view. */
struct failure {
    int row;
    int64_t at_ms;
};

static bool is_before(const struct failure *a, const struct failure *b)
{
    return a->at_ms < b->at_ms || (a->at_ms == b->at_ms && a->row < b->row);
}

/* Returns false if the state shows that no try failed, as it does for most tasks, so that their
 * timeline need not be read. */
static bool may_have_failed(const struct view_facts *facts, int task)
{
    const struct task_state *it = &facts->state->tasks[task];
    if (task_status_is_failed(it->status))
        return true;
    for (int i = 0; i < facts->state->plan->tasks[task].step_count; i++) {
        const struct step_state *step = &it->steps[i];
        for (size_t k = 0; k < step->attempt_count; k++) {
            if (step->attempts[k].ended.at_ms == 0 || step->attempts[k].class != VERDICT_SUCCESS)
                return true;
        }
    }
    return false;
}

/* Finds the nearest failure after (by 1) or before (by -1) the position *at or, if `any` is true,
 * just some failure in that direction. Sets *at to it; returns false if there is none. */
static bool find_failure(const struct view *view, const struct view_facts *facts, bool any, int by,
                         struct failure *at)
{
    struct timeline timeline = {0};
    struct failure best = {.row = -1};
    for (int row = 0; row < view->row_count && (best.row < 0 || !any); row++) {
        if (!may_have_failed(facts, view_row_task(view->rows[row])))
            continue;
        timeline_read(&timeline, facts->state, view_row_task(view->rows[row]), &facts->now,
                      facts->orphaned);
        for (size_t i = 0; i < timeline.count; i++) {
            const struct failure one = {row, timeline.spans[i].until_ms - 1};
            const bool is_ahead = by > 0 ? is_before(at, &one) : is_before(&one, at);
            const bool is_nearer =
                best.row < 0 || (by > 0 ? is_before(&one, &best) : is_before(&best, &one));
            if (timeline.spans[i].end >= SPAN_END_LOST && is_ahead && is_nearer)
                best = one;
        }
    }
    timeline_done(&timeline);
    *at = best;
    return best.row >= 0;
}

/* Returns the try of the selected task under the cursor; attempt 0 if none was running then. */
static struct view_try try_under_cursor(const struct view *view, const struct view_facts *facts)
{
    struct timeline timeline = {0};
    struct view_try out = {.task = view->chosen};
    timeline_read(&timeline, facts->state, view->chosen, &facts->now, facts->orphaned);
    const int found =
        bar_span_at(&timeline, &facts->state->plan->tasks[view->chosen], &view->timeline.axis,
                    view->timeline.is_placed, view_timeline_cursor(&view->timeline, &facts->now));
    if (found >= 0) {
        out.step = timeline.spans[found].step;
        out.attempt = timeline.spans[found].attempt;
    }
    timeline_done(&timeline);
    return out;
}

const char *view_timeline_refusal(const struct view *view, const struct view_facts *facts,
                                  enum act act)
{
    const struct view_timeline *timeline = &view->timeline;
    struct stretch idle[TIMELINE_STRETCHES_MAX];
    if (timeline->axis.scale.ms <= 0) /* not drawn yet */
        return NULL;
    switch (act) {
    case UI_LEFT:
        return next_column(timeline, &facts->now, -1) < 0 ? "the timeline begins here" : NULL;
    case UI_RIGHT:
        return next_column(timeline, &facts->now, 1) < 0 ? "the timeline ends here" : NULL;
    case UI_NEARER:
        return timeline->zoom >= TIMELINE_ZOOM_MAX || !axis_can_zoom(&timeline->axis)
                   ? "already at maximum zoom"
                   : NULL;
    case UI_FARTHER:
        return timeline->zoom == 0 ? "the whole run is shown" : NULL;
    case UI_WHOLE:
        return timeline->zoom == 0 && !timeline->is_placed ? "the whole run is shown" : NULL;
    case UI_FOLD_IDLE:
        return timeline_idle(facts->state, &facts->now, AXIS_FOLD_MIN_MS, idle) > 0
                   ? NULL
                   : "nothing to fold: no idle minute";
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK: {
        const int by = act == UI_ERROR_NEXT ? 1 : -1;
        struct failure at = {view_chosen_row(view), view_timeline_cursor(timeline, &facts->now)};
        /* there is nothing after the present */
        const bool is_at_now = by > 0 && !timeline->is_placed;
        if (!is_at_now && find_failure(view, facts, true, by, &at))
            return NULL;
        return by > 0 ? "no failure after this" : "no failure before this";
    }
    case UI_OPEN:
        if (view->chosen < 0)
            return "no task selected";
        return timeline->is_placed && try_under_cursor(view, facts).attempt == 0
                   ? "no try at that time"
                   : NULL;
    default: /* other acts always have an effect */
        return NULL;
    }
}

bool view_timeline_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out)
{
    struct view_timeline *timeline = &view->timeline;
    const struct timeline_axis *axis = &timeline->axis;
    (void)out;               /* unused: only a new frame is needed */
    if (axis->scale.ms <= 0) /* before the first frame there is no scale */
        return false;
    switch (act) {
    case UI_LEFT:
    case UI_RIGHT: {
        const int column = next_column(timeline, &facts->now, act == UI_LEFT ? -1 : 1);
        timeline->is_placed = column != axis_column(axis, facts->now.mono_ms);
        timeline->cursor_ms = axis_time(axis, column);
        return true;
    }
    case UI_NEARER:
    case UI_FARTHER:
        timeline->zoom += act == UI_NEARER ? 1 : -1;
        return true;
    case UI_WHOLE:
        timeline->zoom = 0;
        timeline->is_placed = false;
        return true;
    case UI_FOLD_IDLE: {
        const int64_t run_ms = facts->now.mono_ms - facts->state->started_at.mono_ms;
        const bool folds = view_timeline_folds(timeline, run_ms);
        timeline->folding = folds ? TIMELINE_FOLDS_NOT : TIMELINE_FOLDS;
        view_say(view, &facts->clock, "idle time is %s", folds ? "shown" : "folded");
        return true;
    }
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK: {
        struct failure at = {view_chosen_row(view), view_timeline_cursor(timeline, &facts->now)};
        if (!find_failure(view, facts, false, act == UI_ERROR_NEXT ? 1 : -1, &at))
            return true;
        view_choose_row(view, at.row);
        timeline->is_placed = true;
        timeline->cursor_ms = at.at_ms;
        return true;
    }
    case UI_OPEN: {
        const struct view_try one = try_under_cursor(view, facts);
        if (one.attempt > 0)
            view_try_choose(view, &one);
        trail_go(&view->trail, SCREEN_DETAIL);
        return true;
    }
    case UI_TIMELINE:
        (void)trail_back(&view->trail);
        return true;
    default: { /* moving; other acts have their general meaning */
        const int by = view_move_lines(act, timeline->rows);
        if (by != 0)
            view_choose_row(view, view_chosen_row(view) + by);
        return by != 0;
    }
    }
}
