/* frame_timeline.c - the Timeline screen, and the timeline as a pane of other screens: bars, axis,
 * cursor. */
#include <string.h>

#include "clock.h"
#include "frame_internal.h"
#include "shown.h"
#include "text.h"

enum {
    MINUTE_MS = 60 * 1000,
    HOUR_MS = 60 * MINUTE_MS,
    PLAN_MS_MIN = 2 * MINUTE_MS, /* planned waits of up to this length are shown in full */
    PLAN_PART = 2, /* longer planned waits are cut to 1/2 of the past, but not below PLAN_MS_MIN */
    LABEL_GAP = 2,
    LABEL_COLUMNS = 6, /* "'13:50" */
    LABEL_COLUMNS_WITH_SECONDS = 9,
    LABEL_COLUMNS_WITH_DAY = 10,
};

/* Returns the time range of a task, or of the run (task -1). Includes the planned wait, or part of
 * it so that there is enough room for the past. A task's range begins with its first attempt. */
static struct axis_window window_of(const struct frame_input *input, int task)
{
    const struct run_state *state = input->facts->state;
    const struct moment now = frame_now(input);
    struct stretch whole = {now.mono_ms, now.mono_ms};
    int64_t plan_ms = INT64_MIN; /* end of the planned wait */
    if (task >= 0) {
        const struct task_state *it = &state->tasks[task];
        const struct step_state *step = run_state_step(state, task);
        const bool is_over = task_status_is_final(it->status) && it->status != TASK_NEEDS_YOU;
        if (it->first_start.at_ms != 0)
            whole.from_ms = it->first_start.mono_ms;
        if (is_over && it->since.mono_ms > whole.from_ms)
            whole.until_ms = it->since.mono_ms;
        if (step->status == STEP_WAITING)
            plan_ms = step->due.mono_ms;
    } else {
        if (state->started)
            whole.from_ms = state->started_at.mono_ms;
        if (!state->ended)
            plan_ms = timeline_plan_end(state);
    }
    if (plan_ms > whole.until_ms)
        whole.until_ms = plan_ms;
    if (input->facts->orphaned && whole.until_ms > now.mono_ms)
        whole.until_ms = now.mono_ms;
    int64_t most_ms = (now.mono_ms - whole.from_ms) / PLAN_PART;
    most_ms = most_ms > PLAN_MS_MIN ? most_ms : PLAN_MS_MIN;
    if (whole.until_ms - now.mono_ms > most_ms)
        whole.until_ms = now.mono_ms + most_ms;
    return (struct axis_window){.now = now, .whole = whole};
}

/* Makes an axis of `columns` columns for the run, or for one task (-1: the run). `is_zoomed`
 * applies the view's zoom and cursor. */
static void make_axis(struct timeline_axis *axis, const struct frame_input *input, int task,
                      int columns, bool is_zoomed)
{
    struct stretch idle[TIMELINE_STRETCHES_MAX];
    const struct view_timeline *view = &input->view->timeline;
    struct axis_window window = window_of(input, task);
    const int64_t whole_ms = window.whole.until_ms - window.whole.from_ms;
    if (is_zoomed) {
        window.zoom = view->zoom;
        window.centre_ms = view_timeline_cursor(view, &window.now);
    }
    if (task < 0 && view_timeline_folds(view, whole_ms)) {
        window.idle = idle;
        window.idle_count = timeline_idle(input->facts->state, &window.now, AXIS_FOLD_MIN_MS, idle);
    }
    axis_make(axis, &window, columns > 0 ? columns : 1);
}

/* Draws a line at "now": at the end of a bar that continues, or where there is no bar. */
static void draw_now(struct timeline_look *look, int row)
{
    const enum view_mode mode = look->input->facts->mode;
    const int column = axis_column(&look->axis, frame_now(look->input).mono_ms);
    const bool goes_on = mode != VIEW_ENDED && mode != VIEW_INTERRUPTED;
    if (!goes_on || column < 0 || column >= look->axis.columns)
        return;
    const struct bar_cell *cell = &look->cells[column];
    if (cell->span >= 0 && strcmp(cell->sign, " ") != 0) {
        const int last = (int)look->timeline.count - 1;
        const struct span *span = &look->timeline.spans[cell->span];
        if (cell->span != last || span->is_planned || span->end != SPAN_END_NONE || column == 0 ||
            look->cells[column - 1].span != last)
            return;
    }
    (void)canvas_text(look->canvas, (struct spot){row, look->column + column, 1}, STYLE_RULE, "│");
}

