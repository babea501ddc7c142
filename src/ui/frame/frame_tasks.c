/* frame_tasks.c - the Tasks screen: its layout by size, the lines below the list, the records of a
 * recording, and the text shown when there are no tasks. */
#include <string.h>

#include "clock.h"
#include "event_lines.h"
#include "frame_internal.h"
#include "runs_list.h"
#include "view.h"

/* Appends how the list is filtered and sorted, and how many tasks are marked and hidden. */
static void add_filter(const struct frame_input *input, struct str *out)
{
    const struct view *view = input->view;
    str_add(out, "filter: ");
    if (view->filter.len > 0)
        str_add(out, view->filter.text);
    if (view->only_needs_you)
        frame_say(input,
                  view->filter.len > 0 ? ", needs-you only ({needs-you-only})"
                                       : "needs-you only ({needs-you-only})",
                  out);
    if (view->filter.len == 0 && !view->only_needs_you)
        frame_say(input, "none ({filter})", out);
    str_addf(out, "   order: %s", view_order_words(view));
    frame_say(input, " ({order})", out);
    str_addf(out, "   marked: %d", view_marked(view));
    str_addf(out, "   hidden: %d", view_hidden(view, input->facts));
    frame_say(input, " ({finished})", out);
}

/* Appends the latest act and, while it can be undone, how to undo it. */
static void add_last_act(const struct frame_input *input, struct str *out)
{
    const struct view_undo *undo = &input->view->undo;
    struct str why = {0};
    const bool is_over = view_undo_refusal(input->view, input->facts, &why);
    str_done(&why);
    str_add(out, "last action: ");
    if (undo->kind != VIEW_UNDO_ACT || undo->count == 0) {
        frame_say(input, "none   ({undo} undoes an action for 5 s)", out);
        return;
    }
    str_addf(out, "%s %s", control_verb_name(undo->control.verb),
             input->facts->state->plan->tasks[undo->targets[0].task].id);
    if (undo->count > 1)
        str_addf(out, " and %d more", undo->count - 1);
    str_add(out, ", ");
    shown_duration(input->facts->clock.mono_ms - undo->at_ms, out);
    frame_say(input, is_over ? " ago" : " ago   {undo} undoes it", out);
}

static void put_line(struct canvas *canvas, const struct frame_box *box, int row,
                     const struct str *text)
{
    if (row >= 0 && row < box->rows)
        (void)frame_put(canvas, (struct spot){box->row + row, box->column + 1, box->columns - 1},
                        STYLE_LABEL, str_text(text));
}

void frame_add_more_rows(const struct view *view, int top, int rows, struct str *out)
{
    const int below = view->row_count - top - rows;
    if (view->row_count == 0)
        return;
    if (top > 0 && below > 0)
        str_addf(out, "%d above, %d below", top, below);
    else if (top > 0)
        str_addf(out, "%d more above", top);
    else if (below > 0)
        str_addf(out, "%d more below", below);
}

/* Appends "filter: state=quiet   Esc shows all   6 passed tasks hidden (H)". */
static void add_narrowed(const struct frame_input *input, int rows, struct str *out)
{
    const struct view *view = input->view;
    const int hidden = view_hidden(view, input->facts);
    struct str more = {0};
    if (view->filter.len > 0)
        str_addf(out, "filter: %s   ", view->filter.text);
    if (view->only_needs_you)
        str_add(out, "needs-you only   ");
    if (out->len > 0)
        frame_say(input, "{back} shows all   ", out);
    if (hidden > 0) {
        str_addf(out, "%d passed tasks hidden", hidden);
        frame_say(input, " ({finished})   ", out);
    }
    frame_add_more_rows(view, view->top, rows, &more);
    str_add(out, str_text(&more));
    str_done(&more);
}

/* Draws the lines below the list: the latest manual act (in a replay, that acts are not possible),
 * and how the list is sorted and filtered. A box of one row shows only how the list is filtered and
 * how many tasks are hidden. */
