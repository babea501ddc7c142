/* term_draw.c - draws canvases on the ncurses screen with a theme. Writes only changed cells. */
#include <assert.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "term_internal.h"
#include "xalloc.h"

struct term_paint {
    bool has_color;
    struct look looks[STYLE_COUNT];
};

enum { COLORS_NEEDED = 8, COLORS_WITH_BRIGHT = 16, BRIGHT = 8 };

/* Returns the color to use on this terminal. With eight colors, a bright color becomes a dark one
 * in bold; unavailable colors become the default. */
static short color_here(short color, unsigned *attrs)
{
    if (color < COLORS)
        return color;
    if (color >= COLORS_WITH_BRIGHT)
        return THEME_DEFAULT;
    *attrs |= A_BOLD;
    return (short)(color - BRIGHT);
}

static struct look look_of(const struct theme_paint *paint, short pair, bool is_colored)
{
    struct look look = {.pair = 0};
    if (paint->bold)
        look.attrs |= A_BOLD;
    if (paint->underline)
        look.attrs |= A_UNDERLINE;
    if (paint->reverse)
        look.attrs |= A_REVERSE;
    short front = paint->front;
    if (!is_colored)
        return look;
    if (paint->rich != THEME_DEFAULT && COLORS >= THEME_COLORS)
        front = paint->rich;
    unsigned ignored = 0; /* backgrounds cannot be bold */
    front = color_here(front, &look.attrs);
    const short back = color_here(paint->back, &ignored);
    bool is_own = front == THEME_DEFAULT && back == THEME_DEFAULT;
    if (!is_own && init_pair(pair, front, back) != ERR)
        look.pair = pair;
    return look;
}

/* Allocates the color pairs. Uses the theme "mono" if the terminal has no colors or colors are
 * turned off. */
static void term_paint_set(struct term_paint *paint, const struct theme *theme, bool color_wanted)
{
    struct theme mono;
    bool is_known = theme_named("mono", &mono);
    assert(is_known);
    (void)is_known;
    paint->has_color = color_wanted && !theme->is_mono && has_colors() && start_color() != ERR &&
                       COLORS >= COLORS_NEEDED && use_default_colors() != ERR;
    const struct theme *taken = paint->has_color ? theme : &mono;
    for (int i = 0; i < STYLE_COUNT; i++)
        paint->looks[i] = look_of(&taken->paints[i], (short)(i + 1), paint->has_color);
}

struct term_draw {
    struct term_paint paint;
    bool utf8;
    bool color_wanted;
    bool cursor_shown;
    struct canvas shown; /* the terminal's contents; cells NULL = unknown */
    cchar_t run[CANVAS_COLUMNS_MAX];
};

struct term_draw *term_draw_open(bool utf8, bool color_wanted)
{
    struct term_draw *draw = xcalloc(1, sizeof(*draw));
    struct theme theme;
    draw->utf8 = utf8;
    draw->color_wanted = color_wanted;
    if (theme_named("auto", &theme))
        term_paint_set(&draw->paint, &theme, color_wanted);
    return draw;
}

void term_draw_close(struct term_draw *draw)
{
    if (!draw)
        return;
    canvas_done(&draw->shown);
    free(draw);
}

void term_draw_set_theme(struct term_draw *draw, const struct theme *theme)
{
    term_paint_set(&draw->paint, theme, draw->color_wanted);
    term_draw_forget(draw);
}

bool term_draw_is_utf8(const struct term_draw *draw)
{
    return draw->utf8;
}

/* Returns true if the terminal draws this rune with the width it has on the canvas. */
static bool can_draw(const struct term_draw *draw, const struct cell *cell, bool wide)
{
    if (cell->rune >= 0x20 && cell->rune <= 0x7e)
        return !wide;
    return draw->utf8 && wcwidth((wchar_t)cell->rune) == (wide ? 2 : 1);
}

/* Makes the ncurses cell for column `i` of a row. Returns false for the right half of a wide rune,
 * which is drawn with its left half. */