/* Draws "//4m//" over folded time. */
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

/* Draws a task's bar and marks the column `cursor` (-1 = none). Leaves the task's timeline and
 * cells in `look`. */
static void timeline_draw_bar(struct timeline_look *look, int row, int task, int cursor)
{
    const struct run_state *state = look->input->facts->state;
    const struct moment now = frame_now(look->input);
    timeline_read(&look->timeline, state, task, &now, look->input->facts->orphaned);
    bar_make(&look->timeline, &state->plan->tasks[task], &look->axis, look->cells);
    for (int i = 0; i < look->axis.columns; i++)
        (void)canvas_text(look->canvas, (struct spot){row, look->column + i, 1},
                          look->cells[i].style, look->cells[i].sign);
    draw_now(look, row);
    draw_folds(look, row);
    if (cursor >= 0)
        canvas_point(look->canvas, row, look->column + cursor);
}

/* Returns the first multiple of tick_ms at or after a time, both in wall-clock time. */
static int64_t tick_from(int64_t wall_ms, int64_t tick_ms)
{
    const int64_t before = wall_ms - (wall_ms % tick_ms + tick_ms) % tick_ms;
    return before < wall_ms ? before + tick_ms : before;
}

/* Draws the time labels. */
static void timeline_draw_axis(struct timeline_look *look, int row)
{
    const struct timeline_axis *axis = &look->axis;
    const int64_t now_ms = frame_now(look->input).at_ms;
    int label_columns = LABEL_COLUMNS;
    if (axis_time(axis, axis->columns) - axis_time(axis, 0) > 12 * HOUR_MS)
        label_columns = LABEL_COLUMNS_WITH_DAY; /* long ranges: labels with the date */
    else if (axis_tick_ms(axis, LABEL_COLUMNS + LABEL_GAP) < MINUTE_MS)
        label_columns = LABEL_COLUMNS_WITH_SECONDS;
    const int64_t tick_ms = axis_tick_ms(axis, label_columns + LABEL_GAP);
    int free = 0; /* the first column without a label */
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

/* Draws the cursor's position, below the axis; on a narrow screen also how many rows do not fit, if
 * there is room. */
static void timeline_draw_cursor(struct timeline_look *look, int row, int cursor)
{
    char text[CLOCK_TEXT_MAX] = "now";
    struct canvas *canvas = look->canvas;
    const struct view *view = look->input->view;
    if (cursor < 0)
        return;
    if (view->timeline.is_placed)
        (void)clock_hms(axis_time(&look->axis, cursor) + look->axis.wall_ms, text);
    const int at = look->column + cursor;
    const int width = (int)strlen(text);
    (void)canvas_text(canvas, (struct spot){row, at, 1}, STYLE_KEY, "▲");
    const bool fits = at + 2 + width <= canvas->columns;
    const int text_at = fits ? at + 2 : at - 1 - width;
    (void)canvas_text(canvas, (struct spot){row, text_at, width}, STYLE_LABEL, text);
    if (canvas->columns >= TIMELINE_MORE_COLUMNS)
        return;
    const int from = fits ? at : text_at; /* the columns already used */
    const int until = fits ? text_at + width : at + 1;
    struct str more = {0};
    frame_add_more_rows(view, view->timeline.top, view->timeline.rows, &more);
    const int more_width = text_width(str_text(&more), more.len);
    if (more_width > 0 && 1 + more_width < from)
        (void)frame_put(canvas, (struct spot){row, 1, more_width}, STYLE_LABEL, more.data);
    else if (more_width > 0 && until + 1 + more_width < canvas->columns)
        (void)frame_put_right(canvas, (struct spot){row, 0, canvas->columns - 1}, STYLE_LABEL,
                              more.data);
    str_done(&more);
}

/* Appends the range of the axis: "13:50 to 14:04". */
static void timeline_add_window(const struct timeline_axis *axis, struct str *out)
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

enum {
    PANE_COLUMN = 10, /* column where the bars begin */
    ALONE_COLUMN = 5,
};

/* Appends the label of a row of the view in `columns` columns: the task's id, or the number of
 * tasks in the fold. */
static void timeline_add_id(const struct frame_input *input, int row, int columns, struct str *out)
{
    const int task = view_row_task(row);
    const struct view_fold *fold = view_row_is_fold(row) ? view_fold_of(input->view, task) : NULL;
    if (fold)
        str_addf(out, "%d tasks", fold->fault.count);
    else
        frame_add_id(input->facts->state->plan, task, columns, out);
}

/* Draws the label from a column of the canvas up to the bars. */
static void timeline_draw_label(struct timeline_look *look, int row, int view_row, int column)
{
    const int columns = look->column - column - 1;
    struct str text = {0};
    timeline_add_id(look->input, view_row, columns, &text);
    (void)frame_put(look->canvas, (struct spot){row, column, columns}, STYLE_PLAIN, text.data);
    str_done(&text);
}

/* Adds a zone so that a click on a row selects its task or fold; `index` is an index into the
 * view's rows. */
static void timeline_add_zone(struct timeline_look *look, int row, const struct frame_box *box,
                              int index)
{
    const struct canvas_zone zone = {.spot = {row, box->column, box->columns},
                                     .rows = 1,
                                     .kind = ZONE_ROW,
                                     .value = (uint32_t)index};
    canvas_add_area(look->canvas, &zone);
}

/* Returns the first row to show, so that the selected one is among `rows` rows. */
static int first_row(const struct view *view, int rows)
{
    const int chosen = view_chosen_row(view);
    int first = view->top;
    if (chosen >= first + rows)
        first = chosen - rows + 1;
    if (chosen >= 0 && chosen < first)
        first = chosen;
    if (first > view->row_count - rows)
        first = view->row_count - rows;
    return first > 0 ? first : 0;
}

void frame_timeline_pane(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    const struct view *view = input->view;
    struct timeline_look look = {
        .canvas = canvas, .input = input, .column = box->column + PANE_COLUMN};
    const int rows = box->rows > 1 ? box->rows - 1 : box->rows;
    const int first = first_row(view, rows);
    const int chosen = view_chosen_row(view);
    if (box->rows <= 0 || box->columns <= PANE_COLUMN)
        return;
    frame_pane_zone(canvas, box, VIEW_PANE_TIMELINE);
    make_axis(&look.axis, input, -1, box->columns - PANE_COLUMN, false);
    int row = box->row;
    for (int i = first; i < view->row_count && row < box->row + rows; i++, row++) {
        timeline_draw_label(&look, row, view->rows[i], box->column + 2);
        timeline_draw_bar(&look, row, view_row_task(view->rows[i]), -1);
        timeline_add_zone(&look, row, box, i);
        if (i == chosen)
            (void)canvas_text(canvas, (struct spot){row, box->column + 1, 1}, STYLE_KEY, "▸");
    }
    if (box->rows > 1)
        timeline_draw_axis(&look, row);
    timeline_done(&look.timeline);
}

void frame_timeline_rule(struct canvas *canvas, struct spot spot, const struct frame_input *input)
{
    struct timeline_axis axis;
    struct str title = {0};
    str_add(&title, "timeline  ");
    make_axis(&axis, input, -1, spot.width - PANE_COLUMN, false);
    timeline_add_window(&axis, &title);
    frame_rule(canvas, spot, str_text(&title),
               "letters = phase, lower case = no output, ┄ = backoff");
    str_done(&title);
}

void frame_timeline_task(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    struct timeline_look look = {
        .canvas = canvas, .input = input, .column = box->column + ALONE_COLUMN};
    const int task = input->view->chosen;
    if (task < 0 || box->rows <= 0 || box->columns <= ALONE_COLUMN)
        return;
    make_axis(&look.axis, input, task, box->columns - ALONE_COLUMN, false);
    timeline_draw_bar(&look, box->row, task, -1);
    if (box->rows > 1)
        timeline_draw_axis(&look, box->row + 1);
    timeline_done(&look.timeline);
}

enum {
    LABEL_COLUMNS_MIN = 8, /* width of the labels: mark of the selection, id, two blanks */
    LABEL_ID_MAX = 12,
    LABEL_COLUMNS_WIDE = 28, /* width of the labels with sign, title and try as well */
    LABEL_TEXT = 3,

    DECISION_ROWS = 3, /* divider line, outcome with reason, and waits */
    DECISION_ROWS_SHORT = 2,
    DECISION_ROWS_TALL = 7, /* divider line, and a line for each part */
    SPENT_ROWS = 5,
    SPENT_ROWS_TALL = 7,
    LOAD_ROWS = 4,
    NOTES_ROWS_WIDE = 10,
    RETRIES_ROWS_MIN = 3,
    TASKS_MIN = 4,
    WINDOW_COLUMNS = 50,   /* narrower: only the axis shows the time range */
    MESSAGE_ROWS_MIN = 30, /* lower: no separate row for messages, to have one more bar */
};

/* Position of each part; -1 for rows, and 0 rows for boxes, that are not shown. */
struct layout {
    struct frame_page page;
    bool is_wide;
    int column; /* column where the bars begin */
    int legend, rule, axis, cursor, load;
    struct frame_box tasks, decision, spent, retries;
};

/* Takes `rows` rows from *left, unless fewer than `least` would remain. */
static bool take_rows(int *left, int rows, int least)
{
    if (*left - rows < least)
        return false;
    *left -= rows;
    return true;
}

/* Returns the width of the labels: that of the widest id of all rows, so that the bars do not move
 * when the user scrolls. */
static int name_columns(const struct frame_input *input)
{
    const struct view *view = input->view;
    int width = LABEL_COLUMNS_MIN - 3;
    for (int i = 0; i < view->row_count && width < LABEL_ID_MAX; i++) {
        const char *id = input->facts->state->plan->tasks[view_row_task(view->rows[i])].id;
        const int columns = text_width(id, strlen(id));
        width = columns > width ? columns : width;
    }
    return (width < LABEL_ID_MAX ? width : LABEL_ID_MAX) + 3;
}

/* The sizes of the parts below the tasks. */
struct below {
    bool has_cursor, has_legend;
    int decision_rows, spent_rows; /* 0: not shown */
};

static struct below share_wide(struct layout *out, int *left)
{
    struct below below = {.has_cursor = take_rows(left, 1, TASKS_MIN)};
    below.has_legend = take_rows(left, 2, TASKS_MIN);
    out->load = take_rows(left, LOAD_ROWS, TASKS_MIN) ? 0 : -1;
    if (take_rows(left, NOTES_ROWS_WIDE, TASKS_MIN))
        below.decision_rows = below.spent_rows = NOTES_ROWS_WIDE;
    return below;
}

static struct below share_narrow(struct layout *out, int *left, int tasks)
{
    struct below below = {.has_cursor = take_rows(left, 1, TASKS_MIN)};
    if (take_rows(left, DECISION_ROWS, TASKS_MIN))
        below.decision_rows = DECISION_ROWS;
    else if (take_rows(left, DECISION_ROWS_SHORT, 2))
        below.decision_rows = DECISION_ROWS_SHORT;
    below.has_legend = take_rows(left, 2, TASKS_MIN + 2);
    if (!take_rows(left, SPENT_ROWS, TASKS_MIN))
        return below;
    below.spent_rows = SPENT_ROWS;
    /* If all tasks still fit, more parts are shown below them. */
    out->load = take_rows(left, LOAD_ROWS, tasks) ? 0 : -1;
    if (take_rows(left, DECISION_ROWS_TALL - DECISION_ROWS, tasks))
        below.decision_rows = DECISION_ROWS_TALL;
    if (take_rows(left, SPENT_ROWS_TALL - SPENT_ROWS, tasks))
        below.spent_rows = SPENT_ROWS_TALL;
    return below;
}

static struct layout lay_out(int rows, int columns, const struct frame_input *input)
{
    struct layout out = {.page = frame_page_lay(rows, columns, input),
                         .is_wide = columns >= PAGE_WIDE_COLUMNS,
                         .legend = -1,
                         .rule = -1,
                         .axis = -1,
                         .cursor = -1,
                         .load = -1};
    if (out.page.edges.message >= 0 &&
        rows < MESSAGE_ROWS_MIN) { /* answers to keys are shown in the footer */
        out.page.body.rows += 2;
        out.page.edges.message = out.page.edges.bottom_rule = -1;
    }
    const int count = input->view->row_count > 0 ? input->view->row_count : 1;
    int left = out.page.body.rows;
    int top = out.page.body.row;
    out.axis = take_rows(&left, 1, 1) ? 0 : -1;
    const struct below below =
        out.is_wide ? share_wide(&out, &left) : share_narrow(&out, &left, count);
    out.column = out.is_wide ? LABEL_COLUMNS_WIDE : name_columns(input);
    if (below.has_legend) {
        out.legend = top++;
        out.rule = top++;
    }
    out.tasks = (struct frame_box){top, 0, count < left ? count : left, columns};
    top += out.tasks.rows;
    out.axis = out.axis == 0 ? top++ : -1;
    out.cursor = below.has_cursor ? top++ : -1;
    if (out.load == 0) {
        out.load = top;
        top += LOAD_ROWS;
    }
    left -= out.tasks.rows;
    out.decision = (struct frame_box){top, 0, below.decision_rows, columns};
    if (out.is_wide && below.spent_rows > 0)
        out.spent = (struct frame_box){top + 1, TIMELINE_NOTES_COLUMNS + 2, below.spent_rows - 1,
                                       columns - TIMELINE_NOTES_COLUMNS - 3};
    else
        out.spent = (struct frame_box){top + below.decision_rows, 0, below.spent_rows, columns};
    /* The retries come last, in rows that are still free. */
    const int retries = frame_least(timeline_retries_rows(input), left);
    if (out.is_wide && below.decision_rows > 0 && retries >= RETRIES_ROWS_MIN)
        out.retries = (struct frame_box){top + below.decision_rows, 0, retries, columns};
    return out;
}

void frame_timeline_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    struct timeline_axis axis;
    if (view_screen(view) != SCREEN_TIMELINE)
        return;
    const struct layout layout = lay_out(rows, columns, input);
    const struct moment now = frame_now(input);
    make_axis(&axis, input, -1, columns - layout.column, true);
    view_timeline_fit(view, &axis, layout.tasks.rows);
    if (layout.spent.rows > 0 || layout.load >= 0)
        view_timeline_sum(view, input->facts, &now);
}

