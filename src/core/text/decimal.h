/*
 * decimal.h - the numbers of JSON as decimals, so that 1, 1.0 and 1e0 are one number and
 * 0.3 is a multiple of 0.1. Pure.
 *
 * An integer is itself; a real is the shortest decimal that reads as the same double.
 */
#ifndef DEVS_DECIMAL_H
#define DEVS_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"

/* (negative ? - : +) digits x 10^exponent; the last digit is not 0. Zero is all zero. */
struct decimal {
    bool negative;
    uint64_t digits; /* at most 19 of them */
    int exponent;
};

/* Of an integer or a real. */
struct decimal decimal_of(const struct json *number);

/* < 0, 0 or > 0 as a is less than, equal to or more than b. */
int decimal_compare(struct decimal a, struct decimal b);
/* Has it no digits behind the point? 1.0 and 1e2 have none. */
bool decimal_is_integer(struct decimal number);
/* Is a = n x unit for a whole number n? unit is more than 0. Exact. */
bool decimal_is_multiple(struct decimal a, struct decimal unit);
/* A whole number of at least 0 as int64_t; INT64_MAX if it is more. */
int64_t decimal_count(struct decimal number);

#endif
