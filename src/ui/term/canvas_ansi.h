/*
 * canvas_ansi.h - a frame as the bytes that a terminal of today takes (ECMA-48): for recordings,
 * where no terminal is there to be asked. Pure.
 */
#ifndef DEVS_CANVAS_ANSI_H
#define DEVS_CANVAS_ANSI_H

#include "canvas.h"
#include "str.h"
#include "theme.h"

/* Append what makes a terminal that shows `was` show `is`: only cells that differ, in colours of
 * 256. NULL: it shows anything, and is cleared first. Both have one size. */
void canvas_ansi(const struct canvas *was, const struct canvas *is, const struct theme *theme,
                 struct str *out);

#endif
