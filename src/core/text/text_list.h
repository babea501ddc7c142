/*
 * text_list.h - lists of texts as plans hold them: owned, NULL-terminated, NULL for none.
 */
#ifndef DEVS_TEXT_LIST_H
#define DEVS_TEXT_LIST_H

#include <stddef.h>

#include "str.h"

/* How many there are; 0 for NULL. */
size_t text_list_count(char *const *texts);
/* A copy that the caller ends with text_list_free(); NULL of NULL. */
char **text_list_copy(char *const *texts);
/* Free the texts and the list. NULL is allowed. */
void text_list_free(char **texts);
/* "key": ["a","b"], with a comma before it where one belongs; an empty list for NULL. */
void text_list_write(struct str *out, const char *key, char *const *texts);

#endif
