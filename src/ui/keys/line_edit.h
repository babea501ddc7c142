/*
 * line_edit.h - the line one types in: a filter, a search, a hint. A plain value, pure.
 */
#ifndef DEVS_LINE_EDIT_H
#define DEVS_LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"

enum { LINE_EDIT_MAX = 200 }; /* bytes with the NUL */

/* A line of text that is being typed; the cursor stays at its end. */
struct line_edit {
    bool open;
    char text[LINE_EDIT_MAX]; /* UTF-8 */
    size_t len;
};

enum line_edit_result {
    LINE_EDIT_OPEN,    /* goes on; the text may have changed */
    LINE_EDIT_KEPT,    /* Enter: closed, the text stays */
    LINE_EDIT_CLEARED, /* Esc: closed, the text is empty */
};

/* Open with the text that is there. */
void line_edit_open(struct line_edit *edit);
/* Make the text empty. */
void line_edit_clear(struct line_edit *edit);
/* As much of a text as there is room for. */
void line_edit_set(struct line_edit *edit, const char *text);
/* Runes are added while there is room, Backspace takes the last one, ^U all. */
enum line_edit_result line_edit_key(struct line_edit *edit, uint32_t key);
/* "label text_" in one row, the end of the text in sight; sets the cursor. */
void line_edit_draw(const struct line_edit *edit, struct canvas *canvas, int row,
                    const char *label);

#endif
