/*
 * words.h - finding words, capitals and small letters alike (ASCII). Pure.
 */
#ifndef DEVS_WORDS_H
#define DEVS_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Where `needle` is in the first `len` bytes of `text`; NULL if it is not. An
 * empty needle is nowhere. */
const char *words_find(const char *text, size_t len, const char *needle);

#endif
