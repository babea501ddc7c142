/*
 * normaliser_words.h - the words of a call, found again in what it says (rule 12). Private
 * to the normaliser.
 */
#ifndef DEVS_NORMALISER_WORDS_H
#define DEVS_NORMALISER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "normaliser.h"
#include "str.h"

/* Append the line with the call's words replaced by <arg>; words that only '.', '/', '-',
 * '+' or '@' joins, as in a path, are one, with a short ending such as ".c". False, and nothing
 * appended, if none is in it. */
bool normaliser_words_mask(const struct normaliser_words *words, const char *bytes, size_t len,
                           struct str *out);

#endif
