/*
 * line_edit.c - edits and draws a line of input.
 */
#include "line_edit.h"

#include <string.h>

#include "term.h"
#include "text.h"
#include "utf8.h"

enum { KEY_CTRL_U = 0x15 };

void line_edit_open(struct line_edit *edit)
{
    edit->open = true;
}

void line_edit_clear(struct line_edit *edit)
{
    edit->text[0] = '\0';
    edit->len = 0;
}

void line_edit_set(struct line_edit *edit, const char *text)
{
    const size_t len = text_cut(text, strlen(text), sizeof(edit->text) - 1);
    memcpy(edit->text, text, len);
    edit->text[len] = '\0';
    edit->len = len;
}

static void add_rune(struct line_edit *edit, uint32_t rune)
{
    char bytes[4];
    size_t count = rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (edit->len + count >= sizeof(edit->text))
        return;
    for (size_t i = count; i-- > 1; rune >>= 6)
        bytes[i] = (char)(0x80 | (rune & 0x3f));
    bytes[0] = (char)(leads[count] | rune);
    memcpy(edit->text + edit->len, bytes, count);
    edit->len += count;
    edit->text[edit->len] = '\0';
}

enum line_edit_result line_edit_key(struct line_edit *edit, uint32_t key)
{
    const bool is_surrogate = key >= 0xd800 && key <= 0xdfff;
    const bool is_control = key < 0x20 || (key >= 0x7f && key <= 0x9f);
    if (key == TERM_KEY_ENTER) {
        edit->open = false;
        return LINE_EDIT_KEPT;
    }
    if (key == TERM_KEY_ESC) {
        edit->open = false;
        line_edit_clear(edit);
        return LINE_EDIT_CLEARED;
    }
    if (key == TERM_KEY_BACKSPACE) {
        bool is_inner = true;
        while (edit->len > 0 && is_inner)
            is_inner = utf8_is_inner(edit->text[--edit->len]);
        edit->text[edit->len] = '\0';
    } else if (key == KEY_CTRL_U) {
        line_edit_clear(edit);
    } else if (key < TERM_KEY_FIRST && !is_surrogate && !is_control) {
        add_rune(edit, key);
    }
    return LINE_EDIT_OPEN;
}

/* Returns how many bytes to skip at the start so that the end is visible. */
static size_t skip_for(const struct line_edit *edit, int width)
{
    size_t at = edit->len;
    int columns = 0;
    for (size_t start = at; start > 0; at = start) {
        do
            start--;
        while (start > 0 && utf8_is_inner(edit->text[start]));
        uint32_t rune = 0;
        (void)text_rune(edit->text + start, edit->len - start, &rune);
        columns += rune_width(rune);
        if (columns > width)
            break;
    }
    return at;
}

void line_edit_draw(const struct line_edit *edit, struct canvas *canvas, int row, const char *label)
{
    struct spot spot = {row, 1, canvas->columns - 1};
    canvas_blank_row(canvas, row, STYLE_PLAIN);
    spot.column += canvas_text(canvas, spot, STYLE_LABEL, label);
    spot.width = canvas->columns - spot.column - 1; /* leaves a column for the cursor */
    int used = 0;
    if (spot.width > 0) {
        size_t skip = skip_for(edit, spot.width);
        used = canvas_text_n(canvas, spot, STYLE_PLAIN, edit->text + skip, edit->len - skip);
    }
    if (!edit->open)
        return;
    int column = spot.column + used;
    canvas->cursor_row = row;
    canvas->cursor_column = column < canvas->columns ? column : canvas->columns - 1;
}
