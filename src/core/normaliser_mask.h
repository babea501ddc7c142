/*
 * normaliser_mask.h - one line with its tokens replaced, and without terminal noise.
 * Private to the normaliser.
 */
#ifndef DEVS_NORMALISER_MASK_H
#define DEVS_NORMALISER_MASK_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

/* A line while its tokens are replaced. */
struct mask_line {
    const char *bytes; /* in: the line; out: what it has become, in `text` if not as it was */
    size_t len;
    struct str *text; /* of the caller; used where something was replaced */
    unsigned masked;  /* out: bits 1 << enum normaliser_mask */
};

/* Replace the tokens of a line. False, and nothing done, if the line has noise in it: bytes
 * over 127, controls, tabs, or two blanks in a row. */
bool mask_plain_line(struct mask_line *line);

/* The same for a line that mask_clean() made. */
void mask_clean_line(struct mask_line *line);

/* Append the line without what only a terminal sees: escape sequences, controls, what was
 * taken back by backspaces, spinners; runs of blanks become one, none is
 * at its ends. */
void mask_clean(const char *bytes, size_t len, struct str *out);

#endif
