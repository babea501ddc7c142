/* frame_detail_tries.c - the table of a task's attempts, with a row for each attempt of each
 * step. */
#include <assert.h>
#include <string.h>

#include "clock.h"
#include "frame_internal.h"

enum try_column {
    TRY_NUMBER,
    TRY_PHASE,
    TRY_START,
    TRY_RAN,
    TRY_WAITED,
    TRY_EXIT,
    TRY_CLASS,
    TRY_NEW,
    TRY_BY,
    TRY_CHANGED,
    TRY_COLUMN_COUNT,
};

static const struct try_head {
    const char *head;
    int width;
    int columns_min; /* minimum width of the table for this column */
} heads[] = {
    [TRY_NUMBER] = {"#", 2, 0},       [TRY_PHASE] = {"PHASE", 5, 0},
    [TRY_START] = {"START", 8, 36},   [TRY_RAN] = {"RAN", 7, 0},
    [TRY_WAITED] = {"WAITED", 6, 58}, [TRY_EXIT] = {"EXIT", 11, 58},
    [TRY_CLASS] = {"CLASS", 13, 0},   [TRY_NEW] = {"NEW", 5, 76},
    [TRY_BY] = {"BY", 12, 76},        [TRY_CHANGED] = {"WHAT IT CHANGED", 0, 116},
};
static_assert(ARRAY_LEN(heads) == TRY_COLUMN_COUNT, "every column has a head");

/* A row: an attempt, or the next one planned. */
struct try_row {
    int step;
    int index;                           /* index of the attempt within its step */
    const struct attempt_state *attempt; /* NULL: the planned attempt */
};

int detail_try_count(const struct detail *detail)
{
    const bool has_planned = detail->state->tasks[detail->task].status == TASK_BACKOFF;
    return (int)shown_attempts(detail->state, detail->task) + (has_planned ? 1 : 0);
}

static struct try_row row_at(const struct detail *detail, int row)
{
    const int steps = detail->state->plan->tasks[detail->task].step_count;
    for (int i = 0; i < steps; i++) {
        const struct step_state *step = &detail->state->tasks[detail->task].steps[i];
        if ((size_t)row < step->attempt_count)
            return (struct try_row){.step = i, .index = row, .attempt = &step->attempts[row]};
        row -= (int)step->attempt_count;
    }
    return (struct try_row){.step = run_state_step_number(detail->state, detail->task)};
}

/* Returns the row of the attempt in view. */
static int chosen_row(const struct detail *detail)
{
    const int count = (int)shown_attempts(detail->state, detail->task);
    for (int i = 0; i < count; i++) {
        const struct try_row row = row_at(detail, i);
        if (row.step == detail->at.step && row.attempt == detail->attempt)
            return i;
    }
    return -1;
}

/* Returns the state of an attempt as a task sign. */
static enum shown shown_try_sign(const struct try_row *row)
{
    if (!row->attempt)
        return SHOWN_QUEUED;
    if (row->attempt->ended.mono_ms == 0)
        return SHOWN_RUNNING;
    if (row->attempt->class == VERDICT_SUCCESS)
        return SHOWN_PASSED;
    return row->attempt->outcome.kind == OUTCOME_CANCELLED ? SHOWN_CANCELLED : SHOWN_GAVE_UP;
}

/* Appends the phase and the state of the attempt, "G✗", as in the strip of phases. */
static void add_phase(const struct detail *detail, const struct try_row *row, bool ascii,
                      struct str *out)
{
    const struct plan_task *plan = &detail->state->plan->tasks[detail->task];
    const enum shown shown = shown_try_sign(row);
    str_add_char(out, phase_letter(plan->steps[row->step].phase));
    if (shown == SHOWN_QUEUED)
        str_add(out, "·");
    else if (shown == SHOWN_RUNNING)
        str_add(out, "▸");
    else
        str_add(out, shown_sign(shown, ascii));
}

/* Appends what the attempt changed and how it compares: "2 files, +41 -3; same result as try 2;
 * hint: ...". */
