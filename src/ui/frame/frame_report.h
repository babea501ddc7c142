/*
 * frame_report.h - the text that `=` or `W` opens over the screen.
 */
#ifndef DEVS_FRAME_REPORT_H
#define DEVS_FRAME_REPORT_H

#include "frame.h"

/* Rows of text that there is room for, of so many: all if the screen has them, over its lower rows;
 * at most all but the first row, the rule and the last one. */
int frame_report_rows(int canvas_rows, size_t rows);
/* The view's report: its rule, the rows in sight, and the keys in the last row. */
void frame_report(struct canvas *canvas, const struct frame_input *input);

#endif
