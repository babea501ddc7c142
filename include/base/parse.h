/*
 * parse.h - numbers from text, checked. Any thread.
 */
#ifndef DEVS_PARSE_H
#define DEVS_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

/* The whole text must be one decimal number in [min, max]; ERR_INVALID says
 * what was expected. */
ATTR_MUST_USE bool parse_i64(const char *text, int64_t min, int64_t max, int64_t *out,
                             struct err *err);

/* The value of a hex digit of either case, -1 for another character. */
int parse_hex_digit(char c);

#endif
