/* theme_file.c - a person's own theme; the rest of theme.h is in theme.c. */
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "theme.h"

/* Where a text is being read, for complaints. */
struct source {
    const char *text;
    size_t len;
    struct err *err;
};

static const char *const colour_names[] = {
    "black",        "red",           "green",       "yellow",         "blue",
    "magenta",      "cyan",          "white",       "bright-black",   "bright-red",
    "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
    "bright-white",
};

/* The line where a member of this name stands. Names of styles and of what they have differ, so
 * the first one behind `from` that a colon follows is meant. */
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

static bool complain(const struct source *source, const char *style, const char *member,
                     const char *what)
{
    const char *at = find_member(source, source->text, style);
    const char *inner = member && at ? find_member(source, at + 1, member) : NULL;
    const char *place = inner ? inner : at;
    const int line = place ? json_place_at(source->text, (size_t)(place - source->text)).line : 1;
    return err_set(source->err, ERR_INVALID, "line %d: %s%s%s: %s", line, style, member ? "." : "",
                   member ? member : "", what);
}

static bool read_colour(const struct json *value, short *out)
{
    const int64_t number = json_i64(value, -1);
    const char *name = json_text(value, NULL);
    if (json_kind(value) == JSON_KIND_INTEGER && number >= 0 && number < THEME_COLOURS) {
        *out = (short)number;
        return true;
    }
    if (name && strcmp(name, "default") == 0) {
        *out = THEME_DEFAULT;
        return true;
    }
    for (size_t i = 0; name && i < ARRAY_LEN(colour_names); i++) {
        if (strcmp(colour_names[i], name) == 0) {
            *out = (short)i;
            return true;
        }
    }
    return false;
}

static bool *flag_named(struct theme_paint *paint, const char *key)
{
    if (strcmp(key, "bold") == 0)
        return &paint->bold;
    if (strcmp(key, "underline") == 0)
        return &paint->underline;
    return strcmp(key, "reverse") == 0 ? &paint->reverse : NULL;
}

static bool read_member(const struct source *source, const char *style, const char *key,
                        const struct json *value, struct theme_paint *paint, bool *is_mono)
{
    bool is_front = strcmp(key, "fg") == 0;
    if (is_front || strcmp(key, "bg") == 0) {
        if (!read_colour(value, is_front ? &paint->front : &paint->back))
            return complain(source, style, key,
                            "no colour: \"default\", a name as \"bright-red\", or 0 to 255");
        if (is_front)
            paint->rich = THEME_DEFAULT;
        *is_mono = false;
        return true;
    }
    bool *flag = flag_named(paint, key);
    if (!flag)
        return complain(source, style, key, "unknown; fg, bg, bold, underline, reverse are known");
    if (json_kind(value) != JSON_KIND_TRUE && json_kind(value) != JSON_KIND_FALSE)
        return complain(source, style, key, "must be true or false");
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
        return complain(source, name, NULL, "no such style");
    if (json_kind(value) != JSON_KIND_OBJECT)
        return complain(source, name, NULL, "must be an object, as {\"fg\": \"yellow\"}");
    void *iter = NULL;
    const char *key;
    const struct json *member;
    bool ok = true;
    while (ok && json_next(value, &iter, &key, &member))
        ok = read_member(source, name, key, member, &theme->paints[style], &theme->is_mono);
    return ok;
}

static bool is_about_all(const char *key)
{
    return strcmp(key, "like") == 0 || strcmp(key, "$schema") == 0 || strncmp(key, "//", 2) == 0;
}

static bool read_root(const struct source *source, const struct json *root, struct theme *theme)
{
    if (json_kind(root) != JSON_KIND_OBJECT)
        return err_set(source->err, ERR_INVALID, "line 1: a theme is an object of styles");
    const struct json *like = json_get(root, "like");
    if (!theme_named(json_text(like, like ? "" : "auto"), theme))
        return complain(source, "like", NULL, "not a built-in theme");
    void *iter = NULL;
    const char *key;
    const struct json *value;
    bool ok = true;
    while (ok && json_next(root, &iter, &key, &value))
        ok = is_about_all(key) || read_style(source, key, value, theme);
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
        return err_set(err, ERR_LIMIT, "a theme has at most %d bytes", THEME_BYTES_MAX);
    if (!json_parse(text, len, &root, &place, &why))
        return err_set(err, ERR_INVALID, "line %d: %s", place.line, why.message);
    bool ok = read_root(&source, root, &theme);
    json_free(root);
    if (ok)
        *out = theme;
    return ok;
}
