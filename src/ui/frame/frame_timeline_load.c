/* frame_timeline_load.c - how many tries ran at a time, and what failed, below the bars. */
#include <string.h>

#include "frame_parts.h"
#include "frame_timeline_parts.h"

enum { DIGIT_MAX = 9, LABEL_COLUMNS = 22 };

static void draw_running(const struct timeline_look *look, const struct timeline_load *load,
                         int row)
{
    for (int i = 0; i < look->axis.columns; i++) {
        const int count = load->running[i];
        char text[2] = {count > DIGIT_MAX ? '+' : (char)('0' + count), '\0'};
        if (count > 0)
            (void)canvas_text(look->canvas, (struct spot){row, look->column + i, 1}, STYLE_PLAIN,
                              text);
    }
}

static void draw_failed(const struct timeline_look *look, const struct timeline_load *load, int row)
{
    for (int i = 0; i < look->axis.columns; i++) {
        char text[2] = {load->failed[i], '\0'};
        if (load->failed[i] != 0)
            (void)canvas_text(look->canvas, (struct spot){row, look->column + i, 1}, STYLE_FAILED,
                              text);
    }
}

/* "T test-fail 8   t timeout 6   * several at once" */
static void add_letters(const struct timeline_load *load, struct str *out)
{
    for (int i = 0; i < load->class_count; i++) {
        str_addf(out, "%s%c ", i > 0 ? "   " : "", load->classes[i].letter);
        failure_class_word(&load->classes[i].class, out);
        str_addf(out, " %d", load->classes[i].count);
    }
    if (load->class_count == 0)
        str_add(out, "nothing failed");
    if (memchr(load->failed, TIMELINE_LOAD_SEVERAL, sizeof(load->failed)))
        str_addf(out, "   %c several classes", TIMELINE_LOAD_SEVERAL);
}

void timeline_draw_load(const struct timeline_look *look, int row)
{
    const struct timeline_load *load = &look->input->view->timeline.sum.load;
    struct canvas *canvas = look->canvas;
    const bool has_words = look->column > LABEL_COLUMNS;
    struct spot label = {row + 1, 1, look->column - 2};
    struct str text = {0};
    frame_rule(canvas, (struct spot){row, 0, canvas->columns}, "load and failures", "");
    if (has_words)
        str_addf(&text, "running (of %d slots)", look->input->facts->state->jobs);
    else
        str_add(&text, "runs");
    (void)frame_put(canvas, label, STYLE_LABEL, text.data);
    draw_running(look, load, label.row++);
    (void)frame_put(canvas, label, STYLE_LABEL, has_words ? "failures by class" : "fails");
    draw_failed(look, load, label.row);
    str_clear(&text);
    add_letters(load, &text);
    (void)frame_put(canvas, (struct spot){row + 3, 1, canvas->columns - 2}, STYLE_LABEL,
                    str_text(&text));
    str_done(&text);
}
