/*
 * term_paint.h - a theme as ncurses takes it: attributes and colour pairs.
 *
 * Main thread, after the screen was opened.
 */
#ifndef DEVS_TERM_PAINT_H
#define DEVS_TERM_PAINT_H

#include "theme.h"

/* ncurses' attributes and colour pair, as plain numbers. */
struct look {
    unsigned attrs;
    short pair;
};

struct term_paint {
    bool has_colours;
    struct look looks[STYLE_COUNT];
};

/* Make the colour pairs. Where the terminal has no colours, or none are wanted, the theme
 * "mono" is taken. */
void term_paint_set(struct term_paint *paint, const struct theme *theme, bool colour_wanted);

/* Colours and attributes for a cell of this style, chosen and pointed or not. */
struct look term_paint_look(const struct term_paint *paint, const struct cell *cell);

#endif
