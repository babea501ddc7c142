/*
 * theme.h - how a cell looks on the terminal.
 *
 * Colours are the terminal's own sixteen on its own background, never number 8,
 * never dim: both vanish in common palettes. Main thread, after term_open().
 */
#ifndef DEVS_THEME_H
#define DEVS_THEME_H

#include <stdbool.h>

#include "canvas.h"

enum theme { THEME_MONO, THEME_COLOUR };

/* ncurses' attributes and colour pair, as plain numbers. */
struct look {
    unsigned attrs;
    short pair;
};

/* Make the colour pairs; THEME_MONO where the terminal has none or none are wanted. */
enum theme theme_start(bool colour_wanted);

struct look theme_look(enum theme theme, const struct cell *cell);

#endif
