#include "term_paint.h"

#include <assert.h>
#include <ncurses.h>

enum { COLOURS_NEEDED = 8, COLOURS_WITH_BRIGHT = 16, BRIGHT = 8 };

static bool has_colours(void)
{
    return has_colors() && start_color() != ERR && COLORS >= COLOURS_NEEDED &&
           use_default_colors() != ERR;
}

/* The colour as this terminal has it; bright ones of eight are the dark ones in bold, what
 * it does not have is its default. */
static short colour_here(short colour, unsigned *attrs)
{
    if (colour < COLORS)
        return colour;
    if (colour >= COLOURS_WITH_BRIGHT)
        return THEME_DEFAULT;
    *attrs |= A_BOLD;
    return (short)(colour - BRIGHT);
}

static struct look look_of(const struct theme_paint *paint, short pair, bool is_coloured)
{
    struct look look = {.pair = 0};
    if (paint->bold)
        look.attrs |= A_BOLD;
    if (paint->underline)
        look.attrs |= A_UNDERLINE;
    if (paint->reverse)
        look.attrs |= A_REVERSE;
    short front = paint->front;
    if (!is_coloured)
        return look;
    if (paint->rich != THEME_DEFAULT && COLORS >= THEME_COLOURS)
        front = paint->rich;
    unsigned ignored = 0; /* a background cannot be bold */
    front = colour_here(front, &look.attrs);
    const short back = colour_here(paint->back, &ignored);
    bool is_own = front == THEME_DEFAULT && back == THEME_DEFAULT;
    if (!is_own && init_pair(pair, front, back) != ERR)
        look.pair = pair;
    return look;
}

void term_paint_set(struct term_paint *paint, const struct theme *theme, bool colour_wanted)
{
    struct theme mono;
    bool is_known = theme_named("mono", &mono);
    assert(is_known);
    (void)is_known;
    paint->has_colours = colour_wanted && !theme->is_mono && has_colours();
    const struct theme *taken = paint->has_colours ? theme : &mono;
    for (int i = 0; i < STYLE_COUNT; i++)
        paint->looks[i] = look_of(&taken->paints[i], (short)(i + 1), paint->has_colours);
}

struct look term_paint_look(const struct term_paint *paint, const struct cell *cell)
{
    assert(cell->style < STYLE_COUNT);
    struct look look = paint->looks[cell->style];
    if (cell->chosen)
        look.attrs |= A_BOLD;
    if (cell->pointed)
        look.attrs ^= A_REVERSE;
    return look;
}
