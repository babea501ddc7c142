/*
 * json_internal.h - a cursor over JSON text, and a JSON tree while it is built. Private to base.
 */
#ifndef DEVS_JSON_INTERNAL_H
#define DEVS_JSON_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ascii.h"
#include "json.h"

/* A cursor. */

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

/* A tree. */

struct json {
    enum json_kind kind;
    uint32_t count; /* bytes of a string, elements, members */
    union {
        const char *text;
        int64_t integer;
        double real;
        const struct json *elements;
        const struct json_member *members;
    } is;
};

struct json_member {
    const char *key;
    struct json value;
};

struct json_tree {
    struct json root; /* the first member, so that json_free() finds the tree */
    struct block *blocks;
    char *part;  /* start of the next part */
    size_t left; /* bytes after `part` */
    size_t block_bytes;
};

/* Returns a tree without a value. The caller frees it, or returns its root as a value that
 * json_free() frees. */
struct json_tree *json_tree_new(void);
void json_tree_free(struct json_tree *tree);
/* Returns uninitialized memory that the tree owns. */
void *json_tree_part(struct json_tree *tree, size_t count, size_t size);
/* Makes an object with a copy of the members, whose keys and values belong to the tree. Returns
 * false if two keys are equal. */
bool json_tree_object(struct json_tree *tree, const struct json_member *members, size_t count,
                      struct json *out);

#endif