static void draw_wide_label(struct timeline_look *look, int row, int view_row)
{
    const struct run_state *state = look->input->facts->state;
    const int task = view_row_task(view_row);
    const struct plan_task *plan = &state->plan->tasks[task];
    const enum shown shown = shown_task(state, task, look->input->facts->orphaned);
    struct str text = {0};
    struct str tries = {0};
    shown_try(state, task, &tries);
    const int end = look->column - 2;
    (void)canvas_text(look->canvas, (struct spot){row, 1, 1}, frame_style(shown),
                      shown_sign(shown, look->canvas->ascii));
    const int at = frame_put_right(look->canvas, (struct spot){row, LABEL_TEXT, end - LABEL_TEXT},
                                   STYLE_PLAIN, str_text(&tries));
    const int columns = at - 1 - LABEL_TEXT;
    timeline_add_id(look->input, view_row, columns, &text);
    const bool has_room = text_width(str_text(&text), text.len) + 1 < columns;
    if (has_room && strcmp(plan->id, plan->title) != 0)
        str_addf(&text, " %s", plan->title);
    (void)frame_put(look->canvas, (struct spot){row, LABEL_TEXT, columns}, STYLE_PLAIN,
                    str_text(&text));
    str_done(&text);
    str_done(&tries);
}

static int cursor_column(const struct timeline_look *look)
{
    const struct moment now = frame_now(look->input);
    const int64_t ms = view_timeline_cursor(&look->input->view->timeline, &now);
    const int column = axis_column(&look->axis, ms);
    return column < look->axis.columns ? column : -1;
}

