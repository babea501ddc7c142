#include "theme.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"

enum {
    NONE = THEME_DEFAULT,
    BLACK = 0,
    RED,
    GREEN,
    YELLOW,
    BLUE,
    MAGENTA,
    CYAN,
    WHITE,
    BRIGHT_RED = 9,
    BRIGHT_GREEN,
    BRIGHT_YELLOW,
    BRIGHT_BLUE,
    BRIGHT_MAGENTA,
    BRIGHT_CYAN,
    BRIGHT_WHITE,
    BROWN = 94, /* from here on of the 256 */
    DARK_GREEN = 22,
    DARK_CYAN = 30,
    ORANGE = 208,
};

#define PLAIN                                                                                      \
    {                                                                                              \
        NONE, NONE, NONE, false, false, false                                                      \
    }
#define BOLD                                                                                       \
    {                                                                                              \
        NONE, NONE, NONE, true, false, false                                                       \
    }
#define UNDER                                                                                      \
    {                                                                                              \
        NONE, NONE, NONE, false, true, false                                                       \
    }
#define BOLD_UNDER                                                                                 \
    {                                                                                              \
        NONE, NONE, NONE, true, true, false                                                        \
    }
#define REVERSE                                                                                    \
    {                                                                                              \
        NONE, NONE, NONE, false, false, true                                                       \
    }
#define BOLD_REVERSE                                                                               \
    {                                                                                              \
        NONE, NONE, NONE, true, false, true                                                        \
    }
#define INK(front)                                                                                 \
    {                                                                                              \
        front, NONE, NONE, false, false, false                                                     \
    }
#define INK_BOLD(front)                                                                            \
    {                                                                                              \
        front, NONE, NONE, true, false, false                                                      \
    }
#define INK_UNDER(front)                                                                           \
    {                                                                                              \
        front, NONE, NONE, false, true, false                                                      \
    }
#define ON(front, back)                                                                            \
    {                                                                                              \
        front, back, NONE, false, false, false                                                     \
    }
#define ON_BOLD(front, back)                                                                       \
    {                                                                                              \
        front, back, NONE, true, false, false                                                      \
    }
#define ON_UNDER(front, back)                                                                      \
    {                                                                                              \
        front, back, NONE, false, true, false                                                      \
    }

static const struct theme_paint auto_paints[] = {
    [STYLE_PLAIN] = PLAIN,
    [STYLE_HEAD] = BOLD,
    [STYLE_RULE] = PLAIN,
    [STYLE_COLUMN] = BOLD,
    [STYLE_NEEDS_YOU] = ON(BLACK, YELLOW),
    [STYLE_BACKOFF] = INK(YELLOW),
    [STYLE_RUNNING] = INK(CYAN),
    [STYLE_QUIET] = INK_UNDER(CYAN),
    [STYLE_HELD] = INK(MAGENTA),
    [STYLE_PASSED] = INK(GREEN),
    [STYLE_FAILED] = INK(RED),
    [STYLE_LOST] = {RED, NONE, NONE, false, false, true},
    [STYLE_SUSPECT] = INK_BOLD(YELLOW),
    [STYLE_PHASE_RED] = INK(MAGENTA),
    [STYLE_PHASE_GREEN] = INK(BLUE),
    [STYLE_PHASE_VERIFY] = INK(CYAN),
    [STYLE_PHASE_REFACTOR] = PLAIN,
    [STYLE_KEY] = BOLD,
    [STYLE_DEAD] = PLAIN,
    [STYLE_LABEL] = BOLD,
    [STYLE_MATCH] = BOLD_UNDER,
    [STYLE_BANNER] = ON_BOLD(WHITE, RED),
    [STYLE_MILD] = ON(BLACK, YELLOW),
    [STYLE_REPLAY] = REVERSE,
    [STYLE_PROMPT] = PLAIN,
};
static_assert(ARRAY_LEN(auto_paints) == STYLE_COUNT, "every style has a look");

