/* frame_list.c - the list of tasks: columns by width, a row for each task. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "frame_parts.h"

enum column { COL_STATE, COL_ID, COL_TASK, COL_PHASE, COL_TRY, COL_NEXT, COL_CLASS, COL_COUNT };

enum {
    FIRST_COLUMN = 3, /* after the mark and the sign */
    ID_WIDTH_MIN = 5,
    ID_WIDTH_MAX = 14,
    TRY_WIDTH_MIN = 3,
    TRY_WIDTH_MAX = 9,
    NOTHING_MAX = LINE_EDIT_MAX + 120,
    TAKES_REST = -1,
    MEASURED = -2,
};

static const char *const heads[COL_COUNT] = {
    [COL_STATE] = "STATE", [COL_ID] = "ID",         [COL_TASK] = "TASK",   [COL_PHASE] = "PHASE",
    [COL_TRY] = "TRY",     [COL_NEXT] = "NEXT/FOR", [COL_CLASS] = "CLASS",
};

struct column_rule {
    int width; /* 0 = not shown */
    int gap;   /* blanks after it */
};

/* What is shown from which width on; the widest that fits is taken. */
static const struct column_set {
    int columns_min;
    struct column_rule rules[COL_COUNT];
} sets[] = {
    {74,
     {[COL_STATE] = {9, 1},
      [COL_ID] = {MEASURED, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 2},
      [COL_TRY] = {MEASURED, 2},
      [COL_NEXT] = {11, 1},
      [COL_CLASS] = {11, 0}}},
    {58,
     {[COL_STATE] = {9, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {11, 0}}},
    {30,
     {[COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {1, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {11, 0}}},
    {0, {[COL_TASK] = {TAKES_REST, 1}, [COL_TRY] = {MEASURED, 1}, [COL_NEXT] = {9, 0}}},
};

/* Where each column is. */
struct columns {
    int at[COL_COUNT];
    int width[COL_COUNT];
};

/* Longest texts of the rows in sight. */
struct measures {
    int id, attempts;
};

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static void measure(struct measures *measures, const struct run_state *state, int task)
{
    struct str attempts = {0};
    shown_try(state, task, &attempts);
    int id = (int)strlen(state->plan->tasks[task].id);
    measures->id = clamp(id, measures->id, ID_WIDTH_MAX);
    measures->attempts = clamp((int)attempts.len, measures->attempts, TRY_WIDTH_MAX);
    str_done(&attempts);
}

static struct columns place_columns(int columns, const struct measures *measures)
{
    const struct column_set *set = sets;
    while (set->columns_min > columns)
        set++;
    struct columns out = {0};
    int fixed = FIRST_COLUMN;
    for (int i = 0; i < COL_COUNT; i++) {
        int width = set->rules[i].width;
        if (width == MEASURED)
            width = i == COL_ID ? measures->id : measures->attempts;
        out.width[i] = width;
        if (width != 0)
            fixed += (width > 0 ? width : 0) + set->rules[i].gap;
    }
    int at = FIRST_COLUMN;
    for (int i = 0; i < COL_COUNT; i++) {
        if (out.width[i] == TAKES_REST)
            out.width[i] = columns > fixed ? columns - fixed : 0;
        out.at[i] = at;
        if (out.width[i] > 0)
            at += out.width[i] + set->rules[i].gap;
    }
    return out;
}

/* One row as it is being drawn. */
struct row {
    struct canvas *canvas;
    const struct frame_input *input;
    const struct columns *columns;
    int row, column; /* of its first cell */
    int task;
    enum shown shown;
};

static void add_next(const struct row *row, struct str *out)
{
    const struct view_facts *facts = row->input->facts;
    struct shown_time time = frame_time(row->input);
    shown_next(facts->state, row->task, facts->orphaned, &time, out);
}

static void add_task(const struct row *row, struct str *out)
{
    const struct plan_task *task = &row->input->facts->state->plan->tasks[row->task];
    bool has_title = strcmp(task->id, task->title) != 0;
    bool has_id = row->columns->width[COL_ID] > 0;
    if (!has_id)
        str_addf(out, "%s%s", task->id, has_title ? " " : "");
    if (has_title || has_id)
        str_add(out, task->title);
}

static void add_phase(const struct row *row, struct str *out)
{
    const struct run_state *state = row->input->facts->state;
    if (row->columns->width[COL_PHASE] > 1) {
        shown_strip(state, row->task, row->canvas->ascii, out);
        return;
    }
    int step = run_state_step_number(state, row->task);
    str_add_char(out, phase_letter(state->plan->tasks[row->task].steps[step].phase));
}

static void add_cell(const struct row *row, enum column column, struct str *out)
{
    const struct run_state *state = row->input->facts->state;
    switch (column) {
    case COL_STATE:
        str_add(out, shown_word(row->shown));
        break;
    case COL_ID:
        str_add(out, state->plan->tasks[row->task].id);
        break;
    case COL_TASK:
        add_task(row, out);
        break;
    case COL_PHASE:
        add_phase(row, out);
        break;
    case COL_TRY:
        shown_try(state, row->task, out);
        break;
    case COL_NEXT:
        add_next(row, out);
        break;
    case COL_CLASS:
        shown_class(state, row->task, out);
        if (out->len == 0)
            str_add(out, row->canvas->ascii ? "-" : "—");
        break;
    case COL_COUNT:
        break;
    }
}

static void draw_cells(const struct row *row)
{
    for (enum column i = 0; i < COL_COUNT; i++) {
        if (row->columns->width[i] <= 0)
            continue;
        struct str text = {0};
        add_cell(row, i, &text);
        enum style style = i == COL_STATE ? frame_style(row->shown) : STYLE_PLAIN;
        struct spot spot = {row->row, row->column + row->columns->at[i], row->columns->width[i]};
        (void)canvas_text(row->canvas, spot, style, str_text(&text));
        str_done(&text);
    }
}

static void draw_row(const struct row *row)
{
    struct canvas *canvas = row->canvas;
    bool chosen = row->task == row->input->view->chosen;
    if (chosen)
        (void)canvas_text(canvas, (struct spot){row->row, row->column, 1}, STYLE_PLAIN,
                          canvas->ascii ? ">" : "▸");
    (void)canvas_text(canvas, (struct spot){row->row, row->column + 1, 1}, frame_style(row->shown),
                      shown_sign(row->shown, canvas->ascii));
    draw_cells(row);
}

static void draw_heads(struct canvas *canvas, struct spot spot, const struct columns *columns)
{
    for (int i = 0; i < COL_COUNT; i++) {
        int width = columns->width[i];
        bool fits = width >= (int)strlen(heads[i]);
        if (fits)
            (void)canvas_text(canvas, (struct spot){spot.row, spot.column + columns->at[i], width},
                              STYLE_COLUMN, heads[i]);
    }
}

/* Where no row is shown: why, and the next step. */
static void draw_nothing(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    const struct view *view = input->view;
    int tasks = input->facts->state->plan->task_count;
    char text[NOTHING_MAX];
    if (tasks == 0)
        (void)snprintf(text, sizeof(text), "No tasks: this plan is empty.");
    else
        (void)snprintf(text, sizeof(text), "0 of %d tasks match   %s%s%s   Esc shows all", tasks,
                       view->filter.text, view->only_needs_you ? " " : "",
                       view->only_needs_you ? "(only what needs you)" : "");
    int row = box->row + (box->rows > 2 ? 1 : 0);
    int indent = box->columns > 60 ? 4 : 1;
    struct spot spot = {row, box->column + indent, box->columns - indent};
    (void)canvas_text(canvas, spot, STYLE_PLAIN, text);
    struct str nearest = {0};
    view_nearest(view, input->facts, &nearest);
    spot.row++;
    if (spot.row < box->row + box->rows)
        (void)canvas_text(canvas, spot, STYLE_PLAIN, str_text(&nearest));
    str_done(&nearest);
}

static struct row row_of(struct canvas *canvas, const struct frame_input *input, int task)
{
    const struct view_facts *facts = input->facts;
    return (struct row){.canvas = canvas,
                        .input = input,
                        .task = task,
                        .shown = shown_task(facts->state, task, facts->orphaned)};
}

void frame_list(struct canvas *canvas, int heads_row, const struct frame_box *box,
                const struct frame_input *input)
{
    const struct view *view = input->view;
    struct measures measures = {.id = ID_WIDTH_MIN, .attempts = TRY_WIDTH_MIN};
    int last = view->top + box->rows < view->row_count ? view->top + box->rows : view->row_count;
    for (int i = view->top; i < last; i++)
        measure(&measures, input->facts->state, view->rows[i]);
    struct columns columns = place_columns(box->columns, &measures);

    if (heads_row >= 0)
        draw_heads(canvas, (struct spot){heads_row, box->column, box->columns}, &columns);
    if (view->row_count == 0)
        draw_nothing(canvas, box, input);
    for (int i = view->top; i < last; i++) {
        struct row row = row_of(canvas, input, view->rows[i]);
        row.columns = &columns;
        row.row = box->row + i - view->top;
        row.column = box->column;
        draw_row(&row);
        if (row.task == view->chosen)
            canvas_choose(canvas, row.row, box->column, box->columns);
    }
}

void frame_list_line(struct canvas *canvas, int row_number, int task,
                     const struct frame_input *input)
{
    struct measures measures = {.id = 1, .attempts = 1};
    measure(&measures, input->facts->state, task);
    struct columns columns = place_columns(canvas->columns, &measures);
    struct row row = row_of(canvas, input, task);
    row.columns = &columns;
    row.row = row_number;
    draw_row(&row);
}
