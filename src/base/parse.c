/* parse.c - parses decimal and hexadecimal numbers, and stores numbers as little-endian bytes. */
#include "parse.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "ascii.h"

bool parse_i64(const char *text, int64_t min, int64_t max, int64_t *out, struct err *err)
{
    assert(text);
    assert(min <= max);

    char *end = NULL;
    errno = 0;
    /* strtoll() also accepts leading whitespace and a plus sign; this parser does not. */
    const bool starts = ascii_is_digit(text[0]) || (text[0] == '-' && ascii_is_digit(text[1]));
    long long value = starts ? strtoll(text, &end, 10) : 0;
    bool is_number = end && *end == '\0' && errno == 0;
    const bool fits = is_number && value >= min && value <= max;
    if (!fits && min == max)
        return err_set(err, ERR_INVALID, "expected %" PRId64 ", not '%s'", min, text);
    if (!fits)
        return err_set(err, ERR_INVALID,
                       "expected a number from %" PRId64 " to %" PRId64 ", not '%s'", min, max,
                       text);
    *out = value;
    return true;
}

int parse_hex_digit(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void number_bytes_put(struct str *out, uint64_t value, int bytes)
{
    char text[sizeof(value)];
    for (int i = 0; i < bytes; i++, value >>= 8)
        text[i] = (char)(unsigned char)value;
    str_add_n(out, text, (size_t)bytes);
}

uint64_t number_bytes_take(struct number_bytes *from, int bytes)
{
    uint64_t value = 0;
    if (from->len < (size_t)bytes) {
        from->bad = true;
        return 0;
    }
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from->at[i] << (8 * i);
    from->at += bytes;
    from->len -= (size_t)bytes;
    return value;
}
