/* frame_layout.c - where the parts of the Tasks screen are, by its size. */
#include "frame_parts.h"
#include "frame_rest.h"

enum {
    /* Sizes at which the layout changes. */
    SMALL_COLUMNS = 40, /* narrower or lower: counts and one task */
    SMALL_ROWS = 6,
    STACK_COLUMNS = 60, /* list over preview */
    STACK_ROWS = 12,
    SHORT_COLUMNS = 80, /* the preview has three lines below this */
    SIDE_COLUMNS = 120, /* list beside preview, timeline and log below */
    SIDE_ROWS = 30,

    SHORT_ROWS = 3,
    PREVIEW_ROWS_MIN = 4,
    PREVIEW_ROWS_MAX = 9,   /* unless the list leaves more */
    PREVIEW_ROWS_TALL = 13, /* from here on the log has a place of its own */
    SIDE_LIST_ROWS_MIN = 13,
    SIDE_PREVIEW_PERCENT = 37,
    STATUS_ROWS = 2,
    NOTED_ROWS_MIN = 4, /* a lower list has no row to say what it leaves out */
    TIMELINE_EDGES = 2, /* its rule, and the axis */
    LOG_ROWS_MIN = 5,

    /* Of a recording, list over preview; each row more than these is shared. */
    TOLD_ROWS_MIN = 13, /* in all, without the heads and the rules */
    TOLD_PREVIEW_ROWS = 3,
    TOLD_LOG_ROWS = 4,
    TOLD_EVENT_ROWS = 2,
    TOLD_RULES = 4, /* the heads are one of them */
};

/* What panes are laid by, beside the rest. */
struct subject {
    int rows;     /* of the screen */
    int tasks;    /* to be listed */
    bool is_told; /* it is a recording, whose records have a pane */
};

/* Take the rows at the bottom: footer, message, transport. */
static struct frame_box take_bottom(struct frame_layout *out, int rows, int columns, bool replay)
{
    int last = rows - 1;
    out->edges.footer = last--;
    if (replay && rows >= STACK_ROWS)
        out->edges.scrubber = last--;
    if (replay)
        out->edges.transport = last--;
    if (rows >= STACK_ROWS && columns >= STACK_COLUMNS) {
        if (!replay) /* there what is to be said takes the footer's place */
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
    (void)frame_take_row(&rest); /* its rule */
    out->events = rest;
    out->panes |= VIEW_HAS_EVENTS;
}

/* List, preview, log and records over each other. False: there is no room for so much. */
static bool lay_told_stack(struct frame_layout *out, struct frame_box rest, int tasks)
{
    const int room = rest.rows - TOLD_RULES;
    if (room < TOLD_ROWS_MIN)
        return false;
    const int more = frame_most(room - TOLD_ROWS_MIN - 2, 0) / 4;
    const int preview = TOLD_PREVIEW_ROWS + more;
    const int log = TOLD_LOG_ROWS + more;
    const int events = TOLD_EVENT_ROWS + more;
    const int list = frame_least(room - preview - log - events, frame_most(tasks, 2));
    const int spare = room - preview - log - events - list; /* of a short list */

    out->heads = frame_take_row(&rest);
    out->list = frame_take(&rest, list);
    lay_preview(out, frame_take(&rest, preview + 1));
    lay_log(out, frame_take(&rest, log + spare / 2 + 1));
    lay_events(out, frame_take(&rest, events + spare - spare / 2 + 1));
    out->panes |= VIEW_HAS_LIST | VIEW_HAS_PREVIEW;
    return true;
}

static void lay_stack(struct frame_layout *out, struct frame_box rest, int tasks)
{
    const bool is_short = rest.columns < SHORT_COLUMNS && rest.rows < SIDE_ROWS;
    int room = rest.rows - 2; /* the heads, the rule */
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

static void lay_side(struct frame_layout *out, struct frame_box rest, const struct subject *subject)
{
    const int preview_columns = rest.columns * SIDE_PREVIEW_PERCENT / 100;
    const int list_columns = rest.columns - preview_columns - 1;
    const int most_rows = frame_most(SIDE_LIST_ROWS_MIN, rest.rows * 2 / 5 - 1);
    const int above =
        frame_least(frame_most(subject->tasks + STATUS_ROWS + 1, SIDE_LIST_ROWS_MIN), most_rows);
    const int below = rest.rows - 1 - above;
    const int timeline = frame_least(subject->tasks + TIMELINE_EDGES, below / 2);
    const int list = above - STATUS_ROWS;

    out->heads = out->preview_rule = frame_take_row(&rest);
    out->divider = list_columns;
    struct frame_box left = frame_take(&rest, above);
    out->preview = (struct frame_box){left.row, list_columns + 1, above, preview_columns};
    left.columns = list_columns;
    out->list = frame_take(&left, list);
    out->status = left;
    out->panes = VIEW_HAS_LIST | VIEW_HAS_PREVIEW;
    if (subject->is_told) {
        lay_log(out, frame_take(&rest, below / 2));
        lay_events(out, rest);
        return;
    }
    lay_timeline(out, frame_take(&rest, timeline));
    lay_log(out, rest);
}

/* Its last row says what the list leaves out, where that is not to be seen. */
static void lay_note(struct frame_layout *out, const struct frame_input *input)
{
    const bool is_cut = out->preview.rows == 0 && input->view->row_count > out->list.rows;
    if (out->status.rows > 0 || out->list.rows < NOTED_ROWS_MIN)
        return;
    if (!is_cut && !frame_list_is_narrowed(input))
        return;
    out->list.rows--;
    out->status =
        (struct frame_box){out->list.row + out->list.rows, out->list.column, 1, out->list.columns};
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

/* One pane alone. */
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

static void lay_panes(struct frame_layout *out, struct frame_box rest,
                      const struct subject *subject)
{
    if (rest.columns >= SIDE_COLUMNS && subject->rows >= SIDE_ROWS)
        lay_side(out, rest, subject);
    else if (rest.columns < STACK_COLUMNS || subject->rows < STACK_ROWS)
        lay_list(out, rest);
    else if (!subject->is_told || !lay_told_stack(out, rest, subject->tasks))
        lay_stack(out, rest, subject->tasks);
}

struct frame_layout frame_layout(int rows, int columns, const struct frame_input *input)
{
    struct frame_layout out = no_layout();
    if (columns < SMALL_COLUMNS || rows < SMALL_ROWS) {
        out.small = true;
        out.panes = VIEW_HAS_LIST;
        return out;
    }
    const struct subject subject = {
        .rows = rows,
        .tasks = frame_most(input->facts->state->plan->task_count, input->view->row_count),
        .is_told = input->facts->replay != NULL,
    };
    struct frame_box rest = take_bottom(&out, rows, columns, subject.is_told);
    if (frame_has_banner(input))
        out.edges.banner = frame_take_row(&rest);
    if (shown_has_gate(input->facts->state))
        out.gate = frame_take_row(&rest);
    lay_panes(&out, rest, &subject);
    const enum view_pane pane = input->view->pane;
    if (view_is_zoomed(input->view) && (out.panes & (1u << pane)) != 0)
        lay_zoomed(&out, rest, pane);
    lay_note(&out, input);
    return out;
}

int frame_log_lines(const struct frame_layout *layout)
{
    enum { LINES_ABOVE_THE_LOG = 4 }; /* in a preview that holds the log too */
    if (layout->log.rows > 0)
        return layout->log.rows;
    int left = layout->preview.rows - LINES_ABOVE_THE_LOG;
    return left > 0 ? left : 0;
}
