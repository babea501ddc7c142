#include "digest.h"

#include <string.h>

#include "ascii.h"

enum { HALF_BYTES = DIGEST_BYTES / 2 };

struct digest digest_sum(struct digest a, struct digest b)
{
    const uint64_t lo = a.lo + b.lo;
    return (struct digest){.hi = a.hi + b.hi + (lo < a.lo), .lo = lo};
}

static uint64_t eight_bytes(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < HALF_BYTES; i++)
        value = value << 8 | bytes[i];
    return value;
}

struct digest digest_from_bytes(const unsigned char bytes[DIGEST_BYTES])
{
    return (struct digest){.hi = eight_bytes(bytes), .lo = eight_bytes(bytes + HALF_BYTES)};
}

void digest_to_hex(struct digest digest, char out[DIGEST_HEX_MAX])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < DIGEST_BYTES; i++) {
        out[i] = digits[digest.hi >> (60 - 4 * i) & 0xF];
        out[DIGEST_BYTES + i] = digits[digest.lo >> (60 - 4 * i) & 0xF];
    }
    out[DIGEST_HEX_MAX - 1] = '\0';
}

/* -1 for what is none, a capital letter included. */
static int digit_value(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool half_from_hex(const char *hex, uint64_t *out)
{
    uint64_t half = 0;
    int wrong = 0;
    for (int i = 0; i < DIGEST_BYTES; i++) {
        const int value = digit_value(hex[i]);
        wrong |= value;
        half = half << 4 | (uint64_t)value;
    }
    *out = half;
    return wrong >= 0;
}

bool digest_from_hex(const char *hex, struct digest *out)
{
    struct digest digest;
    if (strlen(hex) != DIGEST_HEX_MAX - 1 || !half_from_hex(hex, &digest.hi) ||
        !half_from_hex(hex + DIGEST_BYTES, &digest.lo))
        return false;
    *out = digest;
    return true;
}
