/*
 * columns.h - lines in columns, for people. Pure.
 */
#ifndef DEVS_COLUMNS_H
#define DEVS_COLUMNS_H

#include "str.h"

/* Of ids of tasks: a longer one moves what stands behind it. */
enum { COLUMNS_ID_MIN = 6, COLUMNS_ID_MAX = 24 };

/* A text, and blanks up to so many columns: one that is too wide still ends before the next one. */
void columns_add(struct str *out, const char *text, int columns);

/* Make the column of ids as wide as this one, up to COLUMNS_ID_MAX. */
void columns_widen(int *columns, const char *id);

#endif
