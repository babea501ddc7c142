#include "frame.h"

#include <assert.h>
#include <string.h>

#include "clock.h"
#include "frame_forensics.h"
#include "frame_parts.h"
#include "text.h"

enum {
    /* Sizes at which the layout changes. */
    SMALL_COLUMNS = 40, /* narrower or lower: counts and one task */
    SMALL_ROWS = 6,
    STACK_COLUMNS = 60, /* list over preview */
    STACK_ROWS = 12,
    SHORT_COLUMNS = 80, /* the preview has three lines below this */
    SIDE_COLUMNS = 120, /* list beside preview, log below */
    SIDE_ROWS = 30,
    ROOMY_ROWS = 16, /* a task opened alone has a log of its own from here */

    SHORT_PREVIEW_ROWS = 3,
    PREVIEW_ROWS_MIN = 4,
    PREVIEW_ROWS_MAX = 9, /* unless the list leaves more */
    SIDE_LIST_ROWS_MIN = 13,
    SIDE_LOG_ROWS_MIN = 8,
    SIDE_PREVIEW_PERCENT = 37,
};

static const enum style styles[] = {
    [SHOWN_NEEDS_YOU] = STYLE_NEEDS_YOU, [SHOWN_BACKOFF] = STYLE_BACKOFF,
    [SHOWN_RUNNING] = STYLE_RUNNING,     [SHOWN_QUIET] = STYLE_QUIET,
    [SHOWN_QUEUED] = STYLE_PLAIN,        [SHOWN_HELD] = STYLE_HELD,
    [SHOWN_PASSED] = STYLE_PASSED,       [SHOWN_GAVE_UP] = STYLE_FAILED,
    [SHOWN_CANCELLED] = STYLE_PLAIN,     [SHOWN_STUCK] = STYLE_FAILED,
    [SHOWN_BLOCKED] = STYLE_PLAIN,       [SHOWN_LOST] = STYLE_FAILED,
};
static_assert(ARRAY_LEN(styles) == SHOWN_COUNT, "every shown state has a style");

enum style frame_style(enum shown shown)
{
    assert(shown < SHOWN_COUNT);
    return styles[shown];
}

struct moment frame_now(const struct frame_input *input)
{
    const struct view_facts *facts = input->facts;
    if (facts->mode == VIEW_ENDED)
        return facts->state->ended_at;
    return facts->mode == VIEW_INTERRUPTED ? facts->state->heard : facts->now;
}

struct shown_time frame_time(const struct frame_input *input)
{
    return (struct shown_time){.now = frame_now(input), .clock = clock_short, .hms = clock_hms};
}

int frame_put(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    if (spot.width <= 0)
        return spot.column;
    return spot.column + canvas_text(canvas, spot, style, text);
}

int frame_put_right(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    int width = text_width(text, strlen(text));
    if (width > spot.width)
        return spot.column + spot.width;
    int at = spot.column + spot.width - width;
    (void)canvas_text(canvas, (struct spot){spot.row, at, width}, style, text);
    return at;
}

