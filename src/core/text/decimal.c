/*
 * decimal.c - exact decimal numbers, for comparing and dividing JSON numbers without rounding.
 */
#include "decimal.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DIGITS_MAX = 19,    /* digits of an int64; a double needs 17 */
    PRECISION_MIN = 15, /* digits that every double keeps */
    PRECISION_MAX = 17, /* digits that distinguish all doubles */
    REAL_TEXT_MAX = 40, /* bytes of a double printed with that precision */
    EXPONENT_BASE = 10,
};

static struct decimal reduced_decimal(struct decimal number)
{
    if (number.digits == 0)
        return (struct decimal){0};
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    return number;
}

/* Reads the shortest "%.*e" that gives the same value, such as "-1.25e+300"; the decimal point
 * depends on the locale. */
static struct decimal decimal_of_real(double value)
{
    char text[REAL_TEXT_MAX];
    for (int precision = PRECISION_MIN; precision <= PRECISION_MAX; precision++) {
        (void)snprintf(text, sizeof(text), "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    struct decimal number = {.negative = *text == '-'};
    int behind = -1; /* digits after the point: all but the first */
    const char *at = text;
    for (; *at && *at != 'e'; at++) {
        if (*at < '0' || *at > '9')
            continue;
        number.digits = number.digits * 10 + (uint64_t)(*at - '0');
        behind++;
    }
    if (*at)
        number.exponent = (int)strtol(at + 1, NULL, EXPONENT_BASE);
    number.exponent -= behind;
    return reduced_decimal(number);
}

struct decimal decimal_of(const struct json *number)
{
    if (json_kind(number) != JSON_KIND_INTEGER)
        return decimal_of_real(json_number(number, 0));
    const int64_t value = json_i64(number, 0);
    const bool negative = value < 0;
    const uint64_t digits = negative ? 0 - (uint64_t)value : (uint64_t)value;
    return reduced_decimal((struct decimal){.negative = negative, .digits = digits});
}

static int digit_count(uint64_t digits)
{
    int count = 0;
    for (; digits > 0; digits /= 10)
        count++;
    return count;
}

static uint64_t widened_digits(uint64_t digits)
{
    for (int count = digit_count(digits); count < DIGITS_MAX; count++)
        digits *= 10;
    return digits;
}

/* Compares absolute values. Neither may be zero. */
static int compare_size(struct decimal a, struct decimal b)
{
    const int a_before = digit_count(a.digits) + a.exponent;
    const int b_before = digit_count(b.digits) + b.exponent;
    if (a_before != b_before)
        return a_before < b_before ? -1 : 1;
    const uint64_t a_digits = widened_digits(a.digits);
    const uint64_t b_digits = widened_digits(b.digits);
    return a_digits < b_digits ? -1 : a_digits > b_digits;
}

static int sign_of_decimal(struct decimal number)
{
    if (number.digits == 0)
        return 0;
    return number.negative ? -1 : 1;
}

int decimal_compare(struct decimal a, struct decimal b)
{
    if (sign_of_decimal(a) != sign_of_decimal(b))
        return sign_of_decimal(a) < sign_of_decimal(b) ? -1 : 1;
    if (sign_of_decimal(a) == 0)
        return 0;
    return a.negative ? compare_size(b, a) : compare_size(a, b);
}

bool decimal_is_integer(struct decimal number)
{
    return number.exponent >= 0;
}

static uint64_t add_modulo(uint64_t a, uint64_t b, uint64_t modulus)
{
    return a >= modulus - b ? a - (modulus - b) : a + b;
}

/* Checks whether a.digits x 10^shift = n x unit.digits. If shift < 0, true only for zero, because
 * any other a.digits does not end in 0. */
bool decimal_is_multiple(struct decimal a, struct decimal unit)
{
    assert(unit.digits > 0 && !unit.negative);
    const int shift = a.exponent - unit.exponent;
    if (a.digits == 0 || shift < 0)
        return a.digits == 0;
    uint64_t rest = a.digits % unit.digits;
    for (int i = 0; i < shift && rest != 0; i++) { /* rest = 10 * rest, without overflow */
        const uint64_t twice = add_modulo(rest, rest, unit.digits);
        const uint64_t four_times = add_modulo(twice, twice, unit.digits);
        const uint64_t eight_times = add_modulo(four_times, four_times, unit.digits);
        rest = add_modulo(eight_times, twice, unit.digits);
    }
    return rest == 0;
}

int64_t decimal_count(struct decimal number)
{
    assert(number.exponent >= 0 && !number.negative);
    if (digit_count(number.digits) + number.exponent > DIGITS_MAX)
        return INT64_MAX;
    uint64_t value = number.digits;
    for (int i = 0; i < number.exponent; i++)
        value *= 10;
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}