static void frame_status(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    struct str text = {0};
    if (box->rows == 1) {
        const struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
        add_narrowed(input, layout.list.rows, &text);
        put_line(canvas, box, 0, &text);
        str_done(&text);
        return;
    }
    if (input->facts->replay)
        frame_say(input, "no actions here: {retry}, {cancel} and {hold} do nothing", &text);
    else
        add_last_act(input, &text);
    put_line(canvas, box, box->rows - 2, &text);
    str_clear(&text);
    add_filter(input, &text);
    put_line(canvas, box, box->rows - 1, &text);
    str_done(&text);
}

enum {
    /* Sizes at which the layout changes. */
    SMALL_COLUMNS = 40, /* narrower or lower: counts and one task */
    SMALL_ROWS = 6,
    STACK_COLUMNS = 60, /* list above preview */
    STACK_ROWS = 12,
    SHORT_COLUMNS = 80, /* narrower: the preview has three lines */
    SIDE_COLUMNS = 120, /* list beside preview, timeline and log below */
    SIDE_ROWS = 30,

    SHORT_ROWS = 3,
    PREVIEW_ROWS_MIN = 4,
    PREVIEW_ROWS_MAX = 9,   /* maximum height, unless the list leaves more rows */
    PREVIEW_ROWS_TALL = 13, /* height of the preview if the log has a pane of its own */
    SIDE_LIST_ROWS_MIN = 13,
    SIDE_PREVIEW_PERCENT = 37,
    STATUS_ROWS = 2,
    NOTED_ROWS_MIN = 4, /* a list with fewer rows does not show how many tasks it leaves out */
    TIMELINE_EDGES = 2, /* divider line and axis */
    LOG_ROWS_MIN = 5,

    /* Layout of a recording, with list, preview, log and records one below the other. */
    TOLD_ROWS_MIN = 13, /* minimum height, without headings and divider lines; the panes share
                           additional rows */
    TOLD_PREVIEW_ROWS = 3,
    TOLD_LOG_ROWS = 4,
    TOLD_EVENT_ROWS = 2,
    TOLD_RULES = 4, /* rows of headings and divider lines */
};

/* Reserves the bottom rows for footer, message and playback controls. Returns the rows between them
 * and the header. */
static struct frame_box take_bottom(struct frame_layout *out, int rows, int columns, bool replay)
{
    int last = rows - 1;
    out->edges.footer = last--;
    if (replay && rows >= STACK_ROWS)
        out->edges.scrubber = last--;
    if (replay)
        out->edges.transport = last--;
    if (rows >= STACK_ROWS && columns >= STACK_COLUMNS) {
        if (!replay) /* in a replay, messages replace the footer */
            out->edges.message = last--;
        out->edges.bottom_rule = last--;
    }
    return (struct frame_box){1, 0, last, columns};
}

static void lay_list(struct frame_layout *out, struct frame_box rest)
{
    if (rest.columns >= STACK_COLUMNS)
        out->heads = frame_take_row(&rest);
    out->list = rest;
    out->panes = VIEW_HAS_LIST;
}

static void lay_log(struct frame_layout *out, struct frame_box rest)
{
    out->log_rule = frame_take_row(&rest);
    out->log = rest;
    out->panes |= VIEW_HAS_LOG;
}

static void lay_preview(struct frame_layout *out, struct frame_box rest)
{
    out->preview_rule = frame_take_row(&rest);
    out->preview = rest;
}

static void lay_events(struct frame_layout *out, struct frame_box rest)
{
    (void)frame_take_row(&rest); /* divider line */
    out->events = rest;
    out->panes |= VIEW_HAS_EVENTS;
}

