/*
 * words.h - comparing and finding words, capitals and small letters alike (ASCII). Pure.
 */
#ifndef DEVS_WORDS_H
#define DEVS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* A capital as a small letter; anything else as it is. */
char words_small(char c);

/* Does the text begin with this? Every text does with "". */
bool words_begin(const char *text, const char *beginning);

/* Where `needle` is in the first `len` bytes of `text`; NULL if it is not. An
 * empty needle is nowhere. */
const char *words_find(const char *text, size_t len, const char *needle);

#endif
