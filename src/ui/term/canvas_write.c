/*
 * canvas_write.c - writes a canvas as SVG, and as the output that changes a terminal.
 */
#include "canvas_write.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* Sizes in pixels. A cell is 0.6 times as wide as the font size, like the glyphs of a monospace
 * font, so letters have their natural width. */
enum { FONT = 15, CELL_WIDTH = 9, CELL_HEIGHT = 19, BASELINE = 14, MARGIN = 8 };
enum { COLOR_TEXT_MAX = 8, CUBE_FIRST = 16, GREY_FIRST = 232, COLORS = 256 };

/* Colors to use in place of the terminal's own: background, foreground, and the sixteen basic
 * colors. */
struct look {
    const char *ground, *letters;
    const char *palette[CUBE_FIRST];
};

static const struct look dark = {
    .ground = "#16181d",
    .letters = "#dfe2e8",
    .palette = {"#16181d", "#f4757c", "#86cf7c", "#e6c45f", "#82aaf5", "#d08ff0", "#63cbdc",
                "#dfe2e8", "#7b818c", "#ff9aa0", "#a9e6a0", "#ffe08a", "#a8c6ff", "#e4b4ff",
                "#93e4f0", "#ffffff"},
};

static const struct look light = {
    .ground = "#fbfbfa",
    .letters = "#24272e",
    .palette = {"#24272e", "#b3232d", "#23702a", "#f0c24b", "#1f4fb0", "#86309f", "#0f6b78",
                "#e6e7e9", "#666b75", "#cf2f3a", "#2f8a37", "#ffd769", "#2f66d0", "#a040bd",
                "#158596", "#ffffff"},
};

/* Adjacent cells with the same look. */
struct stretch {
    int row, from, to;
    struct theme_paint paint;
    const struct look *look;
};

/* Returns a terminal color as "#rrggbb", or `own` if the number is out of range. The upper 240
 * colors are xterm's color cube and grays. */
static const char *color_text(const struct look *look, int number, const char *own,
                              char out[COLOR_TEXT_MAX])
{
    static const unsigned steps[] = {0, 95, 135, 175, 215, 255};
    if (number < 0 || number >= COLORS)
        return own;
    if (number < CUBE_FIRST)
        return look->palette[number];
    unsigned at = (unsigned)number - CUBE_FIRST;
    unsigned red = steps[at / 36 % 6], green = steps[at / 6 % 6], blue = steps[at % 6];
    if (number >= GREY_FIRST)
        red = green = blue = 8 + 10 * ((unsigned)number - GREY_FIRST);
    (void)snprintf(out, COLOR_TEXT_MAX, "#%02x%02x%02x", red, green, blue);
    return out;
}

static void add_escaped(struct str *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '&')
            str_add(out, "&amp;");
        else if (text[i] == '<')
            str_add(out, "&lt;");
        else if (text[i] == '>')
            str_add(out, "&gt;");
        else
            str_add_char(out, text[i]);
    }
}

