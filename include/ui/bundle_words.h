/*
 * bundle_words.h - what is in a bundle and what was cut out of it, in words: for a person to read
 * before it is written. Pure.
 */
#ifndef DEVS_BUNDLE_WORDS_H
#define DEVS_BUNDLE_WORDS_H

#include <stdbool.h>

#include "bundle.h"
#include "str.h"

/* Append lines: the run and the file, with `is_whole` what the file has of the run, the secrets by
 * name. Fit for a terminal, as text_clean() makes it. */
void bundle_words(const struct bundle_contents *contents, const char *file, bool is_whole,
                  struct str *out);

#endif
