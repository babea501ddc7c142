#include "frame.h"

#include "frame_detail.h"
#include "frame_forensics.h"
#include "frame_pager.h"
#include "frame_report.h"
#include "frame_runs.h"
#include "frame_tasks.h"
#include "frame_timeline.h"
#include "view_acts.h"

enum {
    GO_TO_COLUMNS = 60, /* narrower: what may be typed is not said */
    SCREEN_COLUMNS = 6, /* narrower: what needs a person is all that is shown, on every screen */
};

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
        line_edit_draw(&view->search, canvas, canvas->rows - 1,
                       view->log.asks_only ? "only lines with: " : "find: ");
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
    [SCREEN_TASKS] = frame_tasks,       [SCREEN_DETAIL] = frame_detail,
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
        frame_tasks(canvas, input);
    draw_over(canvas, input);
}

void frame_fit(struct view *view, int rows, int columns, const struct frame_input *input)
{
    if (view_screen(view) == SCREEN_TIMELINE)
        frame_timeline_fit(view, rows, columns, input);
    else if (view_screen(view) == SCREEN_DETAIL)
        frame_detail_fit(view, rows, columns, input);
    else
        frame_tasks_fit(view, rows, columns, input);
}
