/*
 * json_text.h - the letters of JSON text, as those who read it without a tree take them.
 */
#ifndef DEVS_JSON_TEXT_H
#define DEVS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text while it is read. */
struct json_text {
    const char *text; /* borrowed */
    size_t len, at;   /* at <= len */
};

/* The byte that comes next, NUL at the end. */
static inline char json_text_peek(const struct json_text *text)
{
    return text->at < text->len ? text->text[text->at] : '\0';
}

/* Go past the byte if it is this one. */
static inline bool json_text_take(struct json_text *text, char c)
{
    bool is_it = text->at < text->len && text->text[text->at] == c;
    if (is_it)
        text->at++;
    return is_it;
}

/* How many bytes from the first on are printing ASCII and stand for themselves within a string. */
size_t json_text_plain(const char *bytes, size_t len);
/* Do all of them? */
bool json_text_is_plain(const char *bytes, size_t len);

/* Go on to the next byte that is no blank, tab or line end. */
void json_text_skip_blanks(struct json_text *text);

/* The character that "\uXXXX" means, or a pair of those; -1 if none. Past the "\u". */
int32_t json_text_take_character(struct json_text *text);

#endif