/* Stacks list, preview, log and records. Returns false if there is not enough room. */
static bool lay_stack_with_events(struct frame_layout *out, struct frame_box rest, int tasks)
{
    const int room = rest.rows - TOLD_RULES;
    if (room < TOLD_ROWS_MIN)
        return false;
    const int more = frame_most(room - TOLD_ROWS_MIN - 2, 0) / 4;
    const int preview = TOLD_PREVIEW_ROWS + more;
    const int log = TOLD_LOG_ROWS + more;
    const int events = TOLD_EVENT_ROWS + more;
    const int list = frame_least(room - preview - log - events, frame_most(tasks, 2));
    const int spare = room - preview - log - events - list; /* rows not needed by a short list */

    out->heads = frame_take_row(&rest);
    out->list = frame_take(&rest, list);
    lay_preview(out, frame_take(&rest, preview + 1));
    lay_log(out, frame_take(&rest, log + spare / 2 + 1));
    lay_events(out, frame_take(&rest, events + spare - spare / 2 + 1));
    out->panes |= VIEW_HAS_LIST | VIEW_HAS_PREVIEW;
    return true;
}

/* Returns the number of visible log lines, in the log's pane or in the preview. */
static int frame_log_lines(const struct frame_layout *layout)
{
    enum { LINES_ABOVE_THE_LOG = 4 }; /* in a preview that includes the log */
    if (layout->log.rows > 0)
        return layout->log.rows;
    int left = layout->preview.rows - LINES_ABOVE_THE_LOG;
    return left > 0 ? left : 0;
}

static void lay_stack(struct frame_layout *out, struct frame_box rest, int tasks)
{
    const bool is_short = rest.columns < SHORT_COLUMNS && rest.rows < SIDE_ROWS;
    int room = rest.rows - 2; /* headings, divider line */
    int wanted = frame_most(PREVIEW_ROWS_MIN, frame_least(PREVIEW_ROWS_MAX, room * 4 / 9));
    if (is_short)
        wanted = SHORT_ROWS;
    int preview = frame_least(frame_most(room - frame_most(tasks, 2), wanted), room - 1);
    int list = room - preview;

    out->heads = frame_take_row(&rest);
    out->list = frame_take(&rest, list);
    rest.rows = preview + 1;
    struct frame_box above = rest;
    if (preview > PREVIEW_ROWS_TALL + LOG_ROWS_MIN) {
        above = frame_take(&rest, PREVIEW_ROWS_TALL + 1);
        lay_log(out, rest);
        out->panes |= VIEW_HAS_PREVIEW;
    }
    lay_preview(out, above);
    out->panes |= VIEW_HAS_LIST;
    if (frame_log_lines(out) > 0)
        out->panes |= VIEW_HAS_LOG;
}

static void lay_timeline(struct frame_layout *out, struct frame_box rest)
{
    out->timeline_rule = frame_take_row(&rest);
    out->timeline = rest;
    out->panes |= VIEW_HAS_TIMELINE;
}

static void lay_side(struct frame_layout *out, struct frame_box rest, int tasks, bool has_events)
{
    const int preview_columns = rest.columns * SIDE_PREVIEW_PERCENT / 100;
    const int list_columns = rest.columns - preview_columns - 1;
    const int most_rows = frame_most(SIDE_LIST_ROWS_MIN, rest.rows * 2 / 5 - 1);
    const int above =
        frame_least(frame_most(tasks + STATUS_ROWS + 1, SIDE_LIST_ROWS_MIN), most_rows);
    const int below = rest.rows - 1 - above;
    const int timeline = frame_least(tasks + TIMELINE_EDGES, below / 2);
    const int list = above - STATUS_ROWS;

    out->heads = out->preview_rule = frame_take_row(&rest);
    out->divider = list_columns;
    struct frame_box left = frame_take(&rest, above);
    out->preview = (struct frame_box){left.row, list_columns + 1, above, preview_columns};
    left.columns = list_columns;
    out->list = frame_take(&left, list);
    out->status = left;
    out->panes = VIEW_HAS_LIST | VIEW_HAS_PREVIEW;
    if (has_events) {
        lay_log(out, frame_take(&rest, below / 2));
        lay_events(out, rest);
        return;
    }
    lay_timeline(out, frame_take(&rest, timeline));
    lay_log(out, rest);
}

