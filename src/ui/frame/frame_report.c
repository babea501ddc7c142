#include "frame_report.h"

#include "frame_parts.h"
#include "report_rows.h"

enum { ROWS_AROUND = 3, ROWS_MIN = 1 }; /* the head, the rule, the keys */

int frame_report_rows(int canvas_rows, size_t rows)
{
    const int room = canvas_rows - ROWS_AROUND;
    if (room < ROWS_MIN)
        return ROWS_MIN;
    return rows < (size_t)room ? (int)rows : room;
}

static enum style style_of(enum report_mark mark)
{
    static const enum style styles[] = {
        [REPORT_ROW_PLAIN] = STYLE_PLAIN,  [REPORT_ROW_HEAD] = STYLE_HEAD,
        [REPORT_ROW_DIFFERS] = STYLE_KEY,  [REPORT_ROW_FOLD] = STYLE_LABEL,
        [REPORT_ROW_SAME] = STYLE_PLAIN,   [REPORT_ROW_REMOVED] = STYLE_FAILED,
        [REPORT_ROW_ADDED] = STYLE_PASSED,
    };
    return styles[mark];
}

static void draw_rule(struct canvas *canvas, int row, const struct view_report *report, size_t rows)
{
    static const char *const titles[] = {[REPORT_NONE] = "",
                                         [REPORT_COMPARE] = "two tries  (=)",
                                         [REPORT_WHAT_IF] = "what if  (=)",
                                         [REPORT_BUNDLE] = "one file to share  (W)"};
    struct str note = {0};
    if (report->last > 0)
        str_addf(&note, "%d to %d of %zu", report->top + 1, report->top + report->page, rows);
    frame_rule(canvas, (struct spot){row, 0, canvas->columns}, titles[report->kind],
               str_text(&note));
    str_done(&note);
}

static void draw_keys(struct canvas *canvas, const struct frame_input *input)
{
    const int row = canvas->rows - 1;
    struct str keys = {0};
    if (input->view->report.kind == REPORT_BUNDLE)
        str_add(&keys, "y writes it   ");
    frame_say(input, "{back} closes it   {down} {up} {page-down} {page-up} scroll", &keys);
    canvas_blank_row(canvas, row, STYLE_PLAIN);
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_LABEL,
                    str_text(&keys));
    str_done(&keys);
}

void frame_report(struct canvas *canvas, const struct frame_input *input)
{
    const struct view_report *report = &input->view->report;
    const struct report_rows *rows = input->facts->report;
    const int first = canvas->rows - 1 - report->page;
    if (first >= 1)
        draw_rule(canvas, first - 1, report, rows->count);
    for (int i = 0; i < report->page; i++) {
        const size_t index = (size_t)report->top + (size_t)i;
        canvas_blank_row(canvas, first + i, STYLE_PLAIN);
        if (index >= rows->count)
            continue;
        const struct report_row *row = &rows->items[index];
        (void)canvas_text_n(canvas, (struct spot){first + i, 0, canvas->columns},
                            style_of(row->mark), rows->text.data + row->start, row->len);
    }
    draw_keys(canvas, input);
}