static void add_changed(const struct detail *detail, const struct try_row *row, struct str *out)
{
    const struct attempt_state *attempt = row->attempt;
    if (attempt->tree_known) {
        shown_count(attempt->paths_changed, "file", "files", out);
        if (attempt->paths_changed > 0)
            str_addf(out, ", +%ld -%ld", (long)attempt->lines_added, (long)attempt->lines_removed);
    }
    const struct step_state *step = &detail->state->tasks[detail->task].steps[row->step];
    if (frame_is_same_fault(step->attempts, row->index))
        str_addf(out, "%ssame result as try %d", out->len > 0 ? "; " : "",
                 step->attempts[row->index - 1].number);
    if (attempt->hint && attempt->hint->text[0] != '\0')
        str_addf(out, "%shint: \"%s\"", out->len > 0 ? "; " : "", attempt->hint->text);
}

static void add_time(int64_t at_ms, struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    str_add(out, clock_hms(at_ms, hms));
}

static void add_planned(const struct detail *detail, enum try_column column, bool ascii,
                        struct str *out)
{
    const struct step_state *step = run_state_step(detail->state, detail->task);
    const struct try_row row = {.step = run_state_step_number(detail->state, detail->task)};
    if (column == TRY_NUMBER)
        str_addf(out, "%u", step->attempt_count + 1);
    else if (column == TRY_PHASE)
        add_phase(detail, &row, ascii, out);
    else if (column == TRY_START)
        add_time(step->due.at_ms, out);
    else if (column == TRY_WAITED)
        shown_duration(step->due.mono_ms - step->wait_from.mono_ms, out);
    else if (column == TRY_BY)
        str_add(out, "planned");
}

static void add_facts(const struct detail *detail, const struct try_row *row,
                      enum try_column column, bool ascii, struct str *out)
{
    const struct attempt_state *attempt = row->attempt;
    const bool ended = attempt->ended.mono_ms != 0;
    switch (column) {
    case TRY_NUMBER:
        str_addf(out, "%d", attempt->number);
        break;
    case TRY_PHASE:
        add_phase(detail, row, ascii, out);
        break;
    case TRY_START:
        add_time(attempt->started.at_ms, out);
        break;
    case TRY_RAN:
        if (ended)
            shown_ran(&attempt->outcome, out);
        else
            shown_duration(run_state_since_ms(detail->state, detail->task, attempt,
                                              frame_now(detail->input).mono_ms),
                           out);
        break;
    case TRY_WAITED:
        if (attempt->waited_ms > 0)
            shown_duration(attempt->waited_ms, out);
        break;
    case TRY_EXIT:
        if (!ended)
            break;
        if (attempt->outcome.kind == OUTCOME_EXIT)
            str_addf(out, "%d", attempt->outcome.code);
        else if (attempt->outcome.kind == OUTCOME_SIGNAL)
            str_addf(out, "signal %d", attempt->outcome.code);
        else
            str_add(out, outcome_kind_name(attempt->outcome.kind));
        break;
    case TRY_CLASS:
        if (ended)
            shown_try_class(attempt, out);
        else
            str_add(out, run_state_queue(detail->state, detail->task) ? "queued" : "runs");
        break;
    case TRY_NEW:
        frame_add_share(attempt, ascii, out);
        break;
    case TRY_BY:
        if (attempt->hint && attempt->hint->by[0] != '\0')
            str_add(out, attempt->hint->by);
        else
            str_add(out, attempt->by_hand ? "by hand" : "auto");
        break;
    case TRY_CHANGED:
        add_changed(detail, row, out);
        break;
    case TRY_COLUMN_COUNT:
        break;
    }
    if (out->len == 0)
        str_add(out, "—");
}

/* Position of the columns; width 0: not shown. */
struct places {
    int at[TRY_COLUMN_COUNT], width[TRY_COLUMN_COUNT];
};

