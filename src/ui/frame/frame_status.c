/* frame_status.c - below the list: what was done by hand last, and how the list is made. */
#include "frame_parts.h"
#include "view_filter.h"
#include "view_order.h"

static void add_filter(const struct view *view, struct str *out)
{
    str_add(out, "filter: ");
    if (view->filter.len > 0)
        str_add(out, view->filter.text);
    if (view->only_needs_you)
        keymap_say(view->keys,
                   view->filter.len > 0 ? ", only what needs you ({needs-you-only})"
                                        : "only what needs you ({needs-you-only})",
                   out);
    if (view->filter.len == 0 && !view->only_needs_you)
        keymap_say(view->keys, "none ({filter})", out);
    str_addf(out, "   order: %s", view_order_words(view));
    keymap_say(view->keys, " ({order})", out);
}

/* What was asked for, as long as it can be undone. */
static void add_last_act(const struct frame_input *input, struct str *out)
{
    const struct view_undo *undo = &input->view->undo;
    struct str why = {0};
    const bool is_over = view_undo_refusal(input->view, input->facts, &why);
    str_done(&why);
    str_add(out, "last act by hand: ");
    if (undo->kind != VIEW_UNDO_ACT || undo->count == 0) {
        frame_say(input, "none   ({undo} undoes an act for 5 s)", out);
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

static void add_counts(const struct frame_input *input, struct str *out)
{
    const struct view *view = input->view;
    const int marked = view_marked(view);
    str_addf(out, "   marked: %d", marked);
    str_addf(out, "   hidden: %d", view_hidden(view, input->facts));
    frame_say(input, " ({finished})", out);
}

static void put_line(struct canvas *canvas, const struct frame_box *box, int row,
                     const struct str *text)
{
    if (row >= 0 && row < box->rows)
        (void)frame_put(canvas, (struct spot){box->row + row, box->column + 1, box->columns - 1},
                        STYLE_LABEL, str_text(text));
}

bool frame_list_is_narrowed(const struct frame_input *input)
{
    const struct view *view = input->view;
    return view->row_count > 0 &&
           (view->filter.len > 0 || view->only_needs_you || view_hidden(view, input->facts) > 0);
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

/* "filter: state=quiet   Esc shows all   6 passed hidden (H)" */
static void add_narrowed(const struct frame_input *input, int rows, struct str *out)
{
    const struct view *view = input->view;
    const int hidden = view_hidden(view, input->facts);
    struct str more = {0};
    if (view->filter.len > 0)
        str_addf(out, "filter: %s   ", view->filter.text);
    if (view->only_needs_you)
        str_add(out, "only what needs you   ");
    if (out->len > 0)
        frame_say(input, "{back} shows all   ", out);
    if (hidden > 0) {
        str_addf(out, "%d passed hidden", hidden);
        frame_say(input, " ({finished})   ", out);
    }
    frame_add_more_rows(view, view->top, rows, &more);
    str_add(out, str_text(&more));
    str_done(&more);
}

void frame_status(struct canvas *canvas, const struct frame_box *box,
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
        frame_say(input, "acts are off here: {retry}, {cancel} and {hold} say so and do nothing",
                  &text);
    else
        add_last_act(input, &text);
    put_line(canvas, box, box->rows - 2, &text);
    str_clear(&text);
    add_filter(input->view, &text);
    add_counts(input, &text);
    put_line(canvas, box, box->rows - 1, &text);
    str_done(&text);
}
