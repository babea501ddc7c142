#include "decimal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DIGITS_MAX = 19,    /* of an int64; a double needs 17 */
    PRECISION_MIN = 15, /* digits that every double keeps */
    PRECISION_MAX = 17, /* digits that tell every double from the next */
    REAL_TEXT_MAX = 40, /* bytes of a double in that precision */
    EXPONENT_BASE = 10,
};

static struct decimal reduced(struct decimal number)
{
    if (number.digits == 0)
        return (struct decimal){0};
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    return number;
}

static struct decimal of_integer(int64_t value)
{
    const bool negative = value < 0;
    const uint64_t digits = negative ? 0 - (uint64_t)value : (uint64_t)value;
    return reduced((struct decimal){.negative = negative, .digits = digits});
}

/* Of the text that "%.*e" gives: "-1.25e+300"; the point is the locale's. */
static struct decimal of_text(const char *text)
{
    struct decimal number = {.negative = *text == '-'};
    int behind = -1; /* digits behind the point: all but the first */
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9')
            continue;
        number.digits = number.digits * 10 + (uint64_t)(*text - '0');
        behind++;
    }
    if (*text)
        number.exponent = (int)strtol(text + 1, NULL, EXPONENT_BASE);
    number.exponent -= behind;
    return reduced(number);
}

static struct decimal of_real(double value)
{
    char text[REAL_TEXT_MAX];
    for (int precision = PRECISION_MIN; precision <= PRECISION_MAX; precision++) {
        (void)snprintf(text, sizeof(text), "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return of_text(text);
}

struct decimal decimal_of(const struct json *number)
{
    const bool is_integer = json_kind(number) == JSON_KIND_INTEGER;
    return is_integer ? of_integer(json_i64(number, 0)) : of_real(json_number(number, 0));
}

static int digit_count(uint64_t digits)
{
    int count = 0;
    for (; digits > 0; digits /= 10)
        count++;
    return count;
}

static uint64_t widened(uint64_t digits)
{
    for (int count = digit_count(digits); count < DIGITS_MAX; count++)
        digits *= 10;
    return digits;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Neither is zero. */
static int compare_size(struct decimal a, struct decimal b)
{
    const int a_before = digit_count(a.digits) + a.exponent;
    const int b_before = digit_count(b.digits) + b.exponent;
    if (a_before != b_before)
        return a_before < b_before ? -1 : 1;
    return compare_u64(widened(a.digits), widened(b.digits));
}

static int sign(struct decimal number)
{
    if (number.digits == 0)
        return 0;
    return number.negative ? -1 : 1;
}

int decimal_compare(struct decimal a, struct decimal b)
{
    if (sign(a) != sign(b))
        return sign(a) < sign(b) ? -1 : 1;
    if (sign(a) == 0)
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

static uint64_t ten_times_modulo(uint64_t a, uint64_t modulus)
{
    const uint64_t twice = add_modulo(a, a, modulus);
    const uint64_t four_times = add_modulo(twice, twice, modulus);
    const uint64_t eight_times = add_modulo(four_times, four_times, modulus);
    return add_modulo(eight_times, twice, modulus);
}

/* a.digits x 10^shift = n x unit.digits? Without a last digit 0, a.digits has no factor 10, so
 * it is no multiple of 10^-shift when shift is less than 0. */
bool decimal_is_multiple(struct decimal a, struct decimal unit)
{
    assert(unit.digits > 0 && !unit.negative);
    const int shift = a.exponent - unit.exponent;
    if (a.digits == 0 || shift < 0)
        return a.digits == 0;
    uint64_t rest = a.digits % unit.digits;
    for (int i = 0; i < shift && rest != 0; i++)
        rest = ten_times_modulo(rest, unit.digits);
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
