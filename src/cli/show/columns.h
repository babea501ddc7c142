/*
 * columns.h - lines in columns, for people. Pure.
 */
#ifndef DEVS_COLUMNS_H
#define DEVS_COLUMNS_H

#include "str.h"

enum { COLUMNS_ID_MIN = 6 }; /* of ids of tasks */

/* A text, and blanks up to so many columns: one that is too wide still ends before the next one. */
void columns_add(struct str *out, const char *text, int columns);

/* Make the column of ids as wide as this one: an id is never cut, for it is what the next command
 * is told. */
void columns_widen(int *columns, const char *id);

#endif
