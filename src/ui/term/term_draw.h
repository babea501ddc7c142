/*
 * term_draw.h - carries canvases to ncurses' screen; only what changed is written.
 *
 * Main thread, between the screen's opening and its end.
 */
#ifndef DEVS_TERM_DRAW_H
#define DEVS_TERM_DRAW_H

#include <stdbool.h>

#include "canvas.h"
#include "theme.h"

struct term_draw;

/* Ended with term_draw_close(). */
struct term_draw *term_draw_open(bool utf8, bool colour_wanted);
/* NULL is allowed. */
void term_draw_close(struct term_draw *draw);

/* Paint with this theme from now on, the whole screen at the next frame. */
void term_draw_set_theme(struct term_draw *draw, const struct theme *theme);
/* Does the terminal take UTF-8? What is drawn for one that does not is ASCII. */
bool term_draw_is_utf8(const struct term_draw *draw);

/* The canvas, as much of it as the terminal has rows and columns. */
void term_draw_show(struct term_draw *draw, const struct canvas *canvas, int rows, int columns);
/* It is not known what the terminal shows: everything is drawn anew. */
void term_draw_forget(struct term_draw *draw);
/* Whoever had the terminal meanwhile may have shown the cursor. */
void term_draw_hide_cursor(struct term_draw *draw);

#endif
