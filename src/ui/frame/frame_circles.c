/* frame_circles.c - that the chosen task goes in circles, or may, in the preview. */
#include "frame_preview.h"

static void add_span(const struct preview *preview, const struct shown_circle *circle,
                     struct str *out)
{
    struct str span = {0};
    shown_circles_span(circle, run_state_step_number(preview->state, preview->task), &span);
    if (span.len > 0)
        str_addf(out, ", %s", span.data);
    str_done(&span);
}

static void put_suspicion(struct preview *preview, const struct shown_circle *circle)
{
    struct str text = {0};
    str_add(&text, "perhaps: ");
    shown_circle_words(circle, &text);
    add_span(preview, circle, &text);
    preview_put(preview, "circle", str_text(&text));
    str_done(&text);
}

static void put_stop(struct preview *preview, const struct shown_circle *circle)
{
    struct str text = {0};
    str_add(&text, shown_circles_equal(&circle->verdict));
    if (circle->verdict.masked)
        str_add(&text, ", once masked");
    add_span(preview, circle, &text);
    preview_put(preview, "equal", str_text(&text));
    str_clear(&text);
    shown_masks(circle->masks, &text);
    preview_put(preview, "masked", str_text(&text));
    str_done(&text);
}

void preview_put_circles(struct preview *preview)
{
    struct shown_circle circle;
    if (!shown_circles_of(preview->state, preview->task, &circle))
        return;
    if (circle.verdict.level == ENTROPY_SUSPECT)
        put_suspicion(preview, &circle);
    else
        put_stop(preview, &circle);
}