static void draw_tasks(struct timeline_look *look, const struct layout *layout)
{
    const struct view *view = look->input->view;
    const int cursor = cursor_column(look);
    const int chosen = view_chosen_row(view);
    for (int i = 0; i < layout->tasks.rows; i++) {
        const int index = view->timeline.top + i;
        const int row = layout->tasks.row + i;
        if (index >= view->row_count)
            return;
        const bool is_chosen = index == chosen;
        if (layout->is_wide)
            draw_wide_label(look, row, view->rows[index]);
        else
            timeline_draw_label(look, row, view->rows[index], 1);
        timeline_draw_bar(look, row, view_row_task(view->rows[index]), is_chosen ? cursor : -1);
        timeline_add_zone(look, row, &layout->tasks, index);
        if (is_chosen)
            (void)canvas_text(look->canvas, (struct spot){row, 0, 1}, STYLE_KEY, "▸");
    }
}

static void draw_page(const struct timeline_look *look, const struct layout *layout)
{
    static const enum act acts[] = {UI_QUIT,       UI_LEFT,      UI_RIGHT,      UI_NEARER,
                                    UI_FARTHER,    UI_FOLD_IDLE, UI_OPEN,       UI_ERROR_NEXT,
                                    UI_ERROR_BACK, UI_WHOLE,     UI_EVENT_BACK, UI_HELP};
    static const char *const briefs[UI_ACT_COUNT] = {
        [UI_QUIT] = "back",    [UI_LEFT] = "",
        [UI_RIGHT] = "move",   [UI_NEARER] = "",
        [UI_FARTHER] = "zoom", [UI_OPEN] = "open try",
        [UI_ERROR_NEXT] = "",  [UI_ERROR_BACK] = "failure"};
    const struct frame_keys keys = {.acts = acts, .count = ARRAY_LEN(acts), .briefs = briefs};
    const struct frame_input *input = look->input;
    const struct view *view = input->view;
    const struct run_state *state = input->facts->state;
    const int columns = look->canvas->columns;
    struct str path = {0};
    str_add(&path, "Timeline");
    if (columns >= WINDOW_COLUMNS) {
        str_add(&path, "  ");
        timeline_add_window(&look->axis, &path);
    }
    if (columns >= PAGE_PATH_COLUMNS) {
        if (view->row_count == state->plan->task_count)
            str_add(&path, "   all tasks");
        else
            str_addf(&path, "   %d of %d tasks", view->row_count, state->plan->task_count);
    }
    if (columns >= PAGE_WIDE_COLUMNS) {
        const int64_t run_ms = frame_now(input).mono_ms - state->started_at.mono_ms;
        str_add(&path, "   1 column = ");
        axis_column_words(&look->axis, &path);
        str_addf(&path, "   idle folded: %s",
                 view_timeline_folds(&view->timeline, run_ms) ? "on" : "off");
        frame_say(input, " ({fold-idle})", &path);
    }
    frame_page_draw(look->canvas, &layout->page, input, str_text(&path), &keys);
    str_done(&path);
}

