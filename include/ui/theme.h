/*
 * theme.h - how the styles of a canvas look: built-in themes and user-defined ones.
 *
 * Pure; any thread. Colors are numbers in the terminal's palette, on its own background. No
 * built-in theme uses color 8 or dim text, because both are invisible in common palettes.
 */
#ifndef DEVS_THEME_H
#define DEVS_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "canvas.h"
#include "err.h"

enum {
    THEME_DEFAULT = -1, /* the terminal's default color */
    THEME_COLORS = 256,
    THEME_NAME_MAX = 32,
    THEME_BYTES_MAX = 64 * 1024, /* maximum size of a theme file */
};

/* How a style looks. */
struct theme_paint {
    short front, back; /* 0..255, or THEME_DEFAULT */
    short rich;        /* foreground when there are 256 colors; THEME_DEFAULT = same as `front` */
    bool bold, underline, reverse;
};

struct theme {
    char name[THEME_NAME_MAX];
    bool is_mono; /* no color at all, even if the terminal has colors */
    struct theme_paint paints[STYLE_COUNT];
};

/* Finds a built-in theme. Returns false if there is none with this name. */
ATTR_MUST_USE bool theme_named(const char *name, struct theme *out);
/* Returns "auto", "dark", ... in display order; NULL past the last. */
const char *theme_name_at(size_t index);

/* Parses a user's theme: an object of styles, each listing the members that differ ("fg", "bg",
 * "bold", "underline", "reverse") from the theme named by "like" (default "auto"). Fails with
 * ERR_INVALID and a message that begins with the line number, or with ERR_LIMIT if `text` is longer
 * than THEME_BYTES_MAX. */
ATTR_MUST_USE bool theme_parse(const char *text, size_t len, struct theme *out, struct err *err);

/* Returns how a cell looks. In the selected row it is bold, so that its colors still show the
 * state. Under a cursor that devs draws, foreground and background are swapped. */
struct theme_paint theme_paint(const struct theme *theme, const struct cell *cell);

/* Returns a style's name in theme files: "needs-you", ... */
const char *theme_style_name(enum style style);

#endif
