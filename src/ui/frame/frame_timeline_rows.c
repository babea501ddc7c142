/* frame_timeline_rows.c - bars and the axis of time, for the screen and the panes. */
#include <string.h>

#include "clock.h"
#include "frame_parts.h"
#include "frame_timeline_parts.h"
#include "text.h"

enum {
    MINUTE_MS = 60 * 1000,
    HOUR_MS = 60 * MINUTE_MS,
    PLAN_MS_MIN = 2 * MINUTE_MS, /* so much of what is planned is shown of any run, */
    PLAN_PART = 2,               /* of a longer one as much as a half of what is past */
    LABEL_GAP = 2,
    LABEL_COLUMNS = 6, /* "'13:50" */
    LABEL_COLUMNS_WITH_SECONDS = 9,
    LABEL_COLUMNS_WITH_DAY = 10,
};

static bool is_orphaned(const struct frame_input *input)
{
    return input->facts->orphaned;
}

/* From its first attempt to now, or to its end. */
static struct stretch life_of(const struct run_state *state, int task, const struct moment *now)
{
    const struct task_state *it = &state->tasks[task];
    const bool is_over = task_status_is_final(it->status) && it->status != TASK_NEEDS_YOU;
    const struct step_state *step = run_state_step(state, task);
    const bool has_begun = it->first_start.at_ms != 0;
    struct stretch life = {has_begun ? it->first_start.mono_ms : now->mono_ms, now->mono_ms};
    if (is_over && it->since.mono_ms > life.from_ms)
        life.until_ms = it->since.mono_ms;
    if (step->status == STEP_WAITING && step->due.mono_ms > life.until_ms)
        life.until_ms = step->due.mono_ms;
    return life;
}

static struct stretch life_of_run(const struct run_state *state, const struct moment *now)
{
    struct stretch life = {now->mono_ms, now->mono_ms};
    if (state->started)
        life.from_ms = state->started_at.mono_ms;
    const int64_t plan_ms = timeline_plan_end(state);
    if (!state->ended && plan_ms > life.until_ms)
        life.until_ms = plan_ms;
    return life;
}

/* What is planned is not to leave the past without room. */
static void bound_plan(struct stretch *life, const struct moment *now)
{
    int64_t most_ms = (now->mono_ms - life->from_ms) / PLAN_PART;
    most_ms = most_ms > PLAN_MS_MIN ? most_ms : PLAN_MS_MIN;
    if (life->until_ms - now->mono_ms > most_ms)
        life->until_ms = now->mono_ms + most_ms;
}

static struct axis_window window_of(const struct frame_input *input, int task)
{
    const struct run_state *state = input->facts->state;
    struct axis_window window = {.now = frame_now(input)};
    window.whole = task >= 0 ? life_of(state, task, &window.now) : life_of_run(state, &window.now);
    if (is_orphaned(input) && window.whole.until_ms > window.now.mono_ms)
        window.whole.until_ms = window.now.mono_ms;
    bound_plan(&window.whole, &window.now);
    return window;
}

void timeline_axis_of(struct timeline_axis *axis, const struct frame_input *input, int task,
                      int columns)
{
    struct stretch idle[TIMELINE_STRETCHES_MAX];
    struct axis_window window = window_of(input, task);
    const int64_t run_ms = window.whole.until_ms - window.whole.from_ms;
    if (task < 0 && view_timeline_folds(&input->view->timeline, run_ms)) {
        window.idle = idle;
        window.idle_count = timeline_idle(input->facts->state, &window.now, AXIS_FOLD_MIN_MS, idle);
    }
    axis_make(axis, &window, columns > 0 ? columns : 1);
}

