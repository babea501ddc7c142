#include "frame.h"

#include <assert.h>
#include <string.h>

#include "clock.h"
#include "frame_detail.h"
#include "frame_empty.h"
#include "frame_events.h"
#include "frame_forensics.h"
#include "frame_pager.h"
#include "frame_parts.h"
#include "frame_report.h"
#include "frame_runs.h"
#include "frame_timeline.h"
#include "text.h"
#include "view_acts.h"

enum {
    GO_TO_COLUMNS = 60, /* narrower: what may be typed is not said */
    SCREEN_COLUMNS = 6, /* narrower: what needs a person is all that is shown, on every screen */
};

static const enum style styles[] = {
    [SHOWN_NEEDS_YOU] = STYLE_NEEDS_YOU, [SHOWN_BACKOFF] = STYLE_BACKOFF,
    [SHOWN_RUNNING] = STYLE_RUNNING,     [SHOWN_QUIET] = STYLE_QUIET,
    [SHOWN_QUEUED] = STYLE_PLAIN,        [SHOWN_HELD] = STYLE_HELD,
    [SHOWN_PASSED] = STYLE_PASSED,       [SHOWN_GAVE_UP] = STYLE_FAILED,
    [SHOWN_CANCELLED] = STYLE_PLAIN,     [SHOWN_STUCK] = STYLE_FAILED,
    [SHOWN_BLOCKED] = STYLE_PLAIN,       [SHOWN_LOST] = STYLE_LOST,
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
    return (struct shown_time){.now = frame_now(input),
                               .clock = clock_short,
                               .hms = clock_hms,
                               .times = input->view->times};
}

