/*
 * canvas.c - draws text and lines on a canvas, and finds the zone under the mouse.
 *
 * A wide character takes two cells: the second has the rune 0, and overwriting one half turns the
 * other into a blank. Text that does not fit ends in an ellipsis. Invisible characters are dropped,
 * because terminals disagree about their width. On an ASCII canvas, each of our symbols has a
 * replacement.
 */
#include "canvas.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

enum { RUNE_ELLIPSIS = 0x2026, RUNE_RULE = 0x2500, RUNE_UPRIGHT = 0x2502 };

/* ASCII replacements of our symbols, by code point. */
static const struct twin {
    uint32_t rune;
    char ascii;
} twins[] = {
    {0x00a0, ' '},  {0x00b7, '.'},  {0x00d7, 'x'}, {0x2010, '-'}, {0x2013, '-'}, {0x2014, '-'},
    {0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'}, {0x2022, '*'}, {0x2026, '.'},
    {0x2190, '<'},  {0x2191, '^'},  {0x2192, '>'}, {0x2193, 'v'}, {0x21bb, '~'}, {0x221e, '@'},
    {0x2298, '/'},  {0x229d, '-'},  {0x23ce, '>'}, {0x2500, '-'}, {0x2502, '|'}, {0x2504, '-'},
    {0x250a, '|'},  {0x250c, '+'},  {0x2510, '+'}, {0x2514, '+'}, {0x2518, '+'}, {0x251c, '|'},
    {0x2524, '|'},  {0x252c, '-'},  {0x2534, '-'}, {0x253c, '+'}, {0x2575, '|'}, {0x2581, '_'},
    {0x2582, '_'},  {0x2583, '.'},  {0x2584, '-'}, {0x2585, '='}, {0x2586, '+'}, {0x2587, '%'},
    {0x2588, '#'},  {0x25a0, '#'},  {0x25b2, '^'}, {0x25b8, '>'}, {0x25cb, '.'}, {0x25cf, '*'},
    {0x25d4, 'z'},  {0x2713, '+'},  {0x2717, 'x'}, {0x275a, '='},
};

/* A rune as it will be drawn. */
struct glyph {
    uint32_t rune;
    int width; /* 0: combines with the previous glyph; -1: draws nothing */
};

static int clamp(int value, int low, int high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

static uint32_t ascii_twin(uint32_t rune)
{
    for (size_t i = 0; i < ARRAY_LEN(twins); i++) {
        if (twins[i].rune == rune)
            return (unsigned char)twins[i].ascii;
    }
    return '?';
}

/* Returns true for variation selectors and joiners: they are invisible, and terminals disagree on
 * how they affect the width. */
static bool shows_nothing(uint32_t rune)
{
    bool selects_variant = (rune >= 0xfe00 && rune <= 0xfe0f) ||
                           (rune >= 0xe0100 && rune <= 0xe01ef) ||
                           (rune >= 0x180b && rune <= 0x180f);
    return selects_variant || rune == 0x200d || rune == 0x034f || rune == 0x17b4 || rune == 0x17b5;
}

static struct glyph glyph_of(uint32_t rune, bool ascii)
{
    if (rune >= 0x20 && rune <= 0x7e)
        return (struct glyph){rune, 1};
    if (shows_nothing(rune))
        return (struct glyph){0, -1};
    if (!rune_is_shown(rune))
        return (struct glyph){'?', 1};

    int width = rune_width(rune);
    if (width < 0)
        return (struct glyph){'?', 1};
    if (ascii)
        return width == 0 ? (struct glyph){0, -1} : (struct glyph){ascii_twin(rune), 1};
    return (struct glyph){rune, width};
}

/* Gets the glyph at the start of a nonempty text. Returns its size in bytes. */
static size_t next_glyph(const char *text, size_t len, bool ascii, struct glyph *out)
{
    uint32_t rune = 0;
    int used = text_rune(text, len, &rune);
    *out = glyph_of(rune, ascii);
    return (size_t)used;
}

/* Returns true if a text takes more than `width` columns. Reads no further than necessary. */
static bool is_longer(const char *text, size_t len, bool ascii, int width)
{
    int total = 0;
    for (size_t at = 0; at < len && total <= width;) {
        struct glyph glyph;
        at += next_glyph(text + at, len - at, ascii, &glyph);
        total += glyph.width > 0 ? glyph.width : 0;
    }
    return total > width;
}

/* Writes one cell. If this cuts a wide rune in two, its other half becomes a blank. */
static void put_cell(struct canvas *canvas, int row, int column, struct cell cell)
{
    struct cell *to = canvas_cell(canvas, row, column);
    if (!to)
        return;
    struct cell *right = canvas_cell(canvas, row, column + 1);
    struct cell *left = canvas_cell(canvas, row, column - 1);
    if (to->rune == 0 && cell.rune != 0 && left)
        left->rune = ' ';
    if (to->rune != 0 && right && right->rune == 0)
        right->rune = ' ';
    cell.chosen = to->chosen;
    cell.pointed = to->pointed;
    *to = cell;
}

static void put_glyph(struct canvas *canvas, int row, int column, struct glyph glyph,
                      enum style style)
{
    struct cell cell = {.rune = glyph.rune, .style = (uint8_t)style};
    bool fits = column >= 0 && column + glyph.width <= canvas->columns;
    if (!fits)
        cell.rune = ' ';
    put_cell(canvas, row, column, cell);
    if (glyph.width < 2)
        return;
    if (fits)
        cell.rune = 0;
    put_cell(canvas, row, column + 1, cell);
}

void canvas_init(struct canvas *canvas, int rows, int columns, bool ascii)
{
    *canvas = (struct canvas){.ascii = ascii};
    canvas_resize(canvas, rows, columns);
}

void canvas_resize(struct canvas *canvas, int rows, int columns)
{
    rows = clamp(rows, 1, CANVAS_ROWS_MAX);
    columns = clamp(columns, 1, CANVAS_COLUMNS_MAX);
    if (!canvas->cells || rows != canvas->rows || columns != canvas->columns) {
        free(canvas->cells);
        canvas->cells = xcalloc((size_t)rows * (size_t)columns, sizeof(struct cell));
        canvas->rows = rows;
        canvas->columns = columns;
    }
    canvas_clear(canvas);
}

void canvas_clear(struct canvas *canvas)
{
    size_t count = (size_t)canvas->rows * (size_t)canvas->columns;
    for (size_t i = 0; i < count; i++)
        canvas->cells[i] = (struct cell){.rune = ' ', .style = STYLE_PLAIN};
    canvas->cursor_row = -1;
    canvas->cursor_column = -1;
    canvas->zone_count = 0;
}

void canvas_done(struct canvas *canvas)
{
    if (!canvas)
        return;
    free(canvas->cells);
    *canvas = (struct canvas){.cells = NULL};
}

struct cell *canvas_cell(struct canvas *canvas, int row, int column)
{
    if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
        return NULL;
    return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

int canvas_text(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    return canvas_text_n(canvas, spot, style, text, strlen(text));
}

int canvas_text_n(struct canvas *canvas, struct spot spot, enum style style, const char *text,
                  size_t len)
{
    assert(style < STYLE_COUNT);

    int width = spot.width;
    if (spot.column >= canvas->columns)
        return 0;
    if (width > canvas->columns - spot.column)
        width = canvas->columns - spot.column;
    if (width <= 0)
        return 0;

    bool cut = is_longer(text, len, canvas->ascii, width);
    int limit = cut ? width - 1 : width;
    int used = 0, last = -1; /* last: column of the glyph that the next combining mark applies to */
    for (size_t at = 0; at < len;) {
        struct glyph glyph;
        at += next_glyph(text + at, len - at, canvas->ascii, &glyph);
        if (glyph.width == 0 && last >= 0) {
            struct cell *cell = canvas_cell(canvas, spot.row, last);
            if (cell && cell->mark == 0)
                cell->mark = glyph.rune;
        }
        if (glyph.width <= 0)
            continue;
        if (used + glyph.width > limit)
            break;
        last = spot.column + used;
        put_glyph(canvas, spot.row, last, glyph, style);
        used += glyph.width;
    }
    if (cut) {
        struct glyph ellipsis = glyph_of(RUNE_ELLIPSIS, canvas->ascii);
        put_glyph(canvas, spot.row, spot.column + used, ellipsis, style);
        used += ellipsis.width;
    }
    return used;
}

const char *canvas_fitting(const char *const *texts, size_t count, int columns)
{
    size_t i = 0;
    while (i + 1 < count && text_width(texts[i], strlen(texts[i])) > columns)
        i++;
    return texts[i];
}

void canvas_rule(struct canvas *canvas, int row, int column, int width)
{
    struct glyph line = glyph_of(RUNE_RULE, canvas->ascii);
    int end = width > canvas->columns - column ? canvas->columns : column + width;
    for (int i = column < 0 ? 0 : column; i < end; i++)
        put_glyph(canvas, row, i, line, STYLE_RULE);
}

void canvas_upright(struct canvas *canvas, int row, int column, int rows)
{
    struct glyph line = glyph_of(RUNE_UPRIGHT, canvas->ascii);
    for (int i = row; i < row + rows; i++)
        put_glyph(canvas, i, column, line, STYLE_RULE);
}

void canvas_blank_row(struct canvas *canvas, int row, enum style style)
{
    for (int i = 0; i < canvas->columns; i++) {
        struct cell *cell = canvas_cell(canvas, row, i);
        if (cell)
            *cell = (struct cell){.rune = ' ', .style = (uint8_t)style};
    }
}

void canvas_choose(struct canvas *canvas, int row, int column, int width)
{
    int end = width > canvas->columns - column ? canvas->columns : column + width;
    for (int i = column < 0 ? 0 : column; i < end; i++) {
        struct cell *cell = canvas_cell(canvas, row, i);
        if (cell)
            cell->chosen = true;
    }
}

void canvas_point(struct canvas *canvas, int row, int column)
{
    struct cell *cell = canvas_cell(canvas, row, column);
    if (cell)
        cell->pointed = true;
}

void canvas_add_zone(struct canvas *canvas, struct spot spot, uint32_t key)
{
    const struct canvas_zone zone = {.spot = spot, .rows = 1, .kind = ZONE_KEY, .value = key};
    canvas_add_area(canvas, &zone);
}

void canvas_add_area(struct canvas *canvas, const struct canvas_zone *zone)
{
    if (canvas->zone_count < CANVAS_ZONES_MAX)
        canvas->zones[canvas->zone_count++] = *zone;
}

const struct canvas_zone *canvas_find_zone(const struct canvas *canvas, int row, int column,
                                           unsigned kinds)
{
    for (int i = canvas->zone_count - 1; i >= 0; i--) {
        const struct canvas_zone *zone = &canvas->zones[i];
        const struct spot *spot = &zone->spot;
        bool is_in = row >= spot->row && row < spot->row + zone->rows && column >= spot->column &&
                     column < spot->column + spot->width;
        if (is_in && (kinds & (1u << zone->kind)) != 0)
            return zone;
    }
    return NULL;
}

void cell_text(const struct cell *cell, struct str *out)
{
    if (cell->rune != 0)
        utf8_add(out, (int32_t)cell->rune);
    if (cell->mark != 0)
        utf8_add(out, (int32_t)cell->mark);
}

void canvas_to_text(const struct canvas *canvas, struct str *out)
{
    for (int row = 0; row < canvas->rows; row++) {
        const struct cell *cells = &canvas->cells[(size_t)row * (size_t)canvas->columns];
        int end = canvas->columns;
        while (end > 0 && cells[end - 1].rune == ' ' && cells[end - 1].mark == 0)
            end--;
        for (int i = 0; i < end; i++)
            cell_text(&cells[i], out);
        str_add_char(out, '\n');
    }
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
    if (a->rows != b->rows || a->columns != b->columns || a->cursor_row != b->cursor_row ||
        a->cursor_column != b->cursor_column)
        return false;
    size_t count = (size_t)a->rows * (size_t)a->columns;
    for (size_t i = 0; i < count; i++) {
        const struct cell *x = &a->cells[i], *y = &b->cells[i];
        if (x->rune != y->rune || x->mark != y->mark || x->style != y->style ||
            x->chosen != y->chosen || x->pointed != y->pointed)
            return false;
    }
    return true;
}
