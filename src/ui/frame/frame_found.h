/*
 * frame_found.h - what stands out in a line of output: what is searched for, and what a verdict
 * went by. For the log's screen and the panes.
 */
#ifndef DEVS_FRAME_FOUND_H
#define DEVS_FRAME_FOUND_H

#include <stddef.h>

#include "canvas.h"

/* Part of a line in one row of the screen. */
struct frame_piece {
    const char *text; /* of the whole line, borrowed */
    size_t line_len;  /* bytes of it */
    size_t from, len; /* what of it is shown, */
    struct spot spot; /* where */
};
/* Mark the text, letters alike in both cases; also where a line is broken in the middle of it.
 * "" is nowhere. */
void frame_mark_found(struct canvas *canvas, const struct frame_piece *piece, const char *needle);

/* "<- rule tap.not-ok matched here" at the right end, where the text, which takes `used` columns,
 * leaves room; shorter on a narrow canvas. */
void frame_rule_note(struct canvas *canvas, struct spot spot, int used, const char *rule);

#endif
