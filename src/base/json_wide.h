/*
 * json_wide.h - numbers that jansson does not take, written so that it does. Pure.
 *
 * jansson refuses integers out of int64 and reals out of double. They become the real
 * nearest to them: 123456789012345678901 gets ".0" behind it, and what is beyond
 * DBL_MAX becomes DBL_MAX (RFC 8259, section 6, leaves range and precision to the reader).
 */
#ifndef DEVS_JSON_WIDE_H
#define DEVS_JSON_WIDE_H

#include <stddef.h>

#include "str.h"

/* Append the text with those numbers rewritten, until `out` has at least `stop` bytes.
 * Returns how much of the text was taken for that. The text need not be good JSON. */
size_t json_wide(struct str *out, const char *text, size_t len, size_t stop);

#endif