void timeline_axis_of_view(struct timeline_axis *axis, const struct frame_input *input, int columns)
{
    struct stretch idle[TIMELINE_STRETCHES_MAX];
    const struct view_timeline *view = &input->view->timeline;
    struct axis_window window = window_of(input, -1);
    window.zoom = view->zoom;
    window.centre_ms = view_timeline_cursor(view, &window.now);
    if (view_timeline_folds(view, window.whole.until_ms - window.whole.from_ms)) {
        window.idle = idle;
        window.idle_count = timeline_idle(input->facts->state, &window.now, AXIS_FOLD_MIN_MS, idle);
    }
    axis_make(axis, &window, columns > 0 ? columns : 1);
}

/* The line at now is where a bar ends that goes on, or where there is none. */
static bool is_now_line(const struct timeline_look *look, int column)
{
    const struct bar_cell *cell = &look->cells[column];
    if (cell->span < 0 || strcmp(cell->sign, " ") == 0)
        return true;
    const int last = (int)look->timeline.count - 1;
    const struct span *span = &look->timeline.spans[cell->span];
    return cell->span == last && !span->is_planned && span->end == SPAN_END_NONE && column > 0 &&
           look->cells[column - 1].span == last;
}

static void draw_now(struct timeline_look *look, int row)
{
    const enum view_mode mode = look->input->facts->mode;
    const int column = axis_column(&look->axis, frame_now(look->input).mono_ms);
    const bool goes_on = mode != VIEW_ENDED && mode != VIEW_INTERRUPTED;
    if (!goes_on || column < 0 || column >= look->axis.columns || !is_now_line(look, column))
        return;
    (void)canvas_text(look->canvas, (struct spot){row, look->column + column, 1}, STYLE_RULE, "│");
}

/* "//4m//" over what is folded. */
static void draw_folds(struct timeline_look *look, int row)
{
    for (int column = 0; column < look->axis.columns;) {
        int first;
        const int fold = axis_fold_at(&look->axis, column, &first);
        if (fold < 0) {
            column++;
            continue;
        }
        struct str text = {0};
        str_add(&text, "//");
        axis_fold_words(look->axis.folds[fold].ms, &text);
        str_add(&text, "//////");
        (void)canvas_text_n(look->canvas,
                            (struct spot){row, look->column + first, AXIS_FOLD_COLUMNS}, STYLE_RULE,
                            text.data, AXIS_FOLD_COLUMNS);
        str_done(&text);
        column = first + AXIS_FOLD_COLUMNS;
    }
}

void timeline_draw_bar(struct timeline_look *look, int row, int task, int cursor)
{
    const struct run_state *state = look->input->facts->state;
    const struct moment now = frame_now(look->input);
    timeline_read(&look->timeline, state, task, &now, is_orphaned(look->input));
    bar_make(&look->timeline, &state->plan->tasks[task], &look->axis, look->cells);
    for (int i = 0; i < look->axis.columns; i++)
        (void)canvas_text(look->canvas, (struct spot){row, look->column + i, 1},
                          look->cells[i].style, look->cells[i].sign);
    draw_now(look, row);
    draw_folds(look, row);
    if (cursor >= 0)
        canvas_point(look->canvas, row, look->column + cursor);
}

/* A day is named where the run is longer than a part of one. */
static int label_columns(const struct timeline_axis *axis)
{
    const int64_t shown_ms = axis_time(axis, axis->columns) - axis_time(axis, 0);
    if (shown_ms > 12 * HOUR_MS)
        return LABEL_COLUMNS_WITH_DAY;
    const int64_t tick_ms = axis_tick_ms(axis, LABEL_COLUMNS + LABEL_GAP);
    return tick_ms < MINUTE_MS ? LABEL_COLUMNS_WITH_SECONDS : LABEL_COLUMNS;
}

/* The first full tick at or behind a time, both of the wall clock. */
static int64_t tick_from(int64_t wall_ms, int64_t tick_ms)
{
    const int64_t before = wall_ms - (wall_ms % tick_ms + tick_ms) % tick_ms;
    return before < wall_ms ? before + tick_ms : before;
}

