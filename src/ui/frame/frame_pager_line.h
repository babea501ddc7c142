/*
 * frame_pager_line.h - one line of an attempt's output on the log's screen: for frame_pager.c.
 */
#ifndef DEVS_FRAME_PAGER_LINE_H
#define DEVS_FRAME_PAGER_LINE_H

#include "canvas.h"
#include "frame.h"
#include "log_pager.h"

/* Columns before the text: a sign, the time, the stream. */
int pager_line_columns(int columns);

struct pager_row {
    const struct frame_input *input;
    const struct pager_line *line;
    int hidden; /* rows of it that are above the screen */
};
/* Draw it from a row of the box on; returns the row after it. */
int pager_line_draw(struct canvas *canvas, const struct frame_box *box, int row,
                    const struct pager_row *what);

#endif
