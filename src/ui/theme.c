#include "theme.h"

#include <assert.h>
#include <ncurses.h>

#include "attr.h"

enum { DEFAULT = -1, COLOURS_NEEDED = 8 };

/* One row a style: colours, what goes with them, and what stands for both where
 * there are none. */
static const struct style_look {
    short front, back;
    unsigned attrs, mono;
} looks[] = {
    [STYLE_PLAIN] = {DEFAULT, DEFAULT, 0, 0},
    [STYLE_HEAD] = {DEFAULT, DEFAULT, A_BOLD, A_BOLD},
    [STYLE_RULE] = {DEFAULT, DEFAULT, 0, 0},
    [STYLE_COLUMN] = {DEFAULT, DEFAULT, A_BOLD, A_BOLD},
    [STYLE_NEEDS_YOU] = {COLOR_BLACK, COLOR_YELLOW, 0, A_REVERSE},
    [STYLE_BACKOFF] = {COLOR_YELLOW, DEFAULT, 0, 0},
    [STYLE_RUNNING] = {COLOR_CYAN, DEFAULT, 0, A_BOLD},
    [STYLE_QUIET] = {COLOR_CYAN, DEFAULT, A_UNDERLINE, A_UNDERLINE},
    [STYLE_HELD] = {COLOR_MAGENTA, DEFAULT, 0, A_UNDERLINE},
    [STYLE_PASSED] = {COLOR_GREEN, DEFAULT, 0, A_BOLD},
    [STYLE_FAILED] = {COLOR_RED, DEFAULT, 0, A_BOLD | A_REVERSE},
    [STYLE_SUSPECT] = {COLOR_YELLOW, DEFAULT, A_BOLD, A_BOLD | A_UNDERLINE},
    [STYLE_KEY] = {DEFAULT, DEFAULT, A_BOLD, A_BOLD},
    [STYLE_LABEL] = {DEFAULT, DEFAULT, A_BOLD, A_BOLD},
    [STYLE_MATCH] = {DEFAULT, DEFAULT, A_BOLD | A_UNDERLINE, A_BOLD | A_UNDERLINE},
    [STYLE_BANNER] = {COLOR_WHITE, COLOR_RED, A_BOLD, A_BOLD | A_REVERSE},
    [STYLE_REPLAY] = {DEFAULT, DEFAULT, A_REVERSE, A_REVERSE},
    [STYLE_PROMPT] = {DEFAULT, DEFAULT, 0, 0},
};
static_assert(ARRAY_LEN(looks) == STYLE_COUNT, "every style has a look");

static bool is_coloured(const struct style_look *look)
{
    return look->front != DEFAULT || look->back != DEFAULT;
}

enum theme theme_start(bool colour_wanted)
{
    if (!colour_wanted || !has_colors() || start_color() == ERR || COLORS < COLOURS_NEEDED)
        return THEME_MONO;
    if (use_default_colors() == ERR)
        return THEME_MONO;
    for (size_t i = 0; i < ARRAY_LEN(looks); i++) {
        if (is_coloured(&looks[i]) &&
            init_pair((short)(i + 1), looks[i].front, looks[i].back) == ERR)
            return THEME_MONO;
    }
    return THEME_COLOUR;
}

struct look theme_look(enum theme theme, const struct cell *cell)
{
    assert(cell->style < STYLE_COUNT);
    const struct style_look *style = &looks[cell->style];
    struct look look = {.attrs = style->mono, .pair = 0};
    if (theme == THEME_COLOUR) {
        look.attrs = style->attrs;
        look.pair = is_coloured(style) ? (short)(cell->style + 1) : (short)0;
    }
    if (cell->chosen)
        look.attrs ^= A_REVERSE;
    return look;
}
