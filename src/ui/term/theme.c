/*
 * theme.c - the built-in themes, and themes that the user defines.
 *
 * All but "mono" are lists of differences from "auto".
 */
#include "theme.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "json.h"

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
    BROWN = 94, /* from here on, indexes into the 256 colors */
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

/* How a theme differs from "auto". */
struct change {
    enum style style;
    struct theme_paint paint;
};

/* Bright colors, for a dark background. */
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

/* For a white background: no yellow, cyan or light green. */
static const struct change light[] = {
    {STYLE_BACKOFF, {NONE, NONE, BROWN, true, false, false}},
    {STYLE_RUNNING, INK(BLUE)},
    {STYLE_QUIET, INK_UNDER(BLUE)},
    {STYLE_PASSED, {GREEN, NONE, DARK_GREEN, true, false, false}},
    {STYLE_SUSPECT, {NONE, NONE, BROWN, true, true, false}},
    {STYLE_PHASE_VERIFY, {CYAN, NONE, DARK_CYAN, true, false, false}},
};

/* Black on light colors, independent of the terminal's background and of how dark its blue, red and
 * magenta are. */
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

/* Blue for success, yellow or orange for failure, distinguishable without red and green. */
static const struct change color_blind[] = {
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
    {"cb", color_blind, ARRAY_LEN(color_blind)},
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

bool theme_named(const char *name, struct theme *out)
{
    const struct builtin *builtin = NULL;
    for (size_t i = 0; i < ARRAY_LEN(builtins) && !builtin; i++) {
        if (strcmp(builtins[i].name, name) == 0)
            builtin = &builtins[i];
    }
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

/* A theme file being parsed, for error messages. */
struct source {
    const char *text;
    size_t len;
    struct err *err;
};

static const char *const color_names[] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white",
};

/* Returns where the member with this name begins: the first such string after `from` that is
 * followed by a colon. That is unambiguous, because no property has the name of a style. */
static const char *find_member(const struct source *source, const char *from, const char *key)
{
    const char *end = source->text + source->len;
    const size_t key_len = strlen(key);
    for (const char *at = from; at && at < end;) {
        at = memchr(at, '"', (size_t)(end - at));
        if (!at || (size_t)(end - at) < key_len + 2)
            return NULL;
        const char *after = at + 1 + key_len;
        bool is_key = memcmp(at + 1, key, key_len) == 0 && *after == '"';
        for (after++; is_key && after < end && strchr(" \t\r\n", *after); after++)
            continue;
        if (is_key && after < end && *after == ':')
            return at;
        at++;
    }
    return NULL;
}

static bool set_problem(const struct source *source, const char *style, const char *member,
                        const char *what)
{
    const char *at = find_member(source, source->text, style);
    const char *inner = member && at ? find_member(source, at + 1, member) : NULL;
    const char *place = inner ? inner : at;
    const int line = place ? json_place_at(source->text, (size_t)(place - source->text)).line : 1;
    return err_set(source->err, ERR_INVALID, "line %d: %s%s%s: %s", line, style, member ? "." : "",
                   member ? member : "", what);
}

static bool read_color(const struct json *value, short *out)
{
    const int64_t number = json_i64(value, -1);
    const char *name = json_text(value, NULL);
    if (json_kind(value) == JSON_KIND_INTEGER && number >= 0 && number < THEME_COLORS) {
        *out = (short)number;
        return true;
    }
    if (name && strcmp(name, "default") == 0) {
        *out = THEME_DEFAULT;
        return true;
    }
    for (size_t i = 0; name && i < ARRAY_LEN(color_names); i++) {
        if (strcmp(color_names[i], name) == 0) {
            *out = (short)i;
            return true;
        }
    }
    return false;
}

static bool read_member(const struct source *source, const char *style, const char *key,
                        const struct json *value, struct theme_paint *paint, bool *is_mono)
{
    bool is_front = strcmp(key, "fg") == 0;
    if (is_front || strcmp(key, "bg") == 0) {
        if (!read_color(value, is_front ? &paint->front : &paint->back))
            return set_problem(
                source, style, key,
                "invalid color; expected \"default\", a name such as \"bright-red\", or 0 to 255");
        if (is_front)
            paint->rich = THEME_DEFAULT;
        *is_mono = false;
        return true;
    }
    bool *flag = NULL;
    if (strcmp(key, "bold") == 0)
        flag = &paint->bold;
    else if (strcmp(key, "underline") == 0)
        flag = &paint->underline;
    else if (strcmp(key, "reverse") == 0)
        flag = &paint->reverse;
    if (!flag)
        return set_problem(source, style, key,
                           "unknown; expected fg, bg, bold, underline or reverse");
    if (json_kind(value) != JSON_KIND_TRUE && json_kind(value) != JSON_KIND_FALSE)
        return set_problem(source, style, key, "must be true or false");
    *flag = json_bool(value, false);
    return true;
}

static bool read_style(const struct source *source, const char *name, const struct json *value,
                       struct theme *theme)
{
    int style = 0;
    while (style < STYLE_COUNT && strcmp(theme_style_name((enum style)style), name) != 0)
        style++;
    if (style == STYLE_COUNT)
        return set_problem(source, name, NULL, "no such style");
    if (json_kind(value) != JSON_KIND_OBJECT)
        return set_problem(source, name, NULL, "must be an object, such as {\"fg\": \"yellow\"}");
    void *iter = NULL;
    const char *key;
    const struct json *member;
    bool ok = true;
    while (ok && json_next(value, &iter, &key, &member))
        ok = read_member(source, name, key, member, &theme->paints[style], &theme->is_mono);
    return ok;
}

static bool read_root(const struct source *source, const struct json *root, struct theme *theme)
{
    if (json_kind(root) != JSON_KIND_OBJECT)
        return err_set(source->err, ERR_INVALID, "line 1: a theme must be an object of styles");
    const struct json *like = json_get(root, "like");
    if (!theme_named(json_text(like, like ? "" : "auto"), theme))
        return set_problem(source, "like", NULL, "not a built-in theme");
    void *iter = NULL;
    const char *key;
    const struct json *value;
    bool ok = true;
    while (ok && json_next(root, &iter, &key, &value)) {
        const bool is_style =
            strcmp(key, "like") != 0 && strcmp(key, "$schema") != 0 && strncmp(key, "//", 2) != 0;
        if (is_style)
            ok = read_style(source, key, value, theme);
    }
    (void)snprintf(theme->name, sizeof(theme->name), "%s", "of a file");
    return ok;
}

bool theme_parse(const char *text, size_t len, struct theme *out, struct err *err)
{
    const struct source source = {.text = text, .len = len, .err = err};
    struct json *root = NULL;
    struct json_place place = {0};
    struct err why = {0};
    struct theme theme;
    if (len > THEME_BYTES_MAX)
        return err_set(err, ERR_LIMIT, "a theme may have at most %d bytes", THEME_BYTES_MAX);
    if (!json_parse(text, len, &root, &place, &why))
        return err_set(err, ERR_INVALID, "line %d: %s", place.line, why.message);
    bool ok = read_root(&source, root, &theme);
    json_free(root);
    if (ok)
        *out = theme;
    return ok;
}