static struct places place_columns(int columns)
{
    enum { FIRST_COLUMN = 1, NARROW_COLUMNS = 40, NARROW_PHASE = 2 };
    struct places out = {0};
    const int gap = columns >= heads[TRY_CHANGED].columns_min ? 3 : 1;
    int at = FIRST_COLUMN;
    for (int i = 0; i < TRY_COLUMN_COUNT; i++) {
        if (columns < heads[i].columns_min)
            continue;
        int width = heads[i].width;
        if (i == TRY_PHASE && columns < NARROW_COLUMNS)
            width = NARROW_PHASE;
        if (width == 0 || at + width > columns)
            width = columns - at;
        out.at[i] = at;
        out.width[i] = width > 0 ? width : 0;
        at += width + gap;
    }
    return out;
}

static void draw_row(struct canvas *canvas, struct spot spot, const struct places *places,
                     const struct detail *detail, int row, bool is_chosen)
{
    const struct try_row one = row_at(detail, row);
    if (is_chosen)
        (void)canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_PLAIN, "▸");
    for (int i = 0; i < TRY_COLUMN_COUNT; i++) {
        struct str text = {0};
        if (places->width[i] == 0)
            continue;
        if (one.attempt)
            add_facts(detail, &one, (enum try_column)i, canvas->ascii, &text);
        else
            add_planned(detail, (enum try_column)i, canvas->ascii, &text);
        const enum style style = i == TRY_PHASE ? frame_style(shown_try_sign(&one)) : STYLE_PLAIN;
        (void)canvas_text(canvas,
                          (struct spot){spot.row, spot.column + places->at[i], places->width[i]},
                          style, str_text(&text));
        str_done(&text);
    }
    const struct canvas_zone zone = {
        .spot = spot, .rows = 1, .kind = ZONE_ITEM, .value = (uint32_t)row};
    canvas_add_area(canvas, &zone);
    if (is_chosen)
        canvas_choose(canvas, spot.row, spot.column, spot.width);
}

/* Draws why there are no attempts yet. */
static void draw_nothing(struct canvas *canvas, const struct frame_box *box,
                         const struct detail *detail)
{
    const bool is_over = task_status_is_final(detail->state->tasks[detail->task].status);
    struct str text = {0};
    str_add(&text, is_over ? "It ended without a try." : "No tries yet: it ");
    if (!is_over) {
        frame_add_state(detail->input, detail->task, false, &text);
        str_add_char(&text, '.');
    }
    (void)frame_put(canvas, (struct spot){box->row, box->column + 1, box->columns - 1}, STYLE_PLAIN,
                    str_text(&text));
    str_done(&text);
}

/* Returns the first row to show. Shows the last rows if possible, including the planned attempt,
 * but always the selected row. */
static int first_row(const struct detail *detail, int rows)
{
    const int count = detail_try_count(detail);
    const int chosen = chosen_row(detail);
    int first = count > rows ? count - rows : 0;
    if (chosen >= 0 && chosen < first)
        first = chosen;
    return first;
}

void detail_add_hidden(const struct detail *detail, int rows, struct str *out)
{
    const int count = detail_try_count(detail);
    const int above = first_row(detail, rows);
    const int below = count - above - rows;
    if (above > 0)
        str_addf(out, "  %d more above", above);
    if (below > 0)
        str_addf(out, "  %d more below", below);
}

void detail_draw_tries(struct canvas *canvas, int heads_row, const struct frame_box *box,
                       const struct detail *detail)
{
    const struct places places = place_columns(box->columns);
    const int count = detail_try_count(detail);
    if (count == 0) {
        draw_nothing(canvas, box, detail);
        return;
    }
    for (int i = 0; i < TRY_COLUMN_COUNT && heads_row >= 0; i++) {
        const struct spot at = {heads_row, box->column + places.at[i], places.width[i]};
        if (at.width >= (int)strlen(heads[i].head))
            (void)canvas_text(canvas, at, STYLE_COLUMN, heads[i].head);
    }
    frame_pane_zone(canvas, box, VIEW_PANE_LIST);
    const int first = first_row(detail, box->rows);
    const int chosen = chosen_row(detail);
    for (int i = first; i < count && i < first + box->rows; i++)
        draw_row(canvas, (struct spot){box->row + i - first, box->column, box->columns}, &places,
                 detail, i, i == chosen);
}