static const struct theme_paint mono_paints[] = {
    [STYLE_PLAIN] = PLAIN,          [STYLE_HEAD] = BOLD,
    [STYLE_RULE] = PLAIN,           [STYLE_COLUMN] = BOLD,
    [STYLE_NEEDS_YOU] = REVERSE,    [STYLE_BACKOFF] = PLAIN,
    [STYLE_RUNNING] = BOLD,         [STYLE_QUIET] = UNDER,
    [STYLE_HELD] = UNDER,           [STYLE_PASSED] = BOLD,
    [STYLE_FAILED] = BOLD_REVERSE,  [STYLE_LOST] = REVERSE,
    [STYLE_SUSPECT] = BOLD_UNDER,   [STYLE_PHASE_RED] = PLAIN,
    [STYLE_PHASE_GREEN] = PLAIN,    [STYLE_PHASE_VERIFY] = PLAIN,
    [STYLE_PHASE_REFACTOR] = PLAIN, [STYLE_KEY] = BOLD,
    [STYLE_DEAD] = PLAIN,           [STYLE_LABEL] = BOLD,
    [STYLE_MATCH] = BOLD_UNDER,     [STYLE_BANNER] = BOLD_REVERSE,
    [STYLE_MILD] = REVERSE,         [STYLE_REPLAY] = REVERSE,
    [STYLE_PROMPT] = PLAIN,
};
static_assert(ARRAY_LEN(mono_paints) == STYLE_COUNT, "every style has a look");

/* What a theme has otherwise than "auto". */
struct change {
    enum style style;
    struct theme_paint paint;
};

/* Bright colours, for a dark background. */
static const struct change dark[] = {
    {STYLE_NEEDS_YOU, ON(BLACK, BRIGHT_YELLOW)},
    {STYLE_BACKOFF, INK(BRIGHT_YELLOW)},
    {STYLE_RUNNING, INK(BRIGHT_CYAN)},
    {STYLE_QUIET, INK_UNDER(BRIGHT_CYAN)},
    {STYLE_HELD, INK(BRIGHT_MAGENTA)},
    {STYLE_PASSED, INK(BRIGHT_GREEN)},
    {STYLE_FAILED, INK(BRIGHT_RED)},
    {STYLE_LOST, {BRIGHT_RED, NONE, NONE, false, false, true}},
    {STYLE_SUSPECT, INK_BOLD(BRIGHT_YELLOW)},
    {STYLE_PHASE_RED, INK(BRIGHT_MAGENTA)},
    {STYLE_PHASE_GREEN, INK(BRIGHT_BLUE)},
    {STYLE_PHASE_VERIFY, INK(BRIGHT_CYAN)},
    {STYLE_MILD, ON(BLACK, BRIGHT_YELLOW)},
};

/* No yellow, cyan or light green on white. */
static const struct change light[] = {
    {STYLE_BACKOFF, {NONE, NONE, BROWN, true, false, false}},
    {STYLE_RUNNING, INK(BLUE)},
    {STYLE_QUIET, INK_UNDER(BLUE)},
    {STYLE_PASSED, {GREEN, NONE, DARK_GREEN, true, false, false}},
    {STYLE_SUSPECT, {NONE, NONE, BROWN, true, true, false}},
    {STYLE_PHASE_VERIFY, {CYAN, NONE, DARK_CYAN, true, false, false}},
};

/* Black on light colours: the terminal's background does not matter, and neither does how dark its
 * blue, red and magenta are. */
static const struct change contrast[] = {
    {STYLE_NEEDS_YOU, ON_BOLD(BLACK, BRIGHT_YELLOW)},
    {STYLE_BACKOFF, ON(BLACK, WHITE)},
    {STYLE_RUNNING, ON(BLACK, BRIGHT_CYAN)},
    {STYLE_QUIET, ON_UNDER(BLACK, BRIGHT_CYAN)},
    {STYLE_HELD, ON(BLACK, BRIGHT_MAGENTA)},
    {STYLE_PASSED, ON(BLACK, BRIGHT_GREEN)},
    {STYLE_FAILED, ON_BOLD(BLACK, BRIGHT_RED)},
    {STYLE_LOST, ON_UNDER(BLACK, BRIGHT_RED)},
    {STYLE_SUSPECT, ON_UNDER(BLACK, BRIGHT_YELLOW)},
    {STYLE_PHASE_RED, ON(BLACK, BRIGHT_MAGENTA)},
    {STYLE_PHASE_GREEN, ON(BLACK, WHITE)},
    {STYLE_PHASE_VERIFY, ON(BLACK, BRIGHT_CYAN)},
    {STYLE_PHASE_REFACTOR, BOLD},
    {STYLE_KEY, BOLD_UNDER},
    {STYLE_BANNER, ON_BOLD(BLACK, BRIGHT_RED)},
    {STYLE_MILD, ON_BOLD(BLACK, BRIGHT_YELLOW)},
};

