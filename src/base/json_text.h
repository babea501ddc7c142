/*
 * json_text.h - a cursor over JSON text. Private to base.
 */
#ifndef DEVS_JSON_TEXT_H
#define DEVS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ascii.h"

struct json_text {
    const char *text; /* borrowed */
    size_t len, at;   /* at <= len */
};

/* Returns the next byte, NUL at the end. */
static inline char json_text_peek(const struct json_text *text)
{
    return text->at < text->len ? text->text[text->at] : '\0';
}

/* Skips the next byte if it is `c`. */
static inline bool json_text_take(struct json_text *text, char c)
{
    const bool is_it = text->at < text->len && text->text[text->at] == c;
    text->at += is_it;
    return is_it;
}

/* Skips JSON whitespace. */
static inline void json_text_skip_blanks(struct json_text *text)
{
    while (ascii_is_blank(json_text_peek(text)))
        text->at++;
}

/* Decodes "\uXXXX" or a surrogate pair, starting after the "\u". Returns -1 if it is invalid. */
int32_t json_text_take_character(struct json_text *text);
/* Skips a number. Returns false if there is none. */
bool json_text_take_number(struct json_text *text);
/* Skips the word. Returns false if the text does not continue with it. */
bool json_text_take_word(struct json_text *text, const char *word);

#endif