static struct frame_layout no_layout(void)
{
    return (struct frame_layout){
        .edges = frame_edges_none(),
        .gate = -1,
        .heads = -1,
        .preview_rule = -1,
        .timeline_rule = -1,
        .log_rule = -1,
        .divider = -1,
    };
}

/* Lays out a single pane. */
static void lay_zoomed(struct frame_layout *out, struct frame_box rest, enum view_pane pane)
{
    const struct frame_layout whole = *out;
    *out = no_layout();
    out->panes = whole.panes;
    out->edges = whole.edges;
    out->gate = whole.gate;
    if (pane == VIEW_PANE_LOG)
        lay_log(out, rest);
    else if (pane == VIEW_PANE_PREVIEW)
        lay_preview(out, rest);
    else if (pane == VIEW_PANE_TIMELINE)
        lay_timeline(out, rest);
    else if (pane == VIEW_PANE_EVENTS)
        lay_events(out, rest);
    else
        lay_list(out, rest);
    out->panes = whole.panes;
}

struct frame_layout frame_layout(int rows, int columns, const struct frame_input *input)
{
    struct frame_layout out = no_layout();
    if (columns < SMALL_COLUMNS || rows < SMALL_ROWS) {
        out.small = true;
        out.panes = VIEW_HAS_LIST;
        return out;
    }
    const struct view *view = input->view;
    const int tasks = frame_most(input->facts->state->plan->task_count, view->row_count);
    const bool has_events = input->facts->replay != NULL; /* a recording: its records have a pane */
    struct frame_box rest = take_bottom(&out, rows, columns, has_events);
    if (frame_has_banner(input))
        out.edges.banner = frame_take_row(&rest);
    if (shown_has_gate(input->facts->state, input->facts->orphaned))
        out.gate = frame_take_row(&rest);
    if (columns >= SIDE_COLUMNS && rows >= SIDE_ROWS)
        lay_side(&out, rest, tasks, has_events);
    else if (columns < STACK_COLUMNS || rows < STACK_ROWS)
        lay_list(&out, rest);
    else if (!has_events || !lay_stack_with_events(&out, rest, tasks))
        lay_stack(&out, rest, tasks);
    if (view_is_zoomed(view) && (out.panes & (1u << view->pane)) != 0)
        lay_zoomed(&out, rest, view->pane);

    /* Use the list's last row to show what the list leaves out, unless that is shown elsewhere. */
    const bool is_cut = out.preview.rows == 0 && view->row_count > out.list.rows;
    const bool is_narrowed = view->row_count > 0 && (view->filter.len > 0 || view->only_needs_you ||
                                                     view_hidden(view, input->facts) > 0);
    if (out.status.rows == 0 && out.list.rows >= NOTED_ROWS_MIN && (is_cut || is_narrowed)) {
        out.list.rows--;
        out.status =
            (struct frame_box){out.list.row + out.list.rows, out.list.column, 1, out.list.columns};
    }
    return out;
}

enum {
    MARGIN = 4,
    WORDS_COLUMN = 20,
    NARROW_COLUMNS = 60, /* narrower: smaller margin and no labels */
};

