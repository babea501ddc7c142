/* frame_forensics_lines.c - lines of the forensics, broken or cut to what there is room for. */
#include "frame_forensics_parts.h"

#include "frame_parts.h"
#include "line_wrap.h"
#include "text.h"

enum { HANG_PART = 3 }; /* a line's further rows keep two of three columns, whatever its indent */

static enum style style_of(enum forensics_mark mark)
{
    switch (mark) {
    case FORENSICS_PLAIN:
    case FORENSICS_ADDED:
    case FORENSICS_REMOVED:
        break;
    case FORENSICS_LABEL:
        return STYLE_HEAD;
    case FORENSICS_LACKS:
        return STYLE_LABEL;
    case FORENSICS_HIT:
        return STYLE_MATCH;
    }
    return STYLE_PLAIN;
}

/* What of a line stands in one row. */
struct part {
    const char *text;
    size_t left; /* bytes of the line from here on */
    size_t len;  /* of these, in this row */
    int indent, hang;
};

static struct part first_part(const struct forensics *forensics, size_t index, int columns)
{
    const struct forensics_line *line = &forensics->lines[index];
    struct part part = {.text = forensics_line(forensics, index), .left = line->len};
    part.hang = line->hang < columns / HANG_PART ? line->hang : columns / HANG_PART;
    part.indent = line->is_rest ? part.hang : 0;
    part.len = line_wrap_fit(part.text, part.left, columns - part.indent);
    return part;
}

/* False: that was the last. */
static bool next_part(struct part *part, int columns)
{
    part->text += part->len;
    part->left -= part->len;
    part->indent = part->hang;
    part->len = line_wrap_fit(part->text, part->left, columns - part->indent);
    return part->left > 0;
}

int frame_forensics_line_rows(const struct forensics *forensics, size_t index, int columns)
{
    struct part part = first_part(forensics, index, columns);
    int rows = 1;
    while (next_part(&part, columns))
        rows++;
    return rows;
}

int frame_forensics_line(struct canvas *canvas, const struct frame_box *box, int row,
                         const struct forensics *forensics, size_t index)
{
    const enum style style = style_of(forensics->lines[index].mark);
    struct part part = first_part(forensics, index, box->columns);
    do {
        const struct spot spot = {row, box->column + part.indent, box->columns - part.indent};
        (void)canvas_text_n(canvas, spot, style, part.text, part.len);
        row++;
    } while (next_part(&part, box->columns) && row < box->row + box->rows);
    return row;
}

/* The bytes before what only explains: "1:47, until 13:56:01" is "1:47", "no (memory.events...)"
 * is "no". */
static size_t brief_len(const char *text, size_t len)
{
    for (size_t i = 1; i < len; i++) {
        const bool is_list = text[i] == ',';
        const bool is_aside = text[i] == ' ' && i + 1 < len && text[i + 1] == '(';
        if (is_list || is_aside)
            return i;
    }
    return len;
}

/* Label and value, or as much of the value as says what it is. */
static void draw_brief(struct canvas *canvas, struct spot spot, const struct forensics *forensics,
                       size_t index)
{
    const struct forensics_line *line = &forensics->lines[index];
    const char *text = forensics_line(forensics, index);
    struct spot value = {spot.row, spot.column + FORENSICS_LABEL_COLUMNS,
                         spot.width - FORENSICS_LABEL_COLUMNS};
    if (line->hang != FORENSICS_LABEL_COLUMNS || line->len <= FORENSICS_LABEL_COLUMNS) {
        (void)canvas_text_n(canvas, spot, style_of(line->mark), text, line->len);
        return;
    }
    (void)canvas_text_n(canvas, (struct spot){spot.row, spot.column, FORENSICS_LABEL_COLUMNS},
                        STYLE_PLAIN, text, FORENSICS_LABEL_COLUMNS);
    text += FORENSICS_LABEL_COLUMNS;
    const size_t len = line->len - FORENSICS_LABEL_COLUMNS;
    const bool fits = text_width(text, len) <= value.width;
    if (!fits && line->mark == FORENSICS_LACKS)
        (void)canvas_text(canvas, value, STYLE_PLAIN, "—");
    else
        (void)canvas_text_n(canvas, value, STYLE_PLAIN, text, fits ? len : brief_len(text, len));
}

void frame_forensics_summary(struct canvas *canvas, const struct frame_box *box,
                             const struct forensics *forensics)
{
    enum { HEAD_ROWS = 2, LINES_MIN = 3, TOLD_ABOVE = 2 };
    size_t index = forensics->sections[FORENSICS_END].first;
    const size_t end_index = index + forensics->sections[FORENSICS_END].count;
    int row = box->row + FORENSICS_SECTION_COUNT + 1;
    const int end = box->row + box->rows;
    if (row + HEAD_ROWS + LINES_MIN > end || !forensics->sections[FORENSICS_END].there)
        return;
    (void)frame_put(canvas, (struct spot){row++, 1, box->columns - 1}, STYLE_HEAD,
                    forensics_title(FORENSICS_END));
    if (end_index - index > (size_t)(end - row) && end_index - index > TOLD_ABOVE)
        index += TOLD_ABOVE; /* how it ended and how long it ran stand in the head, too */
    for (; index < end_index && row < end; index++)
        draw_brief(canvas, (struct spot){row++, 1, box->columns - 1}, forensics, index);
}
