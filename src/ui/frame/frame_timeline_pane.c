/* frame_timeline_pane.c - the timeline as a pane of other screens, and what its rows have in common
 * with the screen's. */
#include "frame_parts.h"
#include "frame_timeline.h"
#include "frame_timeline_parts.h"

enum {
    PANE_COLUMN = 10, /* where the bars begin */
    ALONE_COLUMN = 5,
};

void timeline_add_id(const struct frame_input *input, int row, int columns, struct str *out)
{
    const int task = view_row_task(row);
    const struct view_fold *fold = view_row_is_fold(row) ? view_fold_of(input->view, task) : NULL;
    if (fold)
        str_addf(out, "%d tasks", fold->fault.count);
    else
        frame_add_id(input->facts->state->plan, task, columns, out);
}

void timeline_draw_label(struct timeline_look *look, int row, int view_row, int column)
{
    const int columns = look->column - column - 1;
    struct str text = {0};
    timeline_add_id(look->input, view_row, columns, &text);
    (void)frame_put(look->canvas, (struct spot){row, column, columns}, STYLE_PLAIN, text.data);
    str_done(&text);
}

void timeline_add_zone(struct timeline_look *look, int row, const struct frame_box *box, int index)
{
    const struct canvas_zone zone = {.spot = {row, box->column, box->columns},
                                     .rows = 1,
                                     .kind = ZONE_ROW,
                                     .value = (uint32_t)index};
    canvas_add_area(look->canvas, &zone);
}

/* The first of the view's rows, so that the chosen one is among as many as there is room for. */
static int first_row(const struct view *view, int rows)
{
    const int chosen = view_chosen_row(view);
    int first = view->top;
    if (chosen >= first + rows)
        first = chosen - rows + 1;
    if (chosen >= 0 && chosen < first)
        first = chosen;
    if (first > view->row_count - rows)
        first = view->row_count - rows;
    return first > 0 ? first : 0;
}

void frame_timeline_pane(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    const struct view *view = input->view;
    struct timeline_look look = {
        .canvas = canvas, .input = input, .column = box->column + PANE_COLUMN};
    const int rows = box->rows > 1 ? box->rows - 1 : box->rows;
    const int first = first_row(view, rows);
    const int chosen = view_chosen_row(view);
    if (box->rows <= 0 || box->columns <= PANE_COLUMN)
        return;
    frame_pane_zone(canvas, box, VIEW_PANE_TIMELINE);
    timeline_axis_of(&look.axis, input, -1, box->columns - PANE_COLUMN);
    int row = box->row;
    for (int i = first; i < view->row_count && row < box->row + rows; i++, row++) {
        timeline_draw_label(&look, row, view->rows[i], box->column + 2);
        timeline_draw_bar(&look, row, view_row_task(view->rows[i]), -1);
        timeline_add_zone(&look, row, box, i);
        if (i == chosen)
            (void)canvas_text(canvas, (struct spot){row, box->column + 1, 1}, STYLE_KEY, "▸");
    }
    if (box->rows > 1)
        timeline_draw_axis(&look, row);
    timeline_done(&look.timeline);
}

void frame_timeline_rule(struct canvas *canvas, struct spot spot, const struct frame_input *input)
{
    struct timeline_axis axis;
    struct str title = {0};
    str_add(&title, "timeline  ");
    timeline_axis_of(&axis, input, -1, spot.width - PANE_COLUMN);
    timeline_add_window(&axis, &title);
    frame_rule(canvas, spot, str_text(&title),
               "letters = phase, lower case = no output, ┄ = backoff");
    str_done(&title);
}

void frame_timeline_task(struct canvas *canvas, const struct frame_box *box,
                         const struct frame_input *input)
{
    struct timeline_look look = {
        .canvas = canvas, .input = input, .column = box->column + ALONE_COLUMN};
    const int task = input->view->chosen;
    if (task < 0 || box->rows <= 0 || box->columns <= ALONE_COLUMN)
        return;
    timeline_axis_of(&look.axis, input, task, box->columns - ALONE_COLUMN);
    timeline_draw_bar(&look, box->row, task, -1);
    if (box->rows > 1)
        timeline_draw_axis(&look, box->row + 1);
    timeline_done(&look.timeline);
}