static const struct cell *cell_at(const struct canvas *canvas, int row, int column)
{
    return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

/* Returns true for printable ASCII, which is positioned in groups. Other symbols may come from
 * fonts with different widths, so they are positioned one by one. */
static bool is_letter(const struct cell *cell)
{
    return cell->rune >= 0x20 && cell->rune < 0x7f && cell->mark == 0;
}

static bool is_blank(const struct cell *cell)
{
    return cell->rune == ' ' && cell->mark == 0;
}

static void add_text(const struct canvas *canvas, const struct stretch *stretch, const char *fill,
                     struct str *out)
{
    str_addf(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\"", MARGIN + stretch->from * CELL_WIDTH,
             MARGIN + stretch->row * CELL_HEIGHT + BASELINE,
             (stretch->to - stretch->from) * CELL_WIDTH);
    if (strcmp(fill, stretch->look->letters) != 0)
        str_addf(out, " fill=\"%s\"", fill);
    if (stretch->paint.bold)
        str_add(out, " font-weight=\"bold\"");
    if (stretch->paint.underline)
        str_add(out, " text-decoration=\"underline\"");
    str_add_char(out, '>');
    struct str text = {0};
    for (int i = stretch->from; i < stretch->to; i++)
        cell_text(cell_at(canvas, stretch->row, i), &text);
    add_escaped(out, str_text(&text), text.len);
    str_done(&text);
    str_add(out, "</text>\n");
}

/* Adds the text of a stretch, split into groups of words and symbols. Blanks are only drawn if
 * underlined. */
static void add_words(const struct canvas *canvas, const struct stretch *stretch, const char *fill,
                      struct str *out)
{
    int at = stretch->from;
    while (at < stretch->to) {
        const struct cell *cell = cell_at(canvas, stretch->row, at);
        struct stretch part = *stretch;
        part.from = at;
        part.to = at + 1;
        if (is_letter(cell)) {
            while (part.to < stretch->to && is_letter(cell_at(canvas, stretch->row, part.to)))
                part.to++;
            at = part.to;
            while (part.from < part.to && !part.paint.underline &&
                   is_blank(cell_at(canvas, stretch->row, part.from)))
                part.from++;
            while (part.to > part.from && !part.paint.underline &&
                   is_blank(cell_at(canvas, stretch->row, part.to - 1)))
                part.to--;
        } else {
            /* Include the right half of a wide symbol, and repetitions of the same symbol, as in
             * divider lines. */
            for (; part.to < stretch->to; part.to++) {
                const struct cell *next = cell_at(canvas, stretch->row, part.to);
                const bool is_again =
                    next->rune == cell->rune && cell->mark == 0 && next->mark == 0;
                if (next->rune != 0 && !is_again)
                    break;
            }
            at = part.to;
        }
        if (part.from < part.to)
            add_text(canvas, &part, fill, out);
    }
}

static void add_stretch(const struct canvas *canvas, const struct stretch *stretch, struct str *out)
{
    char front_text[COLOR_TEXT_MAX], back_text[COLOR_TEXT_MAX];
    const struct theme_paint *paint = &stretch->paint;
    const struct look *look = stretch->look;
    const char *front = color_text(look, paint->front, look->letters, front_text);
    const char *back = color_text(look, paint->back, look->ground, back_text);
    if (paint->reverse) {
        const char *swapped = front;
        front = back;
        back = swapped;
    }
    if (strcmp(back, look->ground) != 0)
        str_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
                 MARGIN + stretch->from * CELL_WIDTH, MARGIN + stretch->row * CELL_HEIGHT,
                 (stretch->to - stretch->from) * CELL_WIDTH, CELL_HEIGHT, back);
    add_words(canvas, stretch, front, out);
}

static const struct look *look_of(const struct theme *theme)
{
    return strcmp(theme->name, "light") == 0 ? &light : &dark;
}

static void add_row(const struct canvas *canvas, const struct theme *theme, int row,
                    struct str *out)
{
    int from = 0;
    while (from < canvas->columns) {
        struct stretch stretch = {.row = row,
                                  .from = from,
                                  .paint = theme_paint(theme, cell_at(canvas, row, from)),
                                  .look = look_of(theme)};
        int to = from + 1;
        for (; to < canvas->columns; to++) {
            const struct theme_paint *paint = &stretch.paint;
            const struct theme_paint next = theme_paint(theme, cell_at(canvas, row, to));
            const bool is_right_half = cell_at(canvas, row, to)->rune == 0;
            const bool is_alike = paint->front == next.front && paint->back == next.back &&
                                  paint->bold == next.bold && paint->underline == next.underline &&
                                  paint->reverse == next.reverse;
            if (!is_right_half && !is_alike)
                break;
        }
        stretch.to = to;
        add_stretch(canvas, &stretch, out);
        from = to;
    }
}

static void add_words_for_readers(const struct canvas *canvas, const char *title, struct str *out)
{
    struct str text = {0};
    text_clean(&text, title, strlen(title));
    str_add(out, "<title id=\"title\">");
    add_escaped(out, str_text(&text), text.len);
    str_clear(&text);
    canvas_to_text(canvas, &text);
    str_add(out, "</title>\n<desc id=\"text\">\n");
    add_escaped(out, str_text(&text), text.len);
    str_add(out, "</desc>\n");
    str_done(&text);
}

