#include "canvas_ansi.h"

#include <assert.h>

enum { FIRST_BRIGHT = 8, FIRST_RICH = 16, FRONT = 30, BACK = 40, TO_BRIGHT = 60 };

static void add_colour(short colour, int base, struct str *out)
{
    if (colour == THEME_DEFAULT)
        return;
    if (colour < FIRST_BRIGHT)
        str_addf(out, ";%d", base + colour);
    else if (colour < FIRST_RICH)
        str_addf(out, ";%d", base + TO_BRIGHT + colour - FIRST_BRIGHT);
    else
        str_addf(out, ";%d;5;%d", base + 8, colour);
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
        add_colour(paint.rich != THEME_DEFAULT ? paint.rich : paint.front, FRONT, out);
        add_colour(paint.back, BACK, out);
    }
    str_add_char(out, 'm');
}

static bool is_painted_alike(const struct cell *a, const struct cell *b)
{
    return a->style == b->style && a->chosen == b->chosen && a->pointed == b->pointed;
}

static bool is_same(const struct cell *a, const struct cell *b)
{
    return a->rune == b->rune && a->mark == b->mark && is_painted_alike(a, b);
}

/* Where the pen is, and how it paints. */
struct pen {
    const struct cell *painted; /* NULL = in no way of ours yet */
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
        const bool is_right_half = is->cells[i].rune == 0;
        if (!is_right_half && (!was || !is_same(&was->cells[i], &is->cells[i])))
            put_cell(is, theme, &pen, i, out);
    }
    if (pen.painted)
        str_add(out, "\x1b[0m");
}