static bool make_cell(const struct term_draw *draw, const struct cell *row, int columns, int i,
                      cchar_t *out)
{
    const struct cell *cell = &row[i];
    bool wide = i + 1 < columns && cell->rune != 0 && row[i + 1].rune == 0;
    wchar_t text[3] = {L'?', L'\0', L'\0'};
    if (cell->rune == 0) {
        if (i > 0 && can_draw(draw, &row[i - 1], true))
            return false;
        text[0] = L' ';
    } else if (can_draw(draw, cell, wide)) {
        text[0] = (wchar_t)cell->rune;
        if (cell->mark != 0 && draw->utf8 && wcwidth((wchar_t)cell->mark) == 0)
            text[1] = (wchar_t)cell->mark;
    }
    assert(cell->style < STYLE_COUNT);
    struct look look = draw->paint.looks[cell->style];
    if (cell->chosen)
        look.attrs |= A_BOLD;
    if (cell->pointed)
        look.attrs ^= A_REVERSE;
    (void)setcchar(out, text, look.attrs, look.pair, NULL);
    return true;
}

static bool cells_equal(const struct cell *a, const struct cell *b)
{
    return a->rune == b->rune && a->mark == b->mark && a->style == b->style &&
           a->chosen == b->chosen && a->pointed == b->pointed;
}

static void put_changes(struct term_draw *draw, const struct canvas *canvas, int row, int columns)
{
    size_t first = (size_t)row * (size_t)canvas->columns;
    const struct cell *now = &canvas->cells[first];
    const struct cell *old = draw->shown.cells ? &draw->shown.cells[first] : NULL;
    int i = 0;
    while (i < columns) {
        if (old && cells_equal(&now[i], &old[i])) {
            i++;
            continue;
        }
        int from = i;
        while (i < columns && !(old && cells_equal(&now[i], &old[i])))
            i++;
        if (now[from].rune == 0 && from > 0)
            from--; /* start at the left half of a wide rune */
        int count = 0;
        for (int column = from; column < i; column++)
            count += make_cell(draw, now, canvas->columns, column, &draw->run[count]);
        if (count > 0)
            (void)mvadd_wchnstr(row, from, draw->run, count);
    }
}

void term_draw_show(struct term_draw *draw, const struct canvas *canvas, int rows, int columns)
{
    struct canvas *shown = &draw->shown;
    if (shown->cells && (shown->rows != canvas->rows || shown->columns != canvas->columns))
        term_draw_forget(draw);
    if (shown->cells && canvas_equal(shown, canvas))
        return;

    if (!shown->cells)
        (void)erase();
    rows = canvas->rows < rows ? canvas->rows : rows;
    columns = canvas->columns < columns ? canvas->columns : columns;
    for (int row = 0; row < rows; row++)
        put_changes(draw, canvas, row, columns);
    const bool has_cursor = canvas->cursor_row >= 0 && canvas->cursor_row < rows &&
                            canvas->cursor_column >= 0 && canvas->cursor_column < columns;
    if (has_cursor != draw->cursor_shown)
        (void)curs_set(has_cursor ? 1 : 0);
    draw->cursor_shown = has_cursor;
    if (has_cursor)
        (void)move(canvas->cursor_row, canvas->cursor_column);
    (void)wnoutrefresh(stdscr);
    (void)doupdate();

    if (!shown->cells)
        canvas_init(shown, canvas->rows, canvas->columns, canvas->ascii);
    memcpy(shown->cells, canvas->cells,
           (size_t)canvas->rows * (size_t)canvas->columns * sizeof(*canvas->cells));
    shown->cursor_row = canvas->cursor_row;
    shown->cursor_column = canvas->cursor_column;
}

void term_draw_forget(struct term_draw *draw)
{
    canvas_done(&draw->shown);
    (void)clearok(curscr, TRUE);
}

void term_draw_hide_cursor(struct term_draw *draw)
{
    draw->cursor_shown = false;
    (void)curs_set(0);
}
