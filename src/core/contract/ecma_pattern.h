/*
 * ecma_pattern.h - patterns of ECMA-262 (the dialect of JSON Schema) in the words of PCRE2.
 * Pure.
 *
 * Read as with the flag `u` (ECMA-262, 22.2.1), but a character that is escaped without need
 * and a '-' beside \d in a class stand for themselves, as people write them. What only PCRE2
 * knows ((?i), \A, possessive repeats, [:alpha:]) is refused or means what ECMA-262 says.
 */
#ifndef DEVS_ECMA_PATTERN_H
#define DEVS_ECMA_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* Append the pattern for PCRE2, to be compiled with UTF, without UCP. ERR_INVALID says what
 * is no ECMA-262; other mistakes are left to PCRE2. */
ATTR_MUST_USE bool ecma_pattern(struct str *out, const char *text, size_t len, struct err *err);

#endif
