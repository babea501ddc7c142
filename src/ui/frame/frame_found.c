#include "frame_found.h"

#include <string.h>

#include "frame_parts.h"
#include "text.h"
#include "words.h"

enum { NOTE_GAP = 3, NOTE_LONG_COLUMNS = 100 };

static void mark_cells(struct canvas *canvas, struct spot spot, int from, int width)
{
    for (int i = from; i < from + width && i < spot.width; i++) {
        struct cell *cell = canvas_cell(canvas, spot.row, spot.column + i);
        if (cell)
            cell->style = STYLE_MATCH;
    }
}

void frame_mark_found(struct canvas *canvas, const struct frame_piece *piece, const char *needle)
{
    const size_t len = strlen(needle);
    const char *end = piece->text + piece->line_len;
    const char *at = words_find(piece->text, piece->line_len, needle);
    while (at && at < piece->text + piece->from + piece->len) {
        const size_t start = (size_t)(at - piece->text);
        const size_t from = start > piece->from ? start : piece->from;
        if (start + len > piece->from)
            mark_cells(canvas, piece->spot,
                       text_width(piece->text + piece->from, from - piece->from),
                       text_width(piece->text + from, start + len - from));
        at += len;
        at = words_find(at, (size_t)(end - at), needle);
    }
}

void frame_rule_note(struct canvas *canvas, struct spot spot, int used, const char *rule)
{
    struct str note = {0};
    const bool is_long = canvas->columns >= NOTE_LONG_COLUMNS;
    str_addf(&note, "<- %s%s%s", is_long ? "rule " : "", rule, is_long ? " matched here" : "");
    const int width = text_width(note.data, note.len);
    if (*rule != '\0' && used + NOTE_GAP + width <= spot.width)
        (void)frame_put_right(canvas, spot, STYLE_LABEL, note.data);
    str_done(&note);
}
