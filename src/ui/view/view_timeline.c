#include "view_timeline.h"

#include "timeline_bar.h"
#include "view.h"
#include "view_move.h"

void view_timeline_open(struct view *view)
{
    trail_go(&view->trail, SCREEN_TIMELINE);
}

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

static bool is_fresh(const struct timeline_sum *sum, const struct timeline_axis *axis,
                     const struct view_facts *facts, const struct moment *now)
{
    const struct run_state *state = facts->state;
    const int64_t since_ms = now->mono_ms - sum->at.mono_ms;
    return sum->is_there && axis_equals(&sum->axis, axis) && sum->seed == state->seed &&
           sum->orphaned == facts->orphaned && sum->started.at_ms == state->started_at.at_ms &&
           sum->started.mono_ms == state->started_at.mono_ms && since_ms >= 0 &&
           since_ms < (state->ended ? 1 : TIMELINE_SUM_MS);
}

void view_timeline_sum(struct view *view, const struct view_facts *facts, const struct moment *now)
{
    struct timeline_sum *sum = &view->timeline.sum;
    if (is_fresh(sum, &view->timeline.axis, facts, now))
        return;
    *sum = (struct timeline_sum){.is_there = true,
                                 .seed = facts->state->seed,
                                 .started = facts->state->started_at,
                                 .at = *now,
                                 .orphaned = facts->orphaned,
                                 .axis = view->timeline.axis};
    timeline_load_read(&sum->load, facts->state, &sum->axis, now, facts->orphaned);
    time_spent_of_run(&sum->spent, facts->state, now, facts->orphaned);
}

static bool move_row(struct view *view, enum act act)
{
    const int by = view_move_lines(act, view->timeline.rows);
    if (by != 0)
        view_choose_row(view, view_chosen_row(view) + by);
    return by != 0;
}

/* One column on; a fold is one step. */
static void move_cursor(struct view *view, const struct view_facts *facts, int by)
{
    struct view_timeline *timeline = &view->timeline;
    const struct timeline_axis *axis = &timeline->axis;
    const int now = axis_column(axis, facts->now.mono_ms);
    int first;
    int column = axis_column(axis, view_timeline_cursor(timeline, &facts->now)) + by;
    if (axis_fold_at(axis, column, &first) >= 0)
        column = by > 0 ? first + AXIS_FOLD_COLUMNS : first - 1;
    if (column < 0 || column >= axis->columns) {
        view_say(view, &facts->clock, "the timeline %s here", by < 0 ? "begins" : "ends");
        return;
    }
    timeline->is_placed = column != now;
    timeline->cursor_ms = axis_time(axis, column);
}

static void zoom(struct view *view, const struct view_facts *facts, int by)
{
    struct view_timeline *timeline = &view->timeline;
    const bool is_near = timeline->zoom >= TIMELINE_ZOOM_MAX || !axis_can_zoom(&timeline->axis);
    if (by < 0 && timeline->zoom == 0)
        view_say(view, &facts->clock, "the whole run is shown");
    else if (by > 0 && is_near)
        view_say(view, &facts->clock, "nearer it does not go");
    else
        timeline->zoom += by;
}

static void toggle_folds(struct view *view, const struct view_facts *facts)
{
    struct stretch idle[TIMELINE_STRETCHES_MAX];
    struct view_timeline *timeline = &view->timeline;
    const int64_t run_ms = facts->now.mono_ms - facts->state->started_at.mono_ms;
    const bool folds = view_timeline_folds(timeline, run_ms);
    timeline->folding = folds ? TIMELINE_FOLDS_NOT : TIMELINE_FOLDS;
    if (folds)
        view_say(view, &facts->clock, "time in which nothing ran is shown");
    else if (timeline_idle(facts->state, &facts->now, AXIS_FOLD_MIN_MS, idle) == 0)
        view_say(view, &facts->clock, "nothing to fold: there was no minute in which nothing ran");
    else
        view_say(view, &facts->clock, "time in which nothing ran is folded");
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

/* The nearest failure behind (by 1) or before (by -1) a place. */
static bool find_failure(const struct view *view, const struct view_facts *facts,
                         struct failure *at, int by)
{
    struct timeline timeline = {0};
    struct failure best = {.row = -1};
    for (int row = 0; row < view->row_count; row++) {
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

static void go_to_failure(struct view *view, const struct view_facts *facts, int by)
{
    struct view_timeline *timeline = &view->timeline;
    struct failure at = {view_chosen_row(view), view_timeline_cursor(timeline, &facts->now)};
    if (!find_failure(view, facts, &at, by)) {
        view_say(view, &facts->clock, "there is no failure %s", by > 0 ? "after this" : "before");
        return;
    }
    view_choose_row(view, at.row);
    timeline->is_placed = true;
    timeline->cursor_ms = at.at_ms;
}

static void open_try(struct view *view, const struct view_facts *facts)
{
    struct timeline timeline = {0};
    if (view->chosen < 0) {
        view_say(view, &facts->clock, "no task is chosen");
        return;
    }
    timeline_read(&timeline, facts->state, view->chosen, &facts->now, facts->orphaned);
    const int found =
        bar_span_at(&timeline, &facts->state->plan->tasks[view->chosen], &view->timeline.axis,
                    view->timeline.is_placed, view_timeline_cursor(&view->timeline, &facts->now));
    const struct span *span = found >= 0 ? &timeline.spans[found] : NULL;
    if (span && span->attempt > 0)
        view_try_choose(view, &(struct view_try){view->chosen, span->step, span->attempt});
    else if (view->timeline.is_placed)
        view_say(view, &facts->clock, "nothing was tried then");
    if (!view->timeline.is_placed || (span && span->attempt > 0))
        trail_go(&view->trail, SCREEN_DETAIL);
    timeline_done(&timeline);
}

bool view_timeline_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out)
{
    (void)out; /* nothing but a new frame */
    const bool is_drawn = view->timeline.axis.scale.ms > 0;
    if (!is_drawn) /* keys that came before the first frame have no scale to move on */
        return false;
    switch (act) {
    case UI_LEFT:
    case UI_RIGHT:
        move_cursor(view, facts, act == UI_LEFT ? -1 : 1);
        return true;
    case UI_NEARER:
    case UI_FARTHER:
        zoom(view, facts, act == UI_NEARER ? 1 : -1);
        return true;
    case UI_WHOLE:
        view->timeline.zoom = 0;
        view->timeline.is_placed = false;
        return true;
    case UI_FOLD_IDLE:
        toggle_folds(view, facts);
        return true;
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK:
        go_to_failure(view, facts, act == UI_ERROR_NEXT ? 1 : -1);
        return true;
    case UI_OPEN:
        open_try(view, facts);
        return true;
    case UI_TIMELINE:
        (void)trail_back(&view->trail);
        return true;
    case UI_PANE_NEXT:
    case UI_PANE_PREV:
        view_tell(view, &facts->clock, "this view has one pane: {tasks} has several");
        return true;
    default: /* moves; the rest means what it means elsewhere */
        return move_row(view, act);
    }
}
