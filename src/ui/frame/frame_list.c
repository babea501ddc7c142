/* frame_list.c - the list of tasks: its columns by width, with a row for each task or for all tasks
 * with the same fault. */
#include <string.h>

#include "clock.h"
#include "frame_internal.h"
#include "text.h"

enum column {
    COL_STATE,
    COL_ID,
    COL_TASK,
    COL_PHASE,
    COL_TRY,
    COL_NEXT,
    COL_CLASS,
    COL_WHERE,
    COL_NEW,
    COL_COUNT,
};

/* Position of the columns. */
struct columns {
    int at[COL_COUNT];
    int width[COL_COUNT]; /* 0 = not shown */
    bool next_is_right;   /* too narrow for headings: right-align the times */
};

/* The widest text of some columns among the visible rows. */
struct measures {
    int id, attempts, next;
    int where; /* 0: the plan has no executors */
};

enum { COLUMNS_FEW = 24 }; /* narrower: only title, tries and times */

/* A row being drawn. */
struct list_row {
    struct canvas *canvas;
    const struct frame_input *input;
    const struct columns *columns;
    int row, column; /* position of its first cell */
    int task;
    const struct view_fold *fold; /* the fold that the row shows; NULL = a task */
    bool chosen;
    enum shown shown;
    bool suspected; /* possibly looping */
    bool no_more;   /* running and held: no more tries after this one */
};

enum {
    FIRST_COLUMN = 3, /* column after mark and sign */
    ID_WIDTH_MIN = 5,
    ID_WIDTH_MAX = 14,
    TRY_WIDTH_MIN = 3,
    TRY_WIDTH_MAX = 9,
    NEXT_WIDTH_MIN = 11,
    NEXT_WIDTH_MAX = 18, /* "fenced until 14:07", "12:10 (Resources)" */
    WHERE_WIDTH_MIN = 5,
    WHERE_WIDTH_MAX = 10,
    NEXT_WIDTH_FEW = 9, /* maximum width of the times in a list of few columns */
    /* Minimum width at which headings are shown and times are left-aligned. */
    NEXT_RIGHT_COLUMNS = 58,
    WHERE_AND_NEW_COLUMNS = 100, /* in a narrower list, WHERE takes the place of NEW */
    TAKES_REST = -1,
    MEASURED = -2,
};

static const struct column_head {
    const char *text;
    enum order_by order; /* order selected by a click on the heading */
    const char *key;     /* key of the column's row in rows_task(); NULL = none */
} heads[COL_COUNT] = {
    [COL_STATE] = {"STATE", ORDER_STATE, "state"},
    [COL_ID] = {"ID", ORDER_NAME, NULL},
    [COL_TASK] = {"TASK", ORDER_ADDED, NULL},
    [COL_PHASE] = {"PHASE", ORDER_ADDED, "phases"},
    [COL_TRY] = {"TRY", ORDER_TRY, "try"},
    [COL_NEXT] = {"NEXT/FOR", ORDER_NEXT, "next"},
    [COL_CLASS] = {"CLASS", ORDER_CLASS, "news"},
    [COL_WHERE] = {"WHERE", ORDER_ADDED, "place"},
    [COL_NEW] = {.text = "NEW"},
};

struct column_rule {
    int width; /* 0 = not shown */
    int gap;   /* blanks after the column */
};