void frame_timeline(struct canvas *canvas, const struct frame_input *input)
{
    static const char *const legends[] = {
        ("R G V F phase  lower case: no output  ┄ backoff  ! needs you  ❚ held  ends: ✗ failed  "
         "✓ passed  ■ gave up  ⊘ cancelled  ∞ stuck  ? lost"),
        "R G V F phase   lower case no output   ┄ backoff   ! you   ❚ held   ✗✓■⊘∞? end",
        "RGVF phase  lower: no output  ┄ backoff  ! you  ✗✓■⊘∞? end",
    };
    const int columns = canvas->columns;
    const struct layout layout = lay_out(canvas->rows, columns, input);
    struct timeline_look look = {.canvas = canvas, .input = input, .column = layout.column};
    make_axis(&look.axis, input, -1, columns - layout.column, true);
    draw_page(&look, &layout);
    if (layout.legend >= 0) {
        (void)frame_put(canvas, (struct spot){layout.legend, 1, columns - 1}, STYLE_LABEL,
                        canvas_fitting(legends, ARRAY_LEN(legends), columns - 1));
        canvas_rule(canvas, layout.rule, 0, columns);
    }
    draw_tasks(&look, &layout);
    if (layout.axis >= 0)
        timeline_draw_axis(&look, layout.axis);
    if (layout.cursor >= 0)
        timeline_draw_cursor(&look, layout.cursor, cursor_column(&look));
    if (layout.load >= 0)
        timeline_draw_load(&look, layout.load);
    if (layout.decision.rows > 0)
        timeline_draw_decision(&look, &layout.decision);
    if (layout.spent.rows > 0)
        timeline_draw_spent(&look, &layout.spent);
    if (layout.retries.rows > 0)
        timeline_draw_retries(&look, &layout.retries);
    timeline_done(&look.timeline);
}
