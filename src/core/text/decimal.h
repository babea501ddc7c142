/*
 * decimal.h - JSON numbers as decimals, so that 1, 1.0 and 1e0 are equal and 0.3 is a multiple of
 * 0.1. Pure.
 *
 * A real becomes the shortest decimal that reads back as the same double.
 */
#ifndef DEVS_DECIMAL_H
#define DEVS_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"

/* (negative ? - : +) digits x 10^exponent; the last digit is not 0. Zero is all zero. */
struct decimal {
    bool negative;
    uint64_t digits; /* at most 19 digits */
    int exponent;
};

/* Converts an integer or a real. */
struct decimal decimal_of(const struct json *number);

/* Returns < 0, 0 or > 0. */
int decimal_compare(struct decimal a, struct decimal b);
/* Returns true if the number has no fraction, such as 1.0 and 1e2. */
bool decimal_is_integer(struct decimal number);
/* Returns true if a = n x unit for an integer n; unit > 0. Exact. */
bool decimal_is_multiple(struct decimal a, struct decimal unit);
/* Returns a nonnegative integer as int64_t; INT64_MAX if it is larger. */
int64_t decimal_count(struct decimal number);

#endif