/* Draws why there are no tasks, and what to do next. */
static void frame_no_tasks(struct canvas *canvas, const struct frame_box *box,
                           const struct frame_input *input)
{
    enum { TITLE, GAP, FROM_FILE, ONE, PAST, LOOKING, LINES };
    static const char *const labels[LINES] = {
        [FROM_FILE] = "from a file",
        [ONE] = "one command",
        [PAST] = "past runs",
        [LOOKING] = "just looking?",
    };
    const struct view_facts *facts = input->facts;
    struct str words[LINES] = {0};
    str_addf(&words[FROM_FILE], "devs run plan.json   (%s in this folder)",
             facts->has_plan ? "found" : "none found");
    str_add(&words[ONE], "devs exec -- COMMAND ...");
    str_add(&words[LOOKING], "devs init   writes a commented starter plan");

    int64_t end_ms = 0; /* latest end of any run */
    for (size_t i = 0; facts->runs && i < facts->runs->count; i++) {
        if (facts->runs->rows[i].ended_at_ms > end_ms)
            end_ms = facts->runs->rows[i].ended_at_ms;
    }
    frame_say(input, "{runs}  runs list: ", &words[PAST]);
    shown_count(facts->runs ? facts->runs->totals.runs : 0, "run", "runs", &words[PAST]);
    if (end_ms > 0) {
        char when[CLOCK_TEXT_MAX];
        str_addf(&words[PAST], ", the last one ended %s",
                 clock_short(end_ms, facts->clock.at_ms, when));
    }

    const char *title = input->is_session ? "No tasks yet: each agent call becomes a task."
                                          : "No tasks yet: they appear as an agent calls tools.";
    const bool is_narrow = box->columns < NARROW_COLUMNS;
    const int margin = is_narrow ? 1 : MARGIN;
    const int words_column = is_narrow ? margin : WORDS_COLUMN;
    const int first = box->rows > LINES ? box->row + 1 : box->row;
    for (int i = 0; i < LINES && first + i < box->row + box->rows; i++) {
        const int row = first + i;
        if (i == TITLE)
            (void)frame_put(canvas, (struct spot){row, MARGIN, box->columns - MARGIN}, STYLE_HEAD,
                            title);
        if (i <= GAP)
            continue;
        if (!is_narrow)
            (void)frame_put(canvas, (struct spot){row, margin, words_column - margin}, STYLE_LABEL,
                            labels[i]);
        (void)frame_put(canvas, (struct spot){row, words_column, box->columns - words_column},
                        STYLE_PLAIN, str_text(&words[i]));
    }
    for (int i = 0; i < LINES; i++)
        str_done(&words[i]);
}

enum {
    /* Width of the sign, the time with milliseconds, and the bookmark between blanks. */
    TIME_COLUMNS = 16,
    LATER_ROWS_MIN = 5, /* panes with fewer rows do not show later records */
    LATER_PERCENT = 40, /* share of the rows for later records */
    KEYS_COLUMNS = 70,  /* narrower: the divider line does not name keys */
};

static void draw_record(struct canvas *canvas, struct spot spot, const struct frame_input *input,
                        int index)
{
    const struct view_facts *facts = input->facts;
    const struct event_line *line = &facts->events->items[index];
    const int64_t at = facts->replay->at;
    if (line->seq == at)
        (void)frame_put(canvas, spot, STYLE_KEY, "▸");
    bool has_bookmark = false;
    for (size_t i = 0; i < facts->bookmark_count && !has_bookmark; i++)
        has_bookmark = facts->bookmarks[i].seq == line->seq;
    if (has_bookmark)
        (void)frame_put(canvas, (struct spot){spot.row, spot.column + TIME_COLUMNS - 2, 1},
                        STYLE_KEY, "m");

    char hms[CLOCK_TEXT_MAX];
    struct str time = {0};
    str_addf(&time, "%s.%03d", clock_hms(line->at.at_ms, hms), (int)(line->at.at_ms % 1000));
    (void)frame_put(canvas, (struct spot){spot.row, spot.column + 1, TIME_COLUMNS - 4}, STYLE_LABEL,
                    str_text(&time));
    str_done(&time);

    enum style style = STYLE_PLAIN;
    if (line->level == EVENT_LEVEL_ERROR)
        style = STYLE_FAILED;
    else if (line->seq > at || line->level == EVENT_LEVEL_DEBUG)
        style = STYLE_LABEL;
    (void)frame_put(canvas,
                    (struct spot){spot.row, spot.column + TIME_COLUMNS, spot.width - TIME_COLUMNS},
                    style, event_lines_text(facts->events, index));
    const struct canvas_zone zone = {
        .spot = spot, .rows = 1, .kind = ZONE_EVENT, .value = (uint32_t)line->seq};
    canvas_add_area(canvas, &zone);
}

