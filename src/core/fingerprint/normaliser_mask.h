/*
 * normaliser_mask.h - one line without terminal noise and with its tokens replaced. Private
 * to the normaliser.
 */
#ifndef DEVS_NORMALISER_MASK_H
#define DEVS_NORMALISER_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "normaliser.h"
#include "str.h"

/* Whether mask_clean() would drop nothing: no byte over 127, no control, no tab, no two blanks in a
 * row. */
bool mask_is_plain(const char *bytes, size_t len);

/* A line while its tokens are replaced. */
struct mask_line {
    const char *bytes; /* in: the line, without noise; out: what it has become */
    size_t len;
    struct str *text; /* of the caller; overwritten where something is replaced */
    unsigned masked;  /* out: bits 1 << enum normaliser_mask */
};

/* Write the line to line->text with its volatile tokens replaced, and tell what kinds there
 * were. */
void mask_tokens(struct mask_line *line);

/* Append the line with the call's words replaced by <arg>; words that only '.', '/', '-',
 * '+' or '@' joins, as in a path, are one, with a short ending such as ".c". False, and nothing
 * appended, if none is in it. */
bool normaliser_words_mask(const struct normaliser_words *words, const char *bytes, size_t len,
                           struct str *out);

#endif