void timeline_draw_axis(struct timeline_look *look, int row)
{
    const struct timeline_axis *axis = &look->axis;
    const int64_t now_ms = frame_now(look->input).at_ms;
    const int64_t tick_ms = axis_tick_ms(axis, label_columns(axis) + LABEL_GAP);
    int free = 0; /* the first column that no label has yet */
    int64_t wall_ms = tick_from(axis_time(axis, 0) + axis->wall_ms, tick_ms);
    for (int column = 0; column < axis->columns; wall_ms += tick_ms) {
        int first;
        char text[CLOCK_TEXT_MAX];
        column = axis_column(axis, wall_ms - axis->wall_ms);
        if (axis_fold_at(axis, column, &first) >= 0) {
            const int64_t end_ms = axis_time(axis, first + AXIS_FOLD_COLUMNS) + axis->wall_ms;
            wall_ms = tick_from(end_ms, tick_ms) - tick_ms;
            continue;
        }
        if (tick_ms < MINUTE_MS)
            (void)clock_hms(wall_ms, text);
        else
            (void)clock_short(wall_ms, now_ms, text);
        const int end = column + 1 + (int)strlen(text);
        if (column < free || end > axis->columns)
            continue;
        const int at = look->column + column;
        (void)canvas_text(look->canvas, (struct spot){row, at, 1}, STYLE_RULE,
                          look->canvas->ascii ? "'" : "╵");
        (void)canvas_text(look->canvas, (struct spot){row, at + 1, end - column}, STYLE_LABEL,
                          text);
        free = end + 1;
    }
}

/* Which rows there is no room for, beside what stands in these columns. */
static void draw_more(struct timeline_look *look, int row, int from, int until)
{
    const struct view *view = look->input->view;
    const int columns = look->canvas->columns;
    struct str more = {0};
    frame_add_more_rows(view, view->timeline.top, view->timeline.rows, &more);
    const int width = text_width(str_text(&more), more.len);
    if (width > 0 && 1 + width < from)
        (void)frame_put(look->canvas, (struct spot){row, 1, width}, STYLE_LABEL, more.data);
    else if (width > 0 && until + 1 + width < columns)
        (void)frame_put_right(look->canvas, (struct spot){row, 0, columns - 1}, STYLE_LABEL,
                              more.data);
    str_done(&more);
}

void timeline_draw_cursor(struct timeline_look *look, int row, int cursor)
{
    char text[CLOCK_TEXT_MAX] = "now";
    const struct canvas *canvas = look->canvas;
    if (cursor < 0)
        return;
    if (look->input->view->timeline.is_placed)
        (void)clock_hms(axis_time(&look->axis, cursor) + look->axis.wall_ms, text);
    const int at = look->column + cursor;
    const int width = (int)strlen(text);
    (void)canvas_text(look->canvas, (struct spot){row, at, 1}, STYLE_KEY, "▲");
    const bool fits = at + 2 + width <= canvas->columns;
    (void)canvas_text(look->canvas, (struct spot){row, fits ? at + 2 : at - 1 - width, width},
                      STYLE_LABEL, text);
    if (canvas->columns < TIMELINE_MORE_COLUMNS)
        draw_more(look, row, fits ? at : at - 1 - width, fits ? at + 2 + width : at + 1);
}

void timeline_add_window(const struct timeline_axis *axis, struct str *out)
{
    char from[CLOCK_TEXT_MAX], until[CLOCK_TEXT_MAX];
    const int64_t from_ms = axis_time(axis, 0) + axis->wall_ms;
    const int64_t until_ms = axis_time(axis, axis->columns) + axis->wall_ms;
    if (until_ms - from_ms < 2 * MINUTE_MS)
        str_addf(out, "%s to %s", clock_hms(from_ms, from), clock_hms(until_ms, until));
    else
        str_addf(out, "%s to %s", clock_short(from_ms, until_ms, from),
                 clock_short(until_ms, until_ms, until));
}
