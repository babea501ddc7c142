/*
 * line_wrap.h - a long line over several rows. For text that went through text_clean(). Pure.
 */
#ifndef DEVS_LINE_WRAP_H
#define DEVS_LINE_WRAP_H

#include <stddef.h>

/* Bytes that fit into the columns: up to a blank, if that is not too far back. At least one
 * character, unless the text is empty. */
size_t line_wrap_fit(const char *text, size_t len, int columns);
/* How many rows the line takes; an empty one takes one. */
int line_wrap_rows(const char *text, size_t len, int columns);
/* The first byte of this row (from 0), len past the last. */
size_t line_wrap_at(const char *text, size_t len, int columns, int row);
/* The first byte that is no further left than this column; *lack: blanks to draw before it, where
 * half of a wide character is cut off. */
size_t line_wrap_skip(const char *text, size_t len, int column, int *lack);

#endif
