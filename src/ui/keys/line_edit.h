/*
 * line_edit.h - a single-line text input: for a filter, a search, a hint. A plain value, pure.
 */
#ifndef DEVS_LINE_EDIT_H
#define DEVS_LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"

enum { LINE_EDIT_MAX = 200 }; /* bytes, including the NUL */

/* A line being typed. The cursor stays at its end. */
struct line_edit {
    bool open;
    char text[LINE_EDIT_MAX]; /* UTF-8 */
    size_t len;
};

enum line_edit_result {
    LINE_EDIT_OPEN,    /* still open; the text may have changed */
    LINE_EDIT_KEPT,    /* Enter: closed, the text is kept */
    LINE_EDIT_CLEARED, /* Esc: closed, the text is empty */
};

/* Opens the input with its present text. */
void line_edit_open(struct line_edit *edit);
/* Clears the text. */
void line_edit_clear(struct line_edit *edit);
/* Sets the text, truncated if it is too long. */
void line_edit_set(struct line_edit *edit, const char *text);
/* Handles a key: appends a character if there is room; Backspace deletes the last character, ^U
 * deletes all. */
enum line_edit_result line_edit_key(struct line_edit *edit, uint32_t key);
/* Draws "label text_" in one row so that the end of the text is visible; sets the cursor. */
void line_edit_draw(const struct line_edit *edit, struct canvas *canvas, int row,
                    const char *label);

#endif
