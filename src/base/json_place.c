#include "json_place.h"

#include <stdbool.h>
#include <string.h>

#include "ascii.h"
#include "json.h"
#include "utf8.h"

struct json_place json_place_at(const char *text, size_t offset)
{
    struct json_place place = {.line = 1, .column = 1};
    while (offset > 0 && utf8_is_inner(text[offset]))
        offset--;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n')
            place = (struct json_place){.line = place.line + 1, .column = 1};
        else if (!utf8_is_inner(text[i]))
            place.column++;
    }
    return place;
}

/* A quote behind an odd number of backslashes is part of the string. */
static bool is_escaped(const char *text, size_t at)
{
    size_t before = at;
    while (before > 0 && text[before - 1] == '\\')
        before--;
    return (at - before) % 2 == 1;
}

static size_t string_start(const char *text, size_t closing)
{
    size_t at = closing;
    while (at > 0) {
        at--;
        if (text[at] == '"' && !is_escaped(text, at))
            return at;
    }
    return closing;
}

static bool is_word(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || (c != '\0' && strchr("+-.", c));
}

size_t json_token_start(const char *text, size_t end)
{
    if (end == 0)
        return 0;
    size_t at = end - 1;
    if (text[at] == '"')
        return string_start(text, at);
    while (at > 0 && is_word(text[at]) && is_word(text[at - 1]))
        at--;
    return at;
}
