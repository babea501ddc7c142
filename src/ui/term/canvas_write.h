/*
 * canvas_write.h - a frame for other programs: as the bytes that a terminal takes (ECMA-48), for
 * recordings where no terminal can be asked, and as a picture (SVG 1.1 on a fixed grid of cells, so
 * that columns are aligned in every viewer, whatever its font). Pure.
 */
#ifndef DEVS_CANVAS_WRITE_H
#define DEVS_CANVAS_WRITE_H

#include "canvas.h"
#include "str.h"
#include "theme.h"

/* Append the picture. `title` is what a reader hears first, made fit for one (text_clean()); the
 * description is the frame as text. The sixteen colors are those of a dark terminal, of a light
 * one where the theme is "light". */
void svg_write(const struct canvas *canvas, const struct theme *theme, const char *title,
               struct str *out);

/* Append what makes a terminal that shows `was` show `is`: only cells that differ, in colors of
 * 256. NULL: it shows anything, and is cleared first. Both have one size. */
void canvas_ansi(const struct canvas *was, const struct canvas *is, const struct theme *theme,
                 struct str *out);

#endif
