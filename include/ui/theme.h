/*
 * theme.h - how the styles of a canvas look: the built-in themes, and a person's own.
 *
 * Pure; any thread. Colors are numbers of the terminal's palette on its own background; no
 * built-in theme uses number 8 or dim text, for both vanish in common palettes.
 */
#ifndef DEVS_THEME_H
#define DEVS_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "canvas.h"
#include "err.h"

enum {
    THEME_DEFAULT = -1, /* the color that the terminal has by itself */
    THEME_COLORS = 256,
    THEME_NAME_MAX = 32,
    THEME_BYTES_MAX = 64 * 1024, /* of a file */
};

/* How a style looks. */
struct theme_paint {
    short front, back; /* 0..255, or THEME_DEFAULT */
    short rich;        /* the front where there are 256 colors; THEME_DEFAULT = `front` */
    bool bold, underline, reverse;
};

struct theme {
    char name[THEME_NAME_MAX];
    bool is_mono; /* no color at all, whatever the terminal has */
    struct theme_paint paints[STYLE_COUNT];
};

/* One of the built-in themes; false if none has the name. */
ATTR_MUST_USE bool theme_named(const char *name, struct theme *out);
/* "auto", "dark", ... in this order; NULL past the last. */
const char *theme_name_at(size_t index);

/* Read a person's theme: an object of styles, each with what differs ("fg", "bg", "bold",
 * "underline", "reverse") from the theme named by "like", which is "auto" if it is missing.
 * ERR_INVALID: the message begins with the line. */
ATTR_MUST_USE bool theme_parse(const char *text, size_t len, struct theme *out, struct err *err);

/* How a cell looks. In the chosen row it is bold: its colors go on to tell the state. Where a
 * cursor of ours is, front and back are changed over. */
struct theme_paint theme_paint(const struct theme *theme, const struct cell *cell);

/* "needs-you", ...: what a style is called in a theme's file. */
const char *theme_style_name(enum style style);

#endif
