/*
 * words.h - comparing and finding words, ignoring case (ASCII). Pure.
 */
#ifndef DEVS_WORDS_H
#define DEVS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the lower-case letter; other characters as they are. */
char words_small(char c);

/* Returns true if the text begins with this; always for "". */
bool words_begin(const char *text, const char *beginning);

/* Returns where `needle` is in the first `len` bytes of `text`, or NULL. An empty needle is
 * never found. */
const char *words_find(const char *text, size_t len, const char *needle);

#endif
