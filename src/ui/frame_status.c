/* frame_status.c - below the list: what was done by hand last, and how the list is made. */
#include "frame_parts.h"

static void add_filter(const struct view *view, struct str *out)
{
    str_add(out, "filter: ");
    if (view->filter.len > 0)
        str_add(out, view->filter.text);
    if (view->only_needs_you)
        str_addf(out, "%sonly what needs you (!)", view->filter.len > 0 ? ", " : "");
    if (view->filter.len == 0 && !view->only_needs_you)
        str_add(out, "none (/)");
    str_addf(out, "   order: %s (s)", view_order_words(view));
}

void frame_status(struct canvas *canvas, const struct frame_box *box,
                  const struct frame_input *input)
{
    struct str text = {0};
    add_filter(input->view, &text);
    (void)frame_put(canvas,
                    (struct spot){box->row + box->rows - 1, box->column + 1, box->columns - 1},
                    STYLE_LABEL, str_text(&text));
    str_done(&text);
}
