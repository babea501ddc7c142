#include "frame_timeline.h"

#include <string.h>

#include "frame_page.h"
#include "frame_parts.h"
#include "frame_timeline_parts.h"
#include "shown.h"
#include "text.h"

enum {
    LABEL_COLUMNS_MIN = 8, /* before a bar: sign of the chosen one, id, two blanks */
    LABEL_ID_MAX = 12,
    LABEL_COLUMNS_WIDE = 28, /* and sign, title and try */
    LABEL_TEXT = 3,

    DECISION_ROWS = 3, /* a rule and what follows */
    DECISION_ROWS_SHORT = 2,
    DECISION_ROWS_TALL = 7, /* a line for each part of it */
    SPENT_ROWS = 5,
    SPENT_ROWS_TALL = 7,
    LOAD_ROWS = 4,
    NOTES_ROWS_WIDE = 10,
    RETRIES_ROWS_MIN = 3,
    TASKS_MIN = 4,
    WINDOW_COLUMNS = 50,   /* narrower: the axis alone says from when to when */
    MESSAGE_ROWS_MIN = 30, /* lower: the bars are worth more than a row for messages */
};

/* Where things are; rows of -1 and boxes of 0 rows are not there. */
struct layout {
    struct frame_page page;
    bool is_wide;
    int column; /* where the bars begin */
    int legend, rule, axis, cursor, load;
    struct frame_box tasks, decision, spent, retries;
};

static bool take(int *left, int rows, int least)
{
    if (*left - rows < least)
        return false;
    *left -= rows;
    return true;
}

/* The widest id of all rows that may be in sight: the bars do not move while one scrolls. */
static int label_columns(const struct frame_input *input)
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

/* The rows below the tasks, from the top. */
struct below {
    bool has_cursor, has_legend;
    int decision_rows, spent_rows; /* 0: not there */
};

static struct below share_wide(struct layout *out, int *left)
{
    struct below below = {.has_cursor = take(left, 1, TASKS_MIN)};
    below.has_legend = take(left, 2, TASKS_MIN);
    out->load = take(left, LOAD_ROWS, TASKS_MIN) ? 0 : -1;
    if (take(left, NOTES_ROWS_WIDE, TASKS_MIN))
        below.decision_rows = below.spent_rows = NOTES_ROWS_WIDE;
    return below;
}

/* What a high screen has below all of the tasks beside what every one has. */
static void share_tall(struct layout *out, struct below *below, int *left, int tasks)
{
    if (below->spent_rows == 0)
        return;
    out->load = take(left, LOAD_ROWS, tasks) ? 0 : -1;
    if (take(left, DECISION_ROWS_TALL - DECISION_ROWS, tasks))
        below->decision_rows = DECISION_ROWS_TALL;
    if (take(left, SPENT_ROWS_TALL - SPENT_ROWS, tasks))
        below->spent_rows = SPENT_ROWS_TALL;
}

static struct below share_narrow(struct layout *out, int *left, int tasks)
{
    struct below below = {.has_cursor = take(left, 1, TASKS_MIN)};
    if (take(left, DECISION_ROWS, TASKS_MIN))
        below.decision_rows = DECISION_ROWS;
    else if (take(left, DECISION_ROWS_SHORT, 2))
        below.decision_rows = DECISION_ROWS_SHORT;
    below.has_legend = take(left, 2, TASKS_MIN + 2);
    if (take(left, SPENT_ROWS, TASKS_MIN))
        below.spent_rows = SPENT_ROWS;
    share_tall(out, &below, left, tasks);
    return below;
}

static void place_notes(struct layout *out, const struct below *below, int top, int columns)
{
    out->decision = (struct frame_box){top, 0, below->decision_rows, columns};
    if (out->is_wide && below->spent_rows > 0)
        out->spent = (struct frame_box){top + 1, TIMELINE_NOTES_COLUMNS + 2, below->spent_rows - 1,
                                        columns - TIMELINE_NOTES_COLUMNS - 3};
    else
        out->spent = (struct frame_box){top + below->decision_rows, 0, below->spent_rows, columns};
}

