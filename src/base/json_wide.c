#include "json_wide.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ascii.h"

enum {
    INT64_DIGITS = 19,     /* more digits are out of int64 */
    DOUBLE_DIGITS = 309,   /* digits before the point of the largest double */
    EXPONENT_MAX = 100000, /* a larger one is as good as this */
    PREFIX_DIGITS = 17,    /* tell one double from the next */
};

static const char int64_max[] = "9223372036854775807";
static const char int64_min[] = "9223372036854775808"; /* without its sign */
static const char double_max[] = "1.7976931348623157e308";
static const char double_max_digits[] = "17976931348623157";

/* A number as it is written. */
struct written {
    bool is_negative;
    bool is_real;             /* has a point or an exponent */
    int64_t before;           /* digits before the point, from the first that is not 0 */
    char first[INT64_DIGITS]; /* its first digits, likewise; '0' where there are fewer */
    size_t digits;            /* how many there are, likewise */
};

static size_t string_len(const char *text, size_t len)
{
    size_t at = 1;
    while (at < len && text[at] != '"')
        at += text[at] == '\\' && at + 1 < len ? 2 : 1;
    return at < len ? at + 1 : len;
}

static size_t digits_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && ascii_is_digit(text[at]))
        at++;
    return at;
}

/* Of a number as RFC 8259, section 6 has it; 0 if it is none. */
static size_t number_len(const char *text, size_t len)
{
    size_t at = text[0] == '-' ? 1 : 0;
    const size_t before = digits_len(text + at, len - at);
    if (before == 0 || (before > 1 && text[at] == '0'))
        return 0;
    at += before;
    if (at < len && text[at] == '.') {
        const size_t behind = digits_len(text + at + 1, len - at - 1);
        if (behind == 0)
            return 0;
        at += 1 + behind;
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        const size_t sign = at + 1 < len && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
        const size_t digits = digits_len(text + at + 1 + sign, len - at - 1 - sign);
        if (digits == 0)
            return 0;
        at += 1 + sign + digits;
    }
    return at;
}

static bool is_of_number(char c)
{
    return ascii_is_digit(c) || (c != '\0' && strchr("+-.eE", c));
}

static size_t run_len(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len && is_of_number(text[at]))
        at++;
    return at;
}

static int64_t exponent(const char *text, size_t len)
{
    int64_t value = 0;
    const bool negative = len > 0 && text[0] == '-';
    for (size_t i = len > 0 && !ascii_is_digit(text[0]) ? 1 : 0; i < len && ascii_is_digit(text[i]);
         i++) {
        if (value < EXPONENT_MAX)
            value = value * 10 + (text[i] - '0');
    }
    return negative ? -value : value;
}

static void add_digit(struct written *number, char digit)
{
    if (number->digits < INT64_DIGITS)
        number->first[number->digits] = digit;
    number->digits++;
}

static struct written read_number(const char *text, size_t len)
{
    struct written number = {.is_negative = text[0] == '-'};
    memset(number.first, '0', sizeof(number.first));
    for (size_t i = number.is_negative ? 1 : 0; i < len; i++) {
        if (text[i] == 'e' || text[i] == 'E') {
            number.is_real = true;
            number.before += exponent(text + i + 1, len - i - 1);
            break;
        }
        if (text[i] == '.') {
            number.is_real = true;
            continue;
        }
        if (text[i] != '0' || number.digits > 0)
            add_digit(&number, text[i]);
        if (!number.is_real)
            number.before = (int64_t)number.digits;
        else if (number.digits == 0)
            number.before--; /* a zero behind the point */
    }
    return number;
}

static bool is_over_double(const struct written *number)
{
    if (number->digits == 0 || number->before != DOUBLE_DIGITS)
        return number->digits > 0 && number->before > DOUBLE_DIGITS;
    return memcmp(number->first, double_max_digits, PREFIX_DIGITS) >= 0;
}

static bool is_over_int64(const struct written *number)
{
    if (number->digits != INT64_DIGITS)
        return number->digits > INT64_DIGITS;
    const char *most = number->is_negative ? int64_min : int64_max;
    return memcmp(number->first, most, INT64_DIGITS) > 0;
}

static void add_number(struct str *out, const char *text, size_t len)
{
    const struct written number = read_number(text, len);
    if (is_over_double(&number)) {
        str_add(out, number.is_negative ? "-" : "");
        str_add(out, double_max);
        return;
    }
    str_add_n(out, text, len);
    if (!number.is_real && is_over_int64(&number))
        str_add(out, ".0");
}

size_t json_wide(struct str *out, const char *text, size_t len, size_t stop)
{
    size_t at = 0;
    while (at < len && out->len < stop) {
        const bool is_number = ascii_is_digit(text[at]) || text[at] == '-';
        size_t part = 1;
        if (text[at] == '"')
            part = string_len(text + at, len - at);
        else if (is_number)
            part = run_len(text + at, len - at);
        if (is_number && number_len(text + at, len - at) == part)
            add_number(out, text + at, part);
        else
            str_add_n(out, text + at, part); /* no number as it stands: it is refused */
        at += part;
    }
    return at;
}