/* Draws the records in the box, with a divider line above. The current record is placed so that
 * most rows show what led to it, and the rest shows later records. A click on a record moves
 * there. */
static void frame_events(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    const struct event_lines *lines = input->facts->events;
    const struct spot rule = {box->row - 1, box->column, box->columns};
    frame_rule_say(canvas, rule, "events",
                   box->columns >= KEYS_COLUMNS
                       ? "{error-next} {error-back} failure  {to-try-back} {to-try-next} try"
                         "  {bookmark} bookmark  {later} later"
                       : "",
                   input);
    frame_pane_mark(canvas, (struct spot){rule.row, rule.column, 1}, input->view, VIEW_PANE_EVENTS);
    frame_pane_zone(canvas, box, VIEW_PANE_EVENTS);
    if (!lines)
        return;
    if (lines->trouble.code != ERR_NONE) {
        (void)frame_put(canvas, (struct spot){box->row, box->column + 1, box->columns - 1},
                        STYLE_FAILED, lines->trouble.message);
        return;
    }
    const int later = box->rows >= LATER_ROWS_MIN ? box->rows * LATER_PERCENT / 100 : 0;
    const int here = event_lines_find(lines, input->facts->replay->at);
    int first = here - (box->rows - 1 - later);
    first = first < 0 ? 0 : first;
    for (int row = 0; row < box->rows && first + row < (int)lines->count; row++)
        draw_record(canvas, (struct spot){box->row + row, box->column, box->columns}, input,
                    first + row);
}

/* Draws "T-104 checkout: tax rounding" or "3 tasks, one fault", with a note. */
static void draw_preview_rule(struct canvas *canvas, const struct frame_layout *layout,
                              const struct frame_input *input)
{
    const struct frame_box *box = &layout->preview;
    const int task = input->view->chosen;
    const struct view_fold *fold = view_chosen_fold(input->view);
    struct str title = {0};
    struct str note = {0};
    if (fold) {
        str_addf(&title, "%d tasks, one fault", fold->fault.count);
    } else if (task >= 0) {
        const struct plan_task *plan = &input->facts->state->plan->tasks[task];
        str_add(&title, plan->id);
        if (strcmp(plan->id, plan->title) != 0)
            str_addf(&title, " %s", plan->title);
        shown_try_of(input->facts->state, task, &note);
    }
    if (layout->divider >= 0) {
        /* Beside the list, the title is in the row of the headings, with a line below it. */
        const struct spot spot = {layout->preview_rule, box->column + 1, box->columns - 2};
        const int end = frame_put_right(canvas, spot, STYLE_RULE, str_text(&note));
        (void)frame_put(canvas, (struct spot){spot.row, spot.column, end - spot.column - 1},
                        STYLE_HEAD, str_text(&title));
        canvas_rule(canvas, box->row, box->column + 1, box->columns - 1);
    } else {
        /* Shows how many rows of the list above do not fit, unless the last row of the list shows
         * it. */
        struct str more = {0};
        if (layout->list.rows > 0 && layout->status.rows == 0)
            frame_add_more_rows(input->view, input->view->top, layout->list.rows, &more);
        if (more.len > 0 && note.len > 0)
            str_add(&more, "   ");
        str_add(&more, str_text(&note));
        frame_rule(canvas, (struct spot){layout->preview_rule, box->column, box->columns},
                   str_text(&title), str_text(&more));
        str_done(&more);
    }
    str_done(&title);
    str_done(&note);
}

static void draw_log_rule(struct canvas *canvas, const struct frame_layout *layout,
                          const struct frame_input *input)
{
    const struct view *view = input->view;
    struct str title = {0};
    str_add(&title, "log");
    if (view->chosen >= 0)
        str_addf(&title, "  %s", input->facts->state->plan->tasks[view->chosen].id);
    if (frame_log_is_of_other_step(input))
        str_addf(&title, " step %d %s", input->facts->log->key.step + 1, frame_log_phase(input));
    if (input->facts->log->key.attempt > 0)
        str_addf(&title, " try %d", input->facts->log->key.attempt);
    if (view->log_back > 0)
        str_addf(&title, "  %zu lines up", view->log_back);
    else
        str_add(&title, !input->facts->replay ? "  follows"
                        : view->shows_later   ? "  all lines"
                                              : "  up to here");
    frame_rule_say(canvas, (struct spot){layout->log_rule, 0, canvas->columns}, str_text(&title),
                   frame_log_note(view), input);
    str_done(&title);
}

