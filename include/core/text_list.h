/*
 * text_list.h - lists of strings: owned, NULL-terminated; NULL if empty.
 */
#ifndef DEVS_TEXT_LIST_H
#define DEVS_TEXT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

/* Returns the number of strings; 0 for NULL. */
size_t text_list_count(char *const *texts);
/* Returns whether one of the `count` strings is equal to `text`. */
bool text_is_in(const char *const *texts, size_t count, const char *text);
/* Returns a copy, to be freed with text_list_free(); NULL for NULL. */
char **text_list_copy(char *const *texts);
/* Frees the strings and the list, which may be NULL. */
void text_list_free(char **texts);
/* Writes "key": ["a","b"], after a comma if needed; an empty list for NULL. */
void text_list_write(struct str *out, const char *key, char *const *texts);

#endif