void frame_rule(struct canvas *canvas, struct spot spot, const char *title, const char *note)
{
    canvas_rule(canvas, spot.row, spot.column, spot.width);
    int note_width = *note != '\0' ? text_width(note, strlen(note)) : 0;
    bool has_note = note_width > 0 && note_width + 16 < spot.width;
    int room = spot.width - 4 - (has_note ? note_width + 4 : 0);
    if (*title != '\0' && room > 0) {
        struct str text = {0};
        str_addf(&text, " %s", title);
        int end = frame_put(canvas, (struct spot){spot.row, spot.column + 2, room}, STYLE_HEAD,
                            str_text(&text));
        (void)frame_put(canvas, (struct spot){spot.row, end, 1}, STYLE_HEAD, " ");
        str_done(&text);
    }
    if (has_note) {
        struct str text = {0};
        str_addf(&text, " %s ", note);
        (void)frame_put_right(canvas, (struct spot){spot.row, spot.column, spot.width - 1},
                              STYLE_RULE, str_text(&text));
        str_done(&text);
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* The rows that are left between the top and what is at the bottom. */
struct rest {
    int top, rows, columns;
};

/* Take the rows at the bottom: footer, message, transport. */
static struct rest take_bottom(struct frame_layout *out, int rows, int columns, bool replay)
{
    int last = rows - 1;
    out->footer = last--;
    if (replay && rows >= STACK_ROWS)
        out->scrubber = last--;
    if (replay)
        out->transport = last--;
    if (rows >= STACK_ROWS && columns >= STACK_COLUMNS) {
        out->message = last--;
        out->bottom_rule = last--;
    }
    return (struct rest){.top = 1, .rows = last, .columns = columns};
}

static void lay_list(struct frame_layout *out, struct rest rest)
{
    if (rest.columns >= STACK_COLUMNS) {
        out->heads = rest.top++;
        rest.rows--;
    }
    out->list = (struct frame_box){rest.top, 0, rest.rows, rest.columns};
}

static void lay_stack(struct frame_layout *out, struct rest rest, int tasks)
{
    int room = rest.rows - 2; /* the heads, the rule */
    int wanted = most(PREVIEW_ROWS_MIN, least(PREVIEW_ROWS_MAX, room * 4 / 9));
    if (rest.columns < SHORT_COLUMNS && rest.rows < SIDE_ROWS)
        wanted = SHORT_PREVIEW_ROWS;
    int preview = most(room - most(tasks, 2), wanted);
    int list = room - preview;

    out->heads = rest.top;
    out->list = (struct frame_box){rest.top + 1, 0, list, rest.columns};
    out->preview_rule = rest.top + 1 + list;
    out->preview = (struct frame_box){out->preview_rule + 1, 0, preview, rest.columns};
}

static void lay_side(struct frame_layout *out, struct rest rest, int tasks)
{
    int preview_columns = rest.columns * SIDE_PREVIEW_PERCENT / 100;
    int list_columns = rest.columns - preview_columns - 1;
    int room = rest.rows - 2; /* the heads, the log's rule */
    int list = least(most(tasks, SIDE_LIST_ROWS_MIN), room - SIDE_LOG_ROWS_MIN);
    list = least(list, most(SIDE_LIST_ROWS_MIN, room * 3 / 5));

    out->heads = rest.top;
    out->list = (struct frame_box){rest.top + 1, 0, list, list_columns};
    out->divider = list_columns;
    out->preview_rule = rest.top;
    out->preview = (struct frame_box){rest.top + 1, list_columns + 1, list, preview_columns};
    out->log_rule = rest.top + 1 + list;
    out->log = (struct frame_box){out->log_rule + 1, 0, room - list, rest.columns};
}

/* The chosen task alone. */
static void lay_open(struct frame_layout *out, struct rest rest)
{
    out->preview_rule = rest.top;
    int room = rest.rows - 1;
    if (rest.rows < ROOMY_ROWS) {
        out->preview = (struct frame_box){rest.top + 1, 0, room, rest.columns};
        return;
    }
    int preview = room / 2 - 1;
    out->preview = (struct frame_box){rest.top + 1, 0, preview, rest.columns};
    out->log_rule = rest.top + 1 + preview;
    out->log = (struct frame_box){out->log_rule + 1, 0, room - preview - 1, rest.columns};
}

struct frame_layout frame_layout(int rows, int columns, const struct frame_input *input)
{
    struct frame_layout out = {
        .banner = -1,
        .gate = -1,
        .heads = -1,
        .preview_rule = -1,
        .log_rule = -1,
        .bottom_rule = -1,
        .divider = -1,
        .message = -1,
        .transport = -1,
        .scrubber = -1,
        .footer = -1,
    };
    if (columns < SMALL_COLUMNS || rows < SMALL_ROWS) {
        out.small = true;
        return out;
    }
    int tasks = most(input->facts->state->plan->task_count, input->view->row_count);
    struct rest rest = take_bottom(&out, rows, columns, input->replay != NULL);
    if (frame_has_banner(input)) {
        out.banner = rest.top++;
        rest.rows--;
    }
    if (shown_has_gate(input->facts->state)) {
        out.gate = rest.top++;
        rest.rows--;
    }
    if (view_screen(input->view) == SCREEN_DETAIL && input->view->chosen >= 0)
        lay_open(&out, rest);
    else if (columns >= SIDE_COLUMNS && rows >= SIDE_ROWS)
        lay_side(&out, rest, tasks);
    else if (columns >= STACK_COLUMNS && rows >= STACK_ROWS)
        lay_stack(&out, rest, tasks);
    else
        lay_list(&out, rest);
    return out;
}

int frame_list_rows(const struct frame_layout *layout)
{
    return layout->list.rows;
}

int frame_log_lines(const struct frame_layout *layout)
{
    enum { LINES_ABOVE_THE_LOG = 4 }; /* in a preview that holds the log too */
    if (layout->log.rows > 0)
        return layout->log.rows;
    int left = layout->preview.rows - LINES_ABOVE_THE_LOG;
    return left > 0 ? left : 0;
}

static void draw_preview_rule(struct canvas *canvas, const struct frame_layout *layout,
                              const struct frame_input *input)
{
    int task = input->view->chosen;
    if (layout->preview_rule < 0)
        return;
    const struct run_state *state = input->facts->state;
    struct spot spot = {layout->preview_rule, layout->preview.column, layout->preview.columns};
    struct str title = {0};
    struct str note = {0};
    const struct view_fold *fold = view_chosen_fold(input->view);
    if (fold) {
        str_addf(&title, "%d tasks, one fault", fold->fault.count);
    } else if (task >= 0) {
        const struct plan_task *plan = &state->plan->tasks[task];
        bool has_title = strcmp(plan->id, plan->title) != 0;
        str_addf(&title, "%s%s%s", plan->id, has_title ? " " : "", has_title ? plan->title : "");
        shown_try_of(state, task, &note);
    }
    frame_rule(canvas, spot, str_text(&title), str_text(&note));
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
        str_add(&title, input->replay ? "  up to here" : "  follows");
    bool mine = view->pane == VIEW_PANE_LOG;
    frame_rule(canvas, (struct spot){layout->log_rule, 0, canvas->columns}, str_text(&title),
               mine ? "j k scroll  F follow  / search" : "Tab takes the keys here");
    str_done(&title);
}

static void draw_divider(struct canvas *canvas, const struct frame_layout *layout)
{
    for (int row = layout->heads; row <= layout->heads + layout->list.rows; row++)
        (void)canvas_text(canvas, (struct spot){row, layout->divider, 1}, STYLE_RULE,
                          canvas->ascii ? "|" : "│");
}

static void draw_preview(struct canvas *canvas, const struct frame_layout *layout,
                         const struct frame_input *input)
{
    enum frame_preview_kind kind = FRAME_PREVIEW_WITH_LOG;
    if (layout->log.rows > 0)
        kind = FRAME_PREVIEW_ROOMY;
    else if (layout->preview.rows <= SHORT_PREVIEW_ROWS)
        kind = FRAME_PREVIEW_SHORT;
    draw_preview_rule(canvas, layout, input);
    frame_preview(canvas, &layout->preview, kind, input);
}

/* Prompts and lines being typed lie over the bottom rows, the help over all. */
static void draw_over(struct canvas *canvas, const struct frame_input *input)
{
    const struct view *view = input->view;
    if (view->filter.open)
        line_edit_draw(&view->filter, canvas, canvas->rows - 1, "filter: ");
    else if (view->search.open)
        line_edit_draw(&view->search, canvas, canvas->rows - 1, "find: ");
    if (view->prompt.kind != PROMPT_NONE)
        prompt_draw(&view->prompt, canvas);
    correct_draw(&view->correct, canvas);
    if (view->help.open) {
        bool chosen = view->chosen >= 0;
        help_draw(&view->help, canvas, screen_name(view_screen(view)),
                  chosen ? input->facts->state->plan->tasks[view->chosen].id : "");
    }
}

/* The screens beside the tasks. */
typedef void frame_screen_fn(struct canvas *canvas, const struct frame_input *input);
static frame_screen_fn *const drawers[SCREEN_COUNT] = {
    [SCREEN_FORENSICS] = frame_forensics,
};

void frame_draw(struct canvas *canvas, const struct frame_input *input)
{
    struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
    canvas_clear(canvas);
    frame_screen_fn *draw = drawers[view_screen(input->view)];
    if (draw) {
        draw(canvas, input);
    } else if (layout.small) {
        frame_small(canvas, input);
    } else {
        frame_header(canvas, input);
        if (layout.banner >= 0)
            frame_banner(canvas, layout.banner, input);
        if (layout.gate >= 0)
            frame_gate(canvas, layout.gate, input);
        if (layout.list.rows > 0)
            frame_list(canvas, layout.heads, &layout.list, input);
        if (layout.divider >= 0)
            draw_divider(canvas, &layout);
        if (layout.preview.rows > 0)
            draw_preview(canvas, &layout, input);
        if (layout.log.rows > 0) {
            draw_log_rule(canvas, &layout, input);
            frame_log(canvas, &layout.log, FRAME_LOG_WITH_TIMES, input);
        }
        if (layout.bottom_rule >= 0)
            canvas_rule(canvas, layout.bottom_rule, 0, canvas->columns);
        if (layout.message >= 0)
            frame_message(canvas, layout.message, input);
        if (layout.transport >= 0)
            frame_transport(canvas, layout.transport, input->replay);
        if (layout.scrubber >= 0)
            frame_scrubber(canvas, layout.scrubber, input->replay);
        frame_footer(canvas, layout.footer, input);
    }
    draw_over(canvas, input);
}
