#include "frame_tasks.h"

#include <string.h>

#include "frame_empty.h"
#include "frame_events.h"
#include "frame_parts.h"
#include "frame_timeline.h"

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
        str_add(&title, !input->facts->replay ? "  follows"
                        : view->shows_later   ? "  all of it"
                                              : "  up to here");
    frame_rule_say(canvas, (struct spot){layout->log_rule, 0, canvas->columns}, str_text(&title),
                   frame_log_note(view), input);
    str_done(&title);
}

static void draw_divider(struct canvas *canvas, const struct frame_layout *layout)
{
    const int end = layout->preview.row + layout->preview.rows;
    canvas_upright(canvas, layout->heads, layout->divider, end - layout->heads);
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

void frame_tasks(struct canvas *canvas, const struct frame_input *input)
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

void frame_tasks_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    const struct frame_layout layout = frame_layout(rows, columns, input);
    const int list_rows = view_screen(view) == SCREEN_TASKS ? layout.list.rows : 0;
    view_fit(view, list_rows, frame_log_lines(&layout), layout.panes);
    const int rows_all =
        view->pane == VIEW_PANE_PREVIEW ? frame_preview_rows(layout.preview.columns, input) : 0;
    view_preview_fit(view, rows_all, layout.preview.rows - (layout.divider >= 0 ? 1 : 0));
}
