#include "json_place.h"

#include <stdbool.h>
#include <string.h>

#include "json.h"

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

struct json_place json_place_at(const char *text, size_t offset)
{
    struct json_place place = {.line = 1, .column = 1};
    while (offset > 0 && is_inside_character(text[offset]))
        offset--;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n')
            place = (struct json_place){.line = place.line + 1, .column = 1};
        else if (!is_inside_character(text[i]))
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
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("+-.", c));
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