void frame_say(const struct frame_input *input, const char *words, struct str *out)
{
    keymap_say(input->view->keys, words, out);
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

void frame_pane_zone(struct canvas *canvas, const struct frame_box *box, uint32_t pane)
{
    const struct canvas_zone zone = {.spot = {box->row, box->column, box->columns},
                                     .rows = box->rows,
                                     .kind = ZONE_PANE,
                                     .value = pane};
    canvas_add_area(canvas, &zone);
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

/* "T-104 checkout: tax rounding", "3 tasks, one fault". */
static void add_title(const struct frame_input *input, struct str *title, struct str *note)
{
    const int task = input->view->chosen;
    const struct view_fold *fold = view_chosen_fold(input->view);
    if (fold) {
        str_addf(title, "%d tasks, one fault", fold->fault.count);
        return;
    }
    if (task < 0)
        return;
    const struct plan_task *plan = &input->facts->state->plan->tasks[task];
    const bool has_title = strcmp(plan->id, plan->title) != 0;
    str_addf(title, "%s%s%s", plan->id, has_title ? " " : "", has_title ? plan->title : "");
    shown_try_of(input->facts->state, task, note);
}

/* Beside the list the title stands in the row of the heads, and a line below it. */
static void draw_title_beside(struct canvas *canvas, const struct frame_layout *layout,
                              const char *title, const char *note)
{
    const struct frame_box *box = &layout->preview;
    const struct spot spot = {layout->preview_rule, box->column + 1, box->columns - 2};
    const int end = frame_put_right(canvas, spot, STYLE_RULE, note);
    (void)frame_put(canvas, (struct spot){spot.row, spot.column, end - spot.column - 1}, STYLE_HEAD,
                    title);
    canvas_rule(canvas, box->row, box->column + 1, box->columns - 1);
}

/* Which rows of the list above there is no room for, unless the list says it itself. */
static void add_more_rows(const struct frame_layout *layout, const struct frame_input *input,
                          struct str *note)
{
    struct str more = {0};
    if (layout->list.rows > 0 && layout->status.rows == 0)
        frame_add_more_rows(input->view, input->view->top, layout->list.rows, &more);
    if (more.len > 0 && note->len > 0)
        str_add(&more, "   ");
    str_add(&more, str_text(note));
    str_clear(note);
    str_add(note, str_text(&more));
    str_done(&more);
}

static void draw_preview_rule(struct canvas *canvas, const struct frame_layout *layout,
                              const struct frame_input *input)
{
    struct str title = {0};
    struct str note = {0};
    add_title(input, &title, &note);
    if (layout->divider >= 0) {
        draw_title_beside(canvas, layout, str_text(&title), str_text(&note));
    } else {
        add_more_rows(layout, input, &note);
        frame_rule(
            canvas,
            (struct spot){layout->preview_rule, layout->preview.column, layout->preview.columns},
            str_text(&title), str_text(&note));
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
        str_add(&title, !input->replay      ? "  follows"
                        : view->shows_later ? "  all of it"
                                            : "  up to here");
    frame_rule(canvas, (struct spot){layout->log_rule, 0, canvas->columns}, str_text(&title),
               frame_log_note(view));
    str_done(&title);
}

static void draw_divider(struct canvas *canvas, const struct frame_layout *layout)
{
    const int end = layout->preview.row + layout->preview.rows;
    canvas_upright(canvas, layout->heads, layout->divider, end - layout->heads);
}

void frame_pane_mark(struct canvas *canvas, struct spot spot, const struct view *view,
                     enum view_pane pane)
{
    if (view->pane == pane && pane != VIEW_PANE_LIST && spot.row >= 0)
        (void)canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_KEY, "▸");
}

static void draw_preview(struct canvas *canvas, const struct frame_layout *layout,
                         const struct frame_input *input)
{
    enum frame_preview_kind kind = FRAME_PREVIEW_WITH_LOG;
    struct frame_box box = layout->preview;
    if (layout->divider >= 0) { /* below the line */
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

static void draw_list(struct canvas *canvas, const struct frame_layout *layout,
                      const struct frame_input *input)
{
    if (input->facts->state->plan->task_count == 0)
        frame_no_tasks(canvas, &layout->list, input);
    else
        frame_list(canvas, layout->heads, &layout->list, input);
    if (layout->divider >= 0)
        draw_divider(canvas, layout);
    if (layout->status.rows > 0)
        frame_status(canvas, &layout->status, input);
}

static void draw_edges(struct canvas *canvas, const struct frame_layout *layout,
                       const struct frame_input *input)
{
    frame_header(canvas, input);
    if (layout->gate >= 0)
        frame_gate(canvas, layout->gate, input);
    frame_draw_edges(canvas, &layout->edges, input);
    frame_footer(canvas, layout->edges.footer, input);
}

static void draw_tasks(struct canvas *canvas, const struct frame_input *input)
{
    const struct frame_layout layout = frame_layout(canvas->rows, canvas->columns, input);
    if (layout.small) {
        frame_small(canvas, input);
        return;
    }
    draw_edges(canvas, &layout, input);
    if (layout.list.rows > 0)
        draw_list(canvas, &layout, input);
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

/* With what cannot be done now, and why. */
static void draw_help(struct canvas *canvas, const struct frame_input *input)
{
    const struct view *view = input->view;
    struct str why[UI_ACT_COUNT] = {{0}};
    const char *refusals[UI_ACT_COUNT];
    for (enum act act = UI_NONE; act < UI_ACT_COUNT; act++)
        refusals[act] =
            view_refusal(view, input->facts, act, &why[act]) ? str_text(&why[act]) : NULL;
    const struct help_about about = {
        .screen = screen_name(view_screen(view)),
        .target = view->chosen >= 0 ? input->facts->state->plan->tasks[view->chosen].id : "",
        .refusals = refusals,
    };
    help_draw(&view->help, canvas, &about);
    for (enum act act = UI_NONE; act < UI_ACT_COUNT; act++)
        str_done(&why[act]);
}

/* Prompts and lines being typed lie over the bottom rows, the help over all. */
static void draw_over(struct canvas *canvas, const struct frame_input *input)
{
    const struct view *view = input->view;
    if (view->report.kind != REPORT_NONE)
        frame_report(canvas, input);
    if (view->command.line.open)
        view_command_draw(view, input->facts, canvas);
    else if (view->filter.open)
        line_edit_draw(&view->filter, canvas, canvas->rows - 1, "filter: ");
    else if (view->search.open)
        line_edit_draw(&view->search, canvas, canvas->rows - 1, "find: ");
    else if (view->runs.filter.open)
        line_edit_draw(&view->runs.filter, canvas, canvas->rows - 1, "filter: ");
    else if (view->bookmark.open)
        line_edit_draw(&view->bookmark, canvas, canvas->rows - 1, "bookmark (a name, or Enter): ");
    else if (view->report.file.open)
        line_edit_draw(&view->report.file, canvas, canvas->rows - 1, "policies of which file: ");
    else if (view->go_to.open)
        line_edit_draw(&view->go_to, canvas, canvas->rows - 1,
                       canvas->columns >= GO_TO_COLUMNS
                           ? "go to (14:00, -5m, #211, T-104 try 2, start): "
                           : "go to: ");
    if (view->sorted.is_open)
        view_order_draw(view, canvas);
    if (view->prompt.kind != PROMPT_NONE)
        prompt_draw(&view->prompt, canvas);
    correct_draw(&view->correct, canvas);
    if (view->help.open)
        draw_help(canvas, input);
}

typedef void frame_screen_fn(struct canvas *canvas, const struct frame_input *input);
static frame_screen_fn *const drawers[SCREEN_COUNT] = {
    [SCREEN_TASKS] = draw_tasks,        [SCREEN_DETAIL] = frame_detail,
    [SCREEN_LOG] = frame_pager,         [SCREEN_FORENSICS] = frame_forensics,
    [SCREEN_TIMELINE] = frame_timeline, [SCREEN_RUNS] = frame_runs,
};

void frame_draw(struct canvas *canvas, const struct frame_input *input)
{
    canvas_clear(canvas);
    const bool has_room = canvas->columns >= SCREEN_COLUMNS;
    frame_screen_fn *draw = drawers[view_screen(input->view)];
    if (draw && has_room)
        draw(canvas, input);
    else
        draw_tasks(canvas, input);
    draw_over(canvas, input);
}

void frame_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    if (view_screen(view) == SCREEN_TIMELINE) {
        frame_timeline_fit(view, rows, columns, input);
        return;
    }
    if (view_screen(view) == SCREEN_DETAIL) {
        frame_detail_fit(view, rows, columns, input);
        return;
    }
    const struct frame_layout layout = frame_layout(rows, columns, input);
    const int list_rows = view_screen(view) == SCREEN_TASKS ? layout.list.rows : 0;
    view_fit(view, list_rows, frame_log_lines(&layout), layout.panes);
    const int rows_all =
        view->pane == VIEW_PANE_PREVIEW ? frame_preview_rows(layout.preview.columns, input) : 0;
    view_preview_fit(view, rows_all, layout.preview.rows - (layout.divider >= 0 ? 1 : 0));
}
