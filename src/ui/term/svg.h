/*
 * svg.h - a frame as a picture: SVG 1.1 on a fixed grid of cells. Pure.
 *
 * Each cell has its place whatever font is there, so the columns are aligned in every viewer.
 */
#ifndef DEVS_SVG_H
#define DEVS_SVG_H

#include "canvas.h"
#include "str.h"
#include "theme.h"

/* Append the picture. `title` is what a reader hears first, made fit for one (text_clean()); the
 * description is the frame as text. The sixteen colours are those of a dark terminal, of a light
 * one where the theme is "light". */
void svg_write(const struct canvas *canvas, const struct theme *theme, const char *title,
               struct str *out);

#endif
