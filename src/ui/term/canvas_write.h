/*
 * canvas_write.h - a frame for other programs: as terminal output (ECMA-48), for recordings, where
 * no terminal can be queried, and as an image (SVG 1.1 on a fixed grid of cells, so that columns
 * are aligned in every viewer, whatever its font). Pure.
 */
#ifndef DEVS_CANVAS_WRITE_H
#define DEVS_CANVAS_WRITE_H

#include "canvas.h"
#include "str.h"
#include "theme.h"

/* Appends the frame as an SVG image. `title` is the part that a screen reader reads first; it is
 * cleaned with text_clean(). The description is the frame as text. The sixteen colors are those of
 * a dark terminal, or of a light one if the theme is "light". */
void svg_write(const struct canvas *canvas, const struct theme *theme, const char *title,
               struct str *out);

/* Appends the output that updates a terminal from `was` to `is`: only cells that differ, in 256
 * colors. If `was` is NULL, the terminal may show anything and is cleared first. Both canvases must
 * have the same size. */
void canvas_ansi(const struct canvas *was, const struct canvas *is, const struct theme *theme,
                 struct str *out);

#endif
