#include "frame_pager_line.h"

#include "clock.h"
#include "frame_found.h"
#include "frame_page.h"
#include "line_wrap.h"

enum {
    TIME_COLUMN = 1,
    STREAM_COLUMN = 10,
    TEXT_COLUMN = 11, /* where times are shown */
    NARROW_TEXT_COLUMN = 2,
};

int pager_line_columns(int columns)
{
    return columns >= PAGE_PATH_COLUMNS ? TEXT_COLUMN : NARROW_TEXT_COLUMN;
}

static enum style style_of(const struct log_pager *pager, const struct pager_line *line)
{
    if (line->stream == PAGER_ENGINE)
        return STYLE_LABEL;
    return log_pager_is_rule(pager, line) ? STYLE_MATCH : STYLE_PLAIN;
}

/* The sign of what was found, the time, the stream: before the line's first row. */
static void draw_front(struct canvas *canvas, int row, const struct pager_row *what)
{
    const struct view_log *log = &what->input->view->log;
    const struct pager_line *line = what->line;
    const bool is_said = line->stream != PAGER_ENGINE;
    const bool has_times = pager_line_columns(canvas->columns) == TEXT_COLUMN;
    char hms[CLOCK_TEXT_MAX];
    if (is_said && log->hit == (int64_t)line->number)
        (void)canvas_text(canvas, (struct spot){row, 0, 1}, STYLE_HEAD, "▸");
    if (has_times)
        (void)canvas_text(canvas, (struct spot){row, TIME_COLUMN, STREAM_COLUMN - TIME_COLUMN},
                          STYLE_LABEL, clock_hms(line->at_ms, hms));
    if (line->stream == LOG_STREAM_ERR)
        (void)canvas_text(canvas, (struct spot){row, has_times ? STREAM_COLUMN : 1, 1}, STYLE_LABEL,
                          "│");
}

/* In the part of the line that is at this spot. */
static void draw_found(struct canvas *canvas, struct spot spot, const struct pager_row *what,
                       size_t from, size_t len)
{
    const struct log_pager *pager = what->input->facts->pager;
    const struct frame_piece piece = {.text = log_pager_text(pager, what->line),
                                      .line_len = what->line->len,
                                      .from = from,
                                      .len = len,
                                      .spot = spot};
    if (what->line->stream != PAGER_ENGINE)
        frame_mark_found(canvas, &piece, pager->needle);
}

/* Unwrapped: from the view's column on; a sign says that there is more at the right. */
static void draw_cut(struct canvas *canvas, struct spot spot, const struct pager_row *what,
                     enum style style)
{
    const struct log_pager *pager = what->input->facts->pager;
    const char *text = log_pager_text(pager, what->line);
    int lack = 0;
    const size_t from = line_wrap_skip(text, what->line->len, what->input->view->log.column, &lack);
    spot.column += lack;
    spot.width -= lack;
    const size_t len = what->line->len - from;
    const int used = canvas_text_n(canvas, spot, style, text + from, len);
    draw_found(canvas, (struct spot){spot.row, spot.column, used}, what, from, len);
    if (log_pager_is_rule(pager, what->line))
        frame_rule_note(canvas, spot, used, pager->rule);
}

static int draw_wrapped(struct canvas *canvas, struct spot spot, int end_row,
                        const struct pager_row *what)
{
    const struct log_pager *pager = what->input->facts->pager;
    const struct pager_line *line = what->line;
    const char *text = log_pager_text(pager, line);
    const enum style style = style_of(pager, line);
    size_t at = line_wrap_at(text, line->len, spot.width, what->hidden);
    bool is_first = what->hidden == 0;
    do {
        const size_t len = line_wrap_fit(text + at, line->len - at, spot.width);
        const int used = canvas_text_n(canvas, spot, style, text + at, len);
        draw_found(canvas, (struct spot){spot.row, spot.column, used}, what, at, len);
        if (is_first && log_pager_is_rule(pager, line))
            frame_rule_note(canvas, spot, used, pager->rule);
        is_first = false;
        at += len;
        spot.row++;
    } while (at < line->len && spot.row < end_row);
    return spot.row;
}

int pager_line_draw(struct canvas *canvas, const struct frame_box *box, int row,
                    const struct pager_row *what)
{
    const int column = pager_line_columns(box->columns);
    const struct spot spot = {row, column, box->columns - column};
    if (spot.width <= 0)
        return row + 1;
    if (what->hidden == 0)
        draw_front(canvas, row, what);
    if (!what->input->view->log.unwrapped)
        return draw_wrapped(canvas, spot, box->row + box->rows, what);
    draw_cut(canvas, spot, what, style_of(what->input->facts->pager, what->line));
    return row + 1;
}
