/*
 * words.h - finding and comparing words, capitals and small letters alike (ASCII). Pure.
 */
#ifndef DEVS_WORDS_H
#define DEVS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Where `needle` is in the first `len` bytes of `text`; NULL if it is not. An
 * empty needle is nowhere. */
const char *words_find(const char *text, size_t len, const char *needle);

enum { WORDS_DISTANCE_MAX = 64 };

/* How many letters must be put in, taken out or changed to make one word of the other;
 * WORDS_DISTANCE_MAX if one of them is that long. */
int words_distance(const char *a, const char *b);

#endif