/* Blue for good, yellow or orange for bad: told apart without red and green. */
static const struct change colour_blind[] = {
    {STYLE_RUNNING, INK(BRIGHT_CYAN)},
    {STYLE_QUIET, INK_UNDER(BRIGHT_CYAN)},
    {STYLE_HELD, INK(BRIGHT_WHITE)},
    {STYLE_PASSED, INK(BRIGHT_BLUE)},
    {STYLE_FAILED, {BRIGHT_YELLOW, NONE, ORANGE, true, false, false}},
    {STYLE_LOST, {BRIGHT_YELLOW, NONE, ORANGE, false, false, true}},
    {STYLE_BANNER, ON_BOLD(BLACK, BRIGHT_YELLOW)},
};

static const struct builtin {
    const char *name;
    const struct change *changes;
    size_t count;
} builtins[] = {
    {"auto", NULL, 0},
    {"dark", dark, ARRAY_LEN(dark)},
    {"light", light, ARRAY_LEN(light)},
    {"mono", NULL, 0},
    {"contrast", contrast, ARRAY_LEN(contrast)},
    {"cb", colour_blind, ARRAY_LEN(colour_blind)},
};

static const char *const style_names[] = {
    [STYLE_PLAIN] = "plain",
    [STYLE_HEAD] = "head",
    [STYLE_RULE] = "rule",
    [STYLE_COLUMN] = "column",
    [STYLE_NEEDS_YOU] = "needs-you",
    [STYLE_BACKOFF] = "backoff",
    [STYLE_RUNNING] = "running",
    [STYLE_QUIET] = "quiet",
    [STYLE_HELD] = "held",
    [STYLE_PASSED] = "passed",
    [STYLE_FAILED] = "failed",
    [STYLE_LOST] = "lost",
    [STYLE_SUSPECT] = "suspect",
    [STYLE_PHASE_RED] = "phase-red",
    [STYLE_PHASE_GREEN] = "phase-green",
    [STYLE_PHASE_VERIFY] = "phase-verify",
    [STYLE_PHASE_REFACTOR] = "phase-refactor",
    [STYLE_KEY] = "key",
    [STYLE_DEAD] = "dead-key",
    [STYLE_LABEL] = "label",
    [STYLE_MATCH] = "match",
    [STYLE_BANNER] = "banner",
    [STYLE_MILD] = "mild-banner",
    [STYLE_REPLAY] = "not-live",
    [STYLE_PROMPT] = "prompt",
};
static_assert(ARRAY_LEN(style_names) == STYLE_COUNT, "every style has a name");

const char *theme_name_at(size_t index)
{
    return index < ARRAY_LEN(builtins) ? builtins[index].name : NULL;
}

const char *theme_style_name(enum style style)
{
    assert(style < STYLE_COUNT);
    return style_names[style];
}

static const struct builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(builtins); i++) {
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    }
    return NULL;
}

bool theme_named(const char *name, struct theme *out)
{
    const struct builtin *builtin = find_builtin(name);
    if (!builtin)
        return false;
    *out = (struct theme){.is_mono = strcmp(name, "mono") == 0};
    (void)snprintf(out->name, sizeof(out->name), "%s", name);
    memcpy(out->paints, out->is_mono ? mono_paints : auto_paints, sizeof(out->paints));
    for (size_t i = 0; i < builtin->count; i++)
        out->paints[builtin->changes[i].style] = builtin->changes[i].paint;
    return true;
}

struct theme_paint theme_paint(const struct theme *theme, const struct cell *cell)
{
    assert(cell->style < STYLE_COUNT);
    struct theme_paint paint = theme->paints[cell->style];
    paint.bold = paint.bold || cell->chosen;
    if (cell->pointed)
        paint.reverse = !paint.reverse;
    return paint;
}