/* The columns for each minimum width of the list, the widest first. */
static const struct column_set {
    int columns_min;
    struct column_rule rules[COL_COUNT];
} sets[] = {
    {86,
     {[COL_STATE] = {9, 1},
      [COL_ID] = {MEASURED, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 2},
      [COL_TRY] = {MEASURED, 2},
      [COL_NEXT] = {MEASURED, 1},
      [COL_CLASS] = {11, 1},
      [COL_WHERE] = {MEASURED, 1},
      [COL_NEW] = {3, 0}}},
    {74,
     {[COL_STATE] = {9, 1},
      [COL_ID] = {MEASURED, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 2},
      [COL_TRY] = {MEASURED, 2},
      [COL_NEXT] = {MEASURED, 1},
      [COL_CLASS] = {11, 0}}},
    {58,
     {[COL_STATE] = {9, 1},
      [COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {8, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {MEASURED, 0}}},
    {30,
     {[COL_TASK] = {TAKES_REST, 1},
      [COL_PHASE] = {1, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {MEASURED, 0}}},
    {COLUMNS_FEW,
     {[COL_ID] = {MEASURED, 1},
      [COL_PHASE] = {1, 1},
      [COL_TRY] = {MEASURED, 1},
      [COL_NEXT] = {TAKES_REST, 0}}},
    {0, {[COL_TASK] = {TAKES_REST, 1}, [COL_TRY] = {MEASURED, 1}, [COL_NEXT] = {MEASURED, 0}}},
};

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* Lays out the columns for a list of this width. */
static struct columns columns_place(int columns, const struct measures *measures)
{
    const struct column_set *set = sets;
    while (set->columns_min > columns)
        set++;
    struct measures texts = *measures;
    if (columns < COLUMNS_FEW && texts.next > NEXT_WIDTH_FEW)
        texts.next = NEXT_WIDTH_FEW;
    struct columns out = {.next_is_right = columns < NEXT_RIGHT_COLUMNS};
    const bool has_new = texts.where == 0 || columns >= WHERE_AND_NEW_COLUMNS;
    int fixed = FIRST_COLUMN;
    int last_gap = 0; /* nothing follows the last column */
    for (int i = 0; i < COL_COUNT; i++) {
        int width = i != COL_NEW || has_new ? set->rules[i].width : 0;
        if (width == MEASURED && i == COL_ID)
            width = texts.id;
        else if (width == MEASURED && i == COL_WHERE)
            width = texts.where;
        else if (width == MEASURED)
            width = i == COL_TRY ? texts.attempts : texts.next;
        out.width[i] = width;
        if (width == 0)
            continue;
        last_gap = set->rules[i].gap;
        fixed += (width > 0 ? width : 0) + last_gap;
    }
    fixed -= last_gap;
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

enum {
    CLOCK_WORD = 5, /* "next " before a fold's times */
};

/* Appends the label of a fold: "12 tasks". */
static void list_fold_add_id(const struct view_fold *fold, struct str *out)
{
    str_addf(out, "%d tasks", fold->fault.count);
}

/* Returns true if the fold's tasks wait for a time, rather than for a task or the user. */
static bool fold_counts(const struct frame_input *input, const struct view_fold *fold)
{
    return fold->held < fold->fault.count && !input->facts->orphaned;
}

/* Appends when the task continues, or what it waits for. */
static void list_row_add_next(const struct frame_input *input, int task, struct str *out)
{
    const struct view_facts *facts = input->facts;
    struct shown_time time = frame_time(input);
    shown_next(facts->state, task, facts->orphaned, &time, out);
}

/* Appends when the first and the last task of the fold are tried again, "0:12..1:04", or what all
 * its tasks wait for. */
static void list_fold_add_next(const struct frame_input *input, const struct view_fold *fold,
                               struct str *out)
{
    const struct moment now = frame_now(input);
    if (fold_counts(input, fold))
        shown_fault_due(&fold->fault, &now, out);
    else
        list_row_add_next(input, fold->fault.first, out);
}

/* Appends "one fault since 13:58:40", after the fold's label and class if these are not in columns
 * of their own. */
static void add_fold_words(const struct list_row *row, const struct view_fold *fold,
                           struct str *out)
{
    const struct run_state *state = row->input->facts->state;
    char hms[CLOCK_TEXT_MAX];
    bool has_id = row->columns->width[COL_ID] > 0;
    bool has_class = row->columns->width[COL_CLASS] > 0;
    if (!has_id) {
        list_fold_add_id(fold, out);
        str_add_char(out, ' ');
    }
    if (!has_class) {
        shown_class(state, fold->fault.first, out);
        str_add(out, ", ");
    }
    if (fold->leader >= 0)
        str_addf(out, "one fault, %s first", state->plan->tasks[fold->leader].id);
    else
        str_addf(out, "one fault since %s", clock_hms(fold->fault.since.at_ms, hms));
}

static void put_cell(const struct list_row *row, enum column column, struct str *text)
{
    struct spot spot = {row->row, row->column + row->columns->at[column],
                        row->columns->width[column]};
    if (spot.width > 0)
        (void)canvas_text(row->canvas, spot, STYLE_PLAIN, str_text(text));
    str_clear(text);
}

/* Draws all cells of a fold's row except its sign. The text takes the columns of title, phases and
 * tries. */
static void list_fold_draw(const struct list_row *row)
{
    const struct view_fold *fold = row->fold;
    const struct columns *columns = row->columns;
    struct str text = {0};
    list_fold_add_id(fold, &text);
    put_cell(row, COL_ID, &text);
    shown_class(row->input->facts->state, fold->fault.first, &text);
    put_cell(row, COL_CLASS, &text);
    list_fold_add_next(row->input, fold, &text);
    if ((int)text.len > columns->width[COL_NEXT]) { /* keep only the first of two times */
        const char *dots = strstr(text.data, "..");
        if (dots)
            str_cut(&text, (size_t)(dots - text.data));
    }
    put_cell(row, COL_NEXT, &text);

    int end = columns->at[COL_NEXT] - 1;
    bool has_word = fold_counts(row->input, fold) && columns->width[COL_ID] > 0;
    if (has_word) {
        end -= CLOCK_WORD;
        (void)canvas_text(row->canvas, (struct spot){row->row, row->column + end + 1, CLOCK_WORD},
                          STYLE_PLAIN, "next ");
    }
    struct spot spot = {row->row, row->column + columns->at[COL_TASK], end - columns->at[COL_TASK]};
    add_fold_words(row, fold, &text);
    if (spot.width > 0)
        (void)canvas_text(row->canvas, spot, STYLE_PLAIN, str_text(&text));
    str_done(&text);

    spot = (struct spot){row->row, row->column + columns->at[COL_STATE], columns->width[COL_STATE]};
    if (spot.width > 0)
        (void)canvas_text(row->canvas, spot, frame_style(row->shown), shown_word(row->shown));
}

/* Returns the fold of a row of the view; NULL if it is a task's own row. */
static const struct view_fold *fold_in(const struct frame_input *input, int row)
{
    return view_row_is_fold(row) ? view_fold_of(input->view, view_row_task(row)) : NULL;
}

/* Widens the measures to fit the cells of a row of the view, up to each column's limit. */
static void measure_row(struct measures *measures, const struct frame_input *input, int row)
{
    const struct run_state *state = input->facts->state;
    const struct view_fold *fold = fold_in(input, row);
    int task = view_row_task(row);
    struct str id = {0}, attempts = {0}, next = {0}, where = {0};
    if (fold) {
        list_fold_add_id(fold, &id);
        list_fold_add_next(input, fold, &next);
    } else {
        str_add(&id, state->plan->tasks[task].id);
        shown_try(state, task, &attempts);
        list_row_add_next(input, task, &next);
        shown_where(state, task, &where);
    }
    measures->id = clamp((int)id.len, measures->id, ID_WIDTH_MAX);
    measures->attempts = clamp((int)attempts.len, measures->attempts, TRY_WIDTH_MAX);
    measures->next = clamp((int)next.len, measures->next, NEXT_WIDTH_MAX);
    if (measures->where > 0)
        measures->where =
            clamp(text_width(str_text(&where), where.len), measures->where, WHERE_WIDTH_MAX);
    str_done(&id);
    str_done(&attempts);
    str_done(&next);
    str_done(&where);
}

/* Appends the text of a cell that is not in rows_task(), or whose text there is too long for the
 * column. */
static void add_cell(const struct list_row *row, enum column column, struct str *out)
{
    const struct run_state *state = row->input->facts->state;
    const struct plan_task *task = &state->plan->tasks[row->task];
    const struct step_state *step = run_state_step(state, row->task);
    const int columns = row->columns->width[column];
    if (column == COL_PHASE) {
        const int number = run_state_step_number(state, row->task);
        str_add_char(out, phase_letter(task->steps[number].phase));
    } else if (column == COL_NEW) {
        const struct attempt_state *attempt = step_state_attempt(step);
        if (attempt && attempt->ended.mono_ms == 0 && step->attempt_count > 1)
            attempt--; /* the running attempt has no class yet */
        if (attempt)
            shown_new(attempt->new_permille, out);
        str_add(out, out->len == 0 ? "  —" : "");
    } else if (column == COL_TASK && row->columns->width[COL_ID] > 0) {
        str_add(out, task->title);
    } else {
        frame_add_id(state->plan, row->task, columns, out);
        if (column == COL_TASK && strcmp(task->id, task->title) != 0 &&
            (int)strlen(task->id) + 1 < columns)
            str_addf(out, " %s", task->title);
    }
}

static void draw_cells(const struct list_row *row)
{
    const struct shown_look look = frame_look(row->input, row->canvas->ascii);
    struct rows rows = {0};
    rows_task(&rows, row->input->facts->state, row->task, &look);
    for (enum column i = 0; i < COL_COUNT; i++) {
        struct spot spot = {row->row, row->column + row->columns->at[i], row->columns->width[i]};
        if (spot.width <= 0)
            continue;
        struct str text = {0};
        if (heads[i].key && (i != COL_PHASE || spot.width > 1))
            str_add(&text, rows_value(&rows, heads[i].key));
        else
            add_cell(row, i, &text);
        if (i == COL_CLASS && text.len == 0)
            str_add(&text, "—");
        enum style style = STYLE_PLAIN;
        if (i == COL_STATE)
            style = frame_style(row->shown);
        else if (i == COL_CLASS && row->suspected)
            style = STYLE_SUSPECT;
        else if (i == COL_WHERE && row->input->facts->state->tasks[row->task].away_since.at_ms > 0)
            style = STYLE_LOST;
        if (i == COL_NEXT && row->columns->next_is_right &&
            text_width(str_text(&text), text.len) <= spot.width)
            (void)frame_put_right(row->canvas, spot, style, str_text(&text));
        else
            (void)canvas_text(row->canvas, spot, style, str_text(&text));
        str_done(&text);
    }
    rows_done(&rows);
}

static void draw_row(const struct list_row *row)
{
    struct canvas *canvas = row->canvas;
    const struct view *view = row->input->view;
    const struct view_fold *above = row->fold ? NULL : view_fold_of(view, row->task);
    if (row->chosen && row->column >= 0)
        (void)canvas_text(canvas, (struct spot){row->row, row->column, 1}, STYLE_PLAIN, "▸");
    (void)canvas_text(canvas, (struct spot){row->row, row->column + 1, 1}, frame_style(row->shown),
                      shown_sign(row->shown, canvas->ascii));
    struct spot mark = {row->row, row->column + 2, 1};
    if (row->suspected)
        (void)canvas_text(canvas, mark, STYLE_SUSPECT, shown_sign(SHOWN_STUCK, canvas->ascii));
    else if (view_is_marked(view, row->task))
        (void)canvas_text(canvas, mark, STYLE_KEY, "#");
    else if (row->no_more)
        (void)canvas_text(canvas, mark, frame_style(SHOWN_HELD),
                          shown_sign(SHOWN_HELD, canvas->ascii));
    else if (above && view_has_fold_row(view, above))
        (void)canvas_text(canvas, mark, STYLE_RULE, "│");
    if (row->fold)
        list_fold_draw(row);
    else
        draw_cells(row);
}

/* If there are no rows, draws why, and what to do next. */
static void draw_nothing(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    const struct view *view = input->view;
    int tasks = input->facts->state->plan->task_count;
    struct str text = {0};
    if (tasks == 0) {
        str_add(&text, "No tasks: this plan is empty.");
    } else {
        str_addf(&text, "0 of %d tasks match   %s%s   ", tasks, view->filter.text,
                 view->only_needs_you ? " (needs-you only)" : "");
        frame_say(input, view->filter.open ? "Esc shows all" : "{back} shows all", &text);
    }
    int row = box->row + (box->rows > 2 ? 1 : 0);
    int indent = box->columns > 60 ? 4 : 1;
    struct spot spot = {row, box->column + indent, box->columns - indent};
    (void)canvas_text(canvas, spot, STYLE_PLAIN, str_text(&text));
    str_clear(&text);
    if (view_nearest(view, input->facts, &text))
        str_add(&text, canvas->ascii ? "   Enter uses it" : "   ⏎ uses it");
    spot.row++;
    if (spot.row < box->row + box->rows)
        (void)canvas_text(canvas, spot, STYLE_PLAIN, str_text(&text));
    str_done(&text);
}

/* Makes the list's row for an element of the view's rows. */
static struct list_row row_of(struct canvas *canvas, const struct frame_input *input, int in_view)
{
    const struct view_facts *facts = input->facts;
    const struct view *view = input->view;
    int task = view_row_task(in_view);
    struct list_row row = {.canvas = canvas,
                           .input = input,
                           .task = task,
                           .fold = fold_in(input, in_view),
                           .chosen =
                               task == view->chosen && view->on_fold == view_row_is_fold(in_view),
                           .shown = shown_task(facts->state, task, facts->orphaned)};
    struct shown_circle circle;
    if (row.fold)
        row.shown = row.fold->held == row.fold->fault.count ? SHOWN_HELD : SHOWN_BACKOFF;
    else if (shown_circles_of(facts->state, task, &circle))
        row.suspected = circle.verdict.level == ENTROPY_SUSPECT;
    row.no_more =
        facts->state->tasks[task].held && facts->state->tasks[task].status == TASK_RUNNING;
    return row;
}

void frame_list(struct canvas *canvas, int heads_row, const struct frame_box *box,
                const struct frame_input *input)
{
    const struct view *view = input->view;
    const bool has_where = input->facts->state->plan->executor_count > 0;
    struct measures measures = {ID_WIDTH_MIN, TRY_WIDTH_MIN, NEXT_WIDTH_MIN,
                                has_where ? WHERE_WIDTH_MIN : 0};
    int last = view->top + box->rows < view->row_count ? view->top + box->rows : view->row_count;
    for (int i = view->top; i < last; i++)
        measure_row(&measures, input, view->rows[i]);
    struct columns columns = columns_place(box->columns, &measures);

    frame_pane_zone(canvas, box, VIEW_PANE_LIST);
    for (int i = 0; i < COL_COUNT && heads_row >= 0; i++) {
        const struct canvas_zone zone = {
            .spot = {heads_row, box->column + columns.at[i], columns.width[i]},
            .rows = 1,
            .kind = ZONE_HEAD,
            .value = (uint32_t)heads[i].order,
        };
        if (zone.spot.width < (int)strlen(heads[i].text))
            continue;
        (void)canvas_text(canvas, zone.spot, STYLE_COLUMN, heads[i].text);
        canvas_add_area(canvas, &zone);
    }
    if (view->row_count == 0)
        draw_nothing(canvas, box, input);
    for (int i = view->top; i < last; i++) {
        struct list_row row = row_of(canvas, input, view->rows[i]);
        row.columns = &columns;
        row.row = box->row + i - view->top;
        row.column = box->column;
        draw_row(&row);
        const struct canvas_zone zone = {.spot = {row.row, box->column, box->columns},
                                         .rows = 1,
                                         .kind = ZONE_ROW,
                                         .value = (uint32_t)i};
        canvas_add_area(canvas, &zone);
        if (row.chosen)
            canvas_choose(canvas, row.row, box->column, box->columns);
    }
}

void frame_list_line(struct canvas *canvas, int row_number, const struct frame_input *input)
{
    const struct view *view = input->view;
    int chosen = view_chosen_row(view);
    int in_view = chosen >= 0 ? view->rows[chosen] : view->chosen;
    struct measures measures = {.id = 1, .attempts = 1, .next = 1};
    measure_row(&measures, input, in_view);
    const int margin = canvas->columns < COLUMNS_FEW ? 1 : 0; /* a single row needs no mark */
    struct columns columns = columns_place(canvas->columns + margin, &measures);
    struct list_row row = row_of(canvas, input, in_view);
    row.columns = &columns;
    row.row = row_number;
    row.column = -margin;
    draw_row(&row);
}
