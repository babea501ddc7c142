/*
 * canvas.h - a frame as data: cells of one column with a rune and a style.
 *
 * Screens are drawn here, then carried to a terminal, compared in tests or
 * printed as text. Pure; no terminal is needed.
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

/* What a cell is for, not how it looks: the theme decides that. */
enum style {
    STYLE_PLAIN,
    STYLE_HEAD,   /* top line */
    STYLE_RULE,   /* lines between panes */
    STYLE_COLUMN, /* column heads */
    STYLE_NEEDS_YOU,
    STYLE_BACKOFF,
    STYLE_RUNNING,
    STYLE_QUIET,
    STYLE_HELD,
    STYLE_PASSED,
    STYLE_FAILED,    /* gave up, stuck */
    STYLE_LOST,      /* its process is gone, and nobody saw it end */
    STYLE_SUSPECT,   /* may be looping */
    STYLE_PHASE_RED, /* the phases, in bars and strips: a letter stands there, too */
    STYLE_PHASE_GREEN,
    STYLE_PHASE_VERIFY,
    STYLE_PHASE_REFACTOR,
    STYLE_KEY,    /* a key in the footer or in help */
    STYLE_DEAD,   /* one that does nothing now */
    STYLE_LABEL,  /* "next", "why", ... */
    STYLE_MATCH,  /* the rule's bytes, a search hit */
    STYLE_BANNER, /* something is wrong with devs itself */
    STYLE_MILD,   /* the same, where it keeps nobody from anything */
    STYLE_REPLAY, /* the bar that says this is not live */
    STYLE_PROMPT,
    STYLE_COUNT,
};

struct cell {
    uint32_t rune; /* 0: right half of a wide rune */
    uint32_t mark; /* one combining rune drawn with it, 0 = none */
    uint8_t style; /* enum style */
    bool chosen;   /* in the chosen row */
    bool pointed;  /* a cursor of ours is on it */
};

/* Where and how wide a text may be. */
struct spot {
    int row, column;
    int width; /* columns at most; text that is longer ends in an ellipsis */
};

/* What a mouse finds at a place. */
enum zone_kind {
    ZONE_KEY,  /* value: the key that a click stands for */
    ZONE_ROW,  /* value: of the view's rows, by position */
    ZONE_ITEM, /* value: of what the screen lists, by position: tries, captures, runs */
    ZONE_HEAD, /* value: enum zone_head; a click orders the list by it */
    ZONE_PANE, /* value: the screen's own number of the pane */
    ZONE_TIME, /* value: nothing; a line whose left end is the run's start, its right one the end */
    ZONE_EVENT, /* value: the number of a record */
    ZONE_KIND_COUNT,
};
/* Kinds as bits. */
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
    int rows; /* how many of the canvas, from spot.row on */
    enum zone_kind kind;
    uint32_t value;
};

struct canvas {
    struct cell *cells; /* owned, row by row */
    int rows, columns;
    bool ascii;                    /* draw no rune above 0x7e */
    int cursor_row, cursor_column; /* where the terminal's cursor goes; -1 = hidden */
    struct canvas_zone zones[CANVAS_ZONES_MAX];
    int zone_count;
};

/* All blank. A size out of bounds is clamped. */
void canvas_init(struct canvas *canvas, int rows, int columns, bool ascii);
/* Another size; blank, as canvas_clear() leaves it. */
void canvas_resize(struct canvas *canvas, int rows, int columns);
/* Blank cells, no zones, no cursor. */
void canvas_clear(struct canvas *canvas);
/* Frees the cells; an empty canvas afterwards. */
void canvas_done(struct canvas *canvas);

/* NULL outside the canvas. */
struct cell *canvas_cell(struct canvas *canvas, int row, int column);

/* Draw UTF-8 text; control bytes and invalid UTF-8 become '?', in ASCII mode
 * every rune above 0x7e too. Returns the columns used. Out of range is clipped. */
int canvas_text(struct canvas *canvas, struct spot spot, enum style style, const char *text);
/* The same of `len` bytes. */
int canvas_text_n(struct canvas *canvas, struct spot spot, enum style style, const char *text,
                  size_t len);
/* Of several ways to say the same the first that so many columns hold, else the last. */
const char *canvas_fitting(const char *const *texts, size_t count, int columns);
/* A horizontal line of '─' or '-'. */
void canvas_rule(struct canvas *canvas, int row, int column, int width);
/* An upright line of '│' or '|', so many rows high. */
void canvas_upright(struct canvas *canvas, int row, int column, int rows);
/* Take away what is in a row; nothing outside the canvas. */
void canvas_blank_row(struct canvas *canvas, int row, enum style style);
/* Mark a row as the chosen one. */
void canvas_choose(struct canvas *canvas, int row, int column, int width);
/* Mark one cell as the one that a cursor of ours is on; nothing outside the canvas. */
void canvas_point(struct canvas *canvas, int row, int column);

/* A click in this row stands for a key, until the canvas is cleared; what there is no room for is
 * left out. */
void canvas_add_zone(struct canvas *canvas, struct spot spot, uint32_t key);
/* The same for any zone. */
void canvas_add_area(struct canvas *canvas, const struct canvas_zone *zone);
/* The zone there, of these kinds (ZONES_*); where zones overlap, the last one. NULL = none. */
const struct canvas_zone *canvas_find_zone(const struct canvas *canvas, int row, int column,
                                           unsigned kinds);

/* Append what is in a cell, as UTF-8; nothing for the right half of a wide rune. */
void cell_text(const struct cell *cell, struct str *out);
/* The frame as text, trailing blanks cut, a line feed after each row. */
void canvas_to_text(const struct canvas *canvas, struct str *out);

/* The same size, cells and cursor? Zones do not count. */
bool canvas_equal(const struct canvas *a, const struct canvas *b);

#endif
