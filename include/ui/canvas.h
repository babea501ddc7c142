/*
 * canvas.h - a frame as data: one-column cells, each with a rune and a style.
 *
 * Screens are drawn on a canvas, which is then shown on a terminal, compared in tests or printed as
 * text. Pure; needs no terminal.
 */
#ifndef DEVS_CANVAS_H
#define DEVS_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

enum {
    CANVAS_COLUMNS_MAX = 1000,
    CANVAS_ROWS_MAX = 1000,
    CANVAS_ZONES_MAX = 256,
};

/* The meaning of a cell. The theme decides how it looks. */
enum style {
    STYLE_PLAIN,
    STYLE_HEAD,   /* top line */
    STYLE_RULE,   /* lines between panes */
    STYLE_COLUMN, /* column headings */
    STYLE_NEEDS_YOU,
    STYLE_BACKOFF,
    STYLE_RUNNING,
    STYLE_QUIET,
    STYLE_HELD,
    STYLE_PASSED,
    STYLE_FAILED,    /* gave up, or stuck */
    STYLE_LOST,      /* the process has died, and its exit was not observed */
    STYLE_SUSPECT,   /* may be looping */
    STYLE_PHASE_RED, /* the phases, in bars and strips; each also shows a letter */
    STYLE_PHASE_GREEN,
    STYLE_PHASE_VERIFY,
    STYLE_PHASE_REFACTOR,
    STYLE_KEY,    /* a key in the footer or in help */
    STYLE_DEAD,   /* a key that does nothing at the moment */
    STYLE_LABEL,  /* "next", "why", ... */
    STYLE_MATCH,  /* the bytes a rule matched, a search hit */
    STYLE_BANNER, /* a problem of devs itself */
    STYLE_MILD,   /* like STYLE_BANNER, for problems that do not stop the user from working */
    STYLE_REPLAY, /* the bar that marks a replay */
    STYLE_PROMPT,
    STYLE_COUNT,
};

struct cell {
    uint32_t rune; /* 0: right half of a wide rune */
    uint32_t mark; /* a combining rune drawn with it; 0 = none */
    uint8_t style; /* enum style */
    bool chosen;   /* the cell is in the selected row */
    bool pointed;  /* the cell is under a cursor that devs draws */
};

/* Position of a string and the width available for it. */
struct spot {
    int row, column;
    int width; /* at most this many columns; longer text ends in an ellipsis */
};

/* The kind of object under the mouse. */
enum zone_kind {
    ZONE_KEY,   /* value: the key that a click sends */
    ZONE_ROW,   /* value: index of a row of the view */
    ZONE_ITEM,  /* value: index of a listed item: tries, captures, runs */
    ZONE_HEAD,  /* value: enum zone_head; a click sorts the list by it */
    ZONE_PANE,  /* value: pane number, as the screen numbers them */
    ZONE_TIME,  /* value: unused; a bar from the run's start (left) to its end (right) */
    ZONE_EVENT, /* value: the number of a record */
    ZONE_KIND_COUNT,
};
/* The kinds as bits. */
enum {
    ZONES_KEY = 1 << ZONE_KEY,
    ZONES_ROW = 1 << ZONE_ROW,
    ZONES_ITEM = 1 << ZONE_ITEM,
    ZONES_HEAD = 1 << ZONE_HEAD,
    ZONES_PANE = 1 << ZONE_PANE,
    ZONES_TIME = 1 << ZONE_TIME,
    ZONES_EVENT = 1 << ZONE_EVENT,
};
struct canvas_zone {
    struct spot spot;
    int rows; /* number of canvas rows, starting at spot.row */
    enum zone_kind kind;
    uint32_t value;
};

struct canvas {
    struct cell *cells; /* owned, row by row */
    int rows, columns;
    bool ascii;                    /* draw no rune above 0x7e */
    int cursor_row, cursor_column; /* position of the terminal's cursor; -1 = hidden */
    struct canvas_zone zones[CANVAS_ZONES_MAX];
    int zone_count;
};

/* Starts with all cells blank. Clamps a size that is out of bounds. */
void canvas_init(struct canvas *canvas, int rows, int columns, bool ascii);
/* Changes the size and clears the canvas, like canvas_clear(). */
void canvas_resize(struct canvas *canvas, int rows, int columns);
/* Blanks all cells; removes zones and cursor. */
void canvas_clear(struct canvas *canvas);
/* Frees the cells and leaves an empty canvas. */
void canvas_done(struct canvas *canvas);

/* Returns the cell, or NULL outside the canvas. */
struct cell *canvas_cell(struct canvas *canvas, int row, int column);

/* Draws UTF-8 text. Control bytes and invalid UTF-8 become '?'; in ASCII mode, so does every rune
 * above 0x7e. Clips at the canvas edges. Returns the number of columns used. */
int canvas_text(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* Like canvas_text(), for `len` bytes. */
int canvas_text_n(struct canvas *canvas, struct spot spot, enum style style, const char *text,
                  size_t len);
/* Returns the first of several wordings that fits in `columns`, or the last one if none does. */
const char *canvas_fitting(const char *const *texts, size_t count, int columns);
/* Draws a horizontal line of '─' or '-'. */
void canvas_rule(struct canvas *canvas, int row, int column, int width);
/* Draws a vertical line of '│' or '|'. */
void canvas_upright(struct canvas *canvas, int row, int column, int rows);
/* Blanks a row. Does nothing outside the canvas. */
void canvas_blank_row(struct canvas *canvas, int row, enum style style);
/* Marks a row as selected. */
void canvas_choose(struct canvas *canvas, int row, int column, int width);
/* Marks one cell as being under a cursor that devs draws. Does nothing outside the canvas. */
void canvas_point(struct canvas *canvas, int row, int column);

/* Makes a click in `spot` send `key`, until the canvas is cleared. Zones beyond CANVAS_ZONES_MAX
 * are dropped. */
void canvas_add_zone(struct canvas *canvas, struct spot spot, uint32_t key);
/* Like canvas_add_zone(), for a zone of any kind. */
void canvas_add_area(struct canvas *canvas, const struct canvas_zone *zone);
/* Returns the zone of one of these kinds (ZONES_*) at the position, or NULL. The last one added
 * wins where zones overlap. */
const struct canvas_zone *canvas_find_zone(const struct canvas *canvas, int row, int column,
                                           unsigned kinds);

/* Appends the cell's content as UTF-8; nothing for the right half of a wide rune. */
void cell_text(const struct cell *cell, struct str *out);
/* Appends the frame as text, without trailing blanks, with a line feed after each row. */
void canvas_to_text(const struct canvas *canvas, struct str *out);

/* Compares size, cells and cursor, but not zones. */
bool canvas_equal(const struct canvas *a, const struct canvas *b);

#endif
