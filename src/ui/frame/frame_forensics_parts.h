/*
 * frame_forensics_parts.h - lines of the forensics on the screen, for frame_forensics*.c only.
 */
#ifndef DEVS_FRAME_FORENSICS_PARTS_H
#define DEVS_FRAME_FORENSICS_PARTS_H

#include <stddef.h>

#include "canvas.h"
#include "forensics.h"
#include "frame.h"

/* How many rows a line takes that is broken where the columns end. */
int frame_forensics_line_rows(const struct forensics *forensics, size_t index, int columns);
/* Draw it, from this row of the canvas on; what is below the box is left out. Returns the row after
 * it. */
int frame_forensics_line(struct canvas *canvas, const struct frame_box *box, int row,
                         const struct forensics *forensics, size_t index);

/* How the try ended, in short, below the list of sections in the box, where there is room. */
void frame_forensics_summary(struct canvas *canvas, const struct frame_box *box,
                             const struct forensics *forensics);

#endif
