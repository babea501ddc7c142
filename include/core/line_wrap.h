/*
 * line_wrap.h - wrapping a long line. For text that has passed text_clean(). Pure.
 */
#ifndef DEVS_LINE_WRAP_H
#define DEVS_LINE_WRAP_H

#include <stddef.h>

/* Returns the bytes that fit into the columns: up to a blank, if that is not too far back. At
 * least one character, unless the text is empty. */
size_t line_wrap_fit(const char *text, size_t len, int columns);
/* Returns the number of rows of the line; an empty line has one. */
int line_wrap_rows(const char *text, size_t len, int columns);
/* Returns the first byte of this row (from 0); len after the last. */
size_t line_wrap_at(const char *text, size_t len, int columns, int row);
/* Returns the first byte at or to the right of this column. *lack: blanks to draw before it, if
 * half of a wide character is cut off. */
size_t line_wrap_skip(const char *text, size_t len, int column, int *lack);

#endif