void svg_write(const struct canvas *canvas, const struct theme *theme, const char *title,
               struct str *out)
{
    int width = canvas->columns * CELL_WIDTH + 2 * MARGIN;
    int height = canvas->rows * CELL_HEIGHT + 2 * MARGIN;
    str_addf(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
             "viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"title text\">\n",
             width, height, width, height);
    add_words_for_readers(canvas, title, out);
    str_addf(out,
             "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\"/>\n"
             "<g font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"%d\" "
             "fill=\"%s\" xml:space=\"preserve\">\n",
             width, height, look_of(theme)->ground, FONT, look_of(theme)->letters);
    for (int row = 0; row < canvas->rows; row++)
        add_row(canvas, theme, row, out);
    str_add(out, "</g>\n</svg>\n");
}

enum { FIRST_BRIGHT = 8, FIRST_RICH = 16, FRONT = 30, BACK = 40, TO_BRIGHT = 60 };

static void add_color(short color, int base, struct str *out)
{
    if (color == THEME_DEFAULT)
        return;
    if (color < FIRST_BRIGHT)
        str_addf(out, ";%d", base + color);
    else if (color < FIRST_RICH)
        str_addf(out, ";%d", base + TO_BRIGHT + color - FIRST_BRIGHT);
    else
        str_addf(out, ";%d;5;%d", base + 8, color);
}

static void add_paint(const struct theme *theme, const struct cell *cell, struct str *out)
{
    const struct theme_paint paint = theme_paint(theme, cell);
    str_add(out, "\x1b[0");
    if (paint.bold)
        str_add(out, ";1");
    if (paint.underline)
        str_add(out, ";4");
    if (paint.reverse)
        str_add(out, ";7");
    if (!theme->is_mono) {
        add_color(paint.rich != THEME_DEFAULT ? paint.rich : paint.front, FRONT, out);
        add_color(paint.back, BACK, out);
    }
    str_add_char(out, 'm');
}

static bool is_painted_alike(const struct cell *a, const struct cell *b)
{
    return a->style == b->style && a->chosen == b->chosen && a->pointed == b->pointed;
}

/* The position and style of the output. */
struct pen {
    const struct cell *painted; /* cell with the current style; NULL = unknown style */
    int row, column;
};

static void put_cell(const struct canvas *is, const struct theme *theme, struct pen *pen, int at,
                     struct str *out)
{
    const struct cell *cell = &is->cells[at];
    const int row = at / is->columns;
    const int column = at % is->columns;
    const bool is_wide = column + 1 < is->columns && cell[1].rune == 0;
    if (pen->row != row || pen->column != column)
        str_addf(out, "\x1b[%d;%dH", row + 1, column + 1);
    if (!pen->painted || !is_painted_alike(pen->painted, cell))
        add_paint(theme, cell, out);
    cell_text(cell, out);
    *pen = (struct pen){.painted = cell, .row = row, .column = column + (is_wide ? 2 : 1)};
}

void canvas_ansi(const struct canvas *was, const struct canvas *is, const struct theme *theme,
                 struct str *out)
{
    struct pen pen = {.row = -1};
    assert(!was || (was->rows == is->rows && was->columns == is->columns));
    if (!was)
        str_add(out, "\x1b[0m\x1b[2J\x1b[?25l");
    for (int i = 0; i < is->rows * is->columns; i++) {
        const struct cell *now = &is->cells[i];
        const struct cell *old = was ? &was->cells[i] : NULL;
        const bool is_same =
            old && old->rune == now->rune && old->mark == now->mark && is_painted_alike(old, now);
        if (now->rune != 0 && !is_same) /* 0: the right half of a wide symbol */
            put_cell(is, theme, &pen, i, out);
    }
    if (pen.painted)
        str_add(out, "\x1b[0m");
}