static void draw_preview(struct canvas *canvas, const struct frame_layout *layout,
                         const struct frame_input *input)
{
    enum frame_preview_kind kind = FRAME_PREVIEW_WITH_LOG;
    struct frame_box box = layout->preview;
    if (layout->divider >= 0) { /* below the divider line */
        box.row++;
        box.rows--;
    }
    if (view_is_zoomed(input->view))
        kind = FRAME_PREVIEW_ROOMY;
    else if (box.rows <= FRAME_PREVIEW_SHORT_ROWS)
        kind = FRAME_PREVIEW_SHORT;
    else if (layout->log.rows > 0)
        kind = FRAME_PREVIEW_ROOMY;
    draw_preview_rule(canvas, layout, input);
    frame_pane_zone(canvas, &box, VIEW_PANE_PREVIEW);
    frame_preview(canvas, &box, kind, input);
    frame_pane_mark(canvas, (struct spot){layout->preview_rule, layout->preview.column, 1},
                    input->view,
                    kind == FRAME_PREVIEW_WITH_LOG ? VIEW_PANE_LOG : VIEW_PANE_PREVIEW);
}

void frame_tasks(struct canvas *canvas, const struct frame_input *input)
{
    const struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
    if (layout.small) {
        frame_small(canvas, input);
        return;
    }
    frame_header(canvas, input);
    if (layout.gate >= 0)
        frame_gate(canvas, layout.gate, input);
    frame_draw_edges(canvas, &layout.edges, input);
    frame_footer(canvas, layout.edges.footer, input);
    if (layout.list.rows > 0) {
        if (input->facts->state->plan->task_count == 0)
            frame_no_tasks(canvas, &layout.list, input);
        else
            frame_list(canvas, layout.heads, &layout.list, input);
        if (layout.divider >= 0)
            canvas_upright(canvas, layout.heads, layout.divider,
                           layout.preview.row + layout.preview.rows - layout.heads);
        if (layout.status.rows > 0)
            frame_status(canvas, &layout.status, input);
    }
    if (layout.preview.rows > 0)
        draw_preview(canvas, &layout, input);
    if (layout.timeline.rows > 0) {
        frame_timeline_rule(canvas, (struct spot){layout.timeline_rule, 0, canvas->columns}, input);
        frame_pane_mark(canvas, (struct spot){layout.timeline_rule, 0, 1}, input->view,
                        VIEW_PANE_TIMELINE);
        frame_pane_zone(canvas, &layout.timeline, VIEW_PANE_TIMELINE);
        frame_timeline_pane(canvas, &layout.timeline, input);
    }
    if (layout.log.rows > 0) {
        draw_log_rule(canvas, &layout, input);
        frame_pane_mark(canvas, (struct spot){layout.log_rule, 0, 1}, input->view, VIEW_PANE_LOG);
        frame_log(canvas, &layout.log, FRAME_LOG_WITH_TIMES, input);
    }
    if (layout.events.rows > 0)
        frame_events(canvas, &layout.events, input);
}

void frame_tasks_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    const struct frame_layout layout = frame_layout(rows, columns, input);
    const int list_rows = view_screen(view) == SCREEN_TASKS ? layout.list.rows : 0;
    view_fit(view, list_rows, frame_log_lines(&layout), layout.panes);
    const int rows_all =
        view->pane == VIEW_PANE_PREVIEW ? frame_preview_rows(layout.preview.columns, input) : 0;
    view_preview_fit(view, rows_all, layout.preview.rows - (layout.divider >= 0 ? 1 : 0));
}