/* Below all else, in rows that nothing else wants. */
static void place_retries(struct layout *out, const struct frame_input *input, int top, int left)
{
    const int wanted = timeline_retries_rows(input);
    const int rows = wanted < left ? wanted : left;
    if (out->is_wide && out->decision.rows > 0 && rows >= RETRIES_ROWS_MIN)
        out->retries = (struct frame_box){top, 0, rows, out->decision.columns};
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
        rows < MESSAGE_ROWS_MIN) { /* an answer is told in the footer */
        out.page.body.rows += 2;
        out.page.edges.message = out.page.edges.bottom_rule = -1;
    }
    const int count = input->view->row_count > 0 ? input->view->row_count : 1;
    int left = out.page.body.rows;
    int top = out.page.body.row;
    out.axis = take(&left, 1, 1) ? 0 : -1;
    const struct below below =
        out.is_wide ? share_wide(&out, &left) : share_narrow(&out, &left, count);
    out.column = out.is_wide ? LABEL_COLUMNS_WIDE : label_columns(input);
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
    place_notes(&out, &below, top, columns);
    place_retries(&out, input, top + below.decision_rows, left - out.tasks.rows);
    return out;
}

void frame_timeline_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    struct timeline_axis axis;
    if (view_screen(view) != SCREEN_TIMELINE)
        return;
    const struct layout layout = lay_out(rows, columns, input);
    const struct moment now = frame_now(input);
    timeline_axis_of_view(&axis, input, columns - layout.column);
    view_timeline_fit(view, &axis, layout.tasks.rows);
    if (layout.spent.rows > 0 || layout.load >= 0)
        view_timeline_sum(view, input->facts, &now);
}

static void draw_legend(struct canvas *canvas, int row)
{
    static const char *const legends[] = {
        ("R G V F phase  lower case: no output  ┄ backoff  ! needs you  ❚ held  ends: ✗ failed  "
         "✓ passed  ■ gave up  ⊘ cancelled  ∞ stuck  ? lost"),
        "R G V F phase   lower case no output   ┄ backoff   ! you   ❚ held   ✗✓■⊘∞? end",
        "RGVF phase  lower: no output  ┄ backoff  ! you  ✗✓■⊘∞? end",
    };
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_LABEL,
                    canvas_fitting(legends, ARRAY_LEN(legends), canvas->columns - 1));
}

static void draw_mark(struct canvas *canvas, int row)
{
    (void)canvas_text(canvas, (struct spot){row, 0, 1}, STYLE_KEY, "▸");
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
            draw_mark(look->canvas, row);
    }
}

static void add_path(const struct timeline_look *look, struct str *out)
{
    const struct view *view = look->input->view;
    const int columns = look->canvas->columns;
    str_add(out, "Timeline");
    if (columns < WINDOW_COLUMNS)
        return;
    str_add(out, "  ");
    timeline_add_window(&look->axis, out);
    if (columns < PAGE_PATH_COLUMNS)
        return;
    if (view->row_count == look->input->facts->state->plan->task_count)
        str_add(out, "   all tasks");
    else
        str_addf(out, "   %d of %d tasks", view->row_count,
                 look->input->facts->state->plan->task_count);
    if (columns < PAGE_WIDE_COLUMNS)
        return;
    const struct moment now = frame_now(look->input);
    const int64_t run_ms = now.mono_ms - look->input->facts->state->started_at.mono_ms;
    str_add(out, "   1 column = ");
    axis_column_words(&look->axis, out);
    str_addf(out, "   idle folded: %s",
             view_timeline_folds(&view->timeline, run_ms) ? "on" : "off");
    frame_say(look->input, " ({fold-idle})", out);
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
    struct str path = {0};
    add_path(look, &path);
    frame_page_draw(look->canvas, &layout->page, look->input, str_text(&path), &keys);
    str_done(&path);
}

void frame_timeline(struct canvas *canvas, const struct frame_input *input)
{
    const struct layout layout = lay_out(canvas->rows, canvas->columns, input);
    struct timeline_look look = {.canvas = canvas, .input = input, .column = layout.column};
    timeline_axis_of_view(&look.axis, input, canvas->columns - layout.column);
    draw_page(&look, &layout);
    if (layout.legend >= 0) {
        draw_legend(canvas, layout.legend);
        canvas_rule(canvas, layout.rule, 0, canvas->columns);
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
