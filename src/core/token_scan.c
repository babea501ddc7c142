#include "token_scan.h"

#include <string.h>

/* Sixteen bytes a line, by their codes; the sums of their classes. */
const byte token_classes[256] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  32, 0,  0,  0,  0,  0,  32, 32, 32, 32, 0,
    57, 57, 57, 57, 57, 57, 57, 57, 57, 57, 0,  0,  0,  32, 0,  0,  32, 60, 60, 60, 60, 60, 60, 52,
    52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 52, 0,  0,  0,  0,  48,
    0,  58, 58, 58, 58, 58, 58, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50,
    50, 50, 50, 0,  0,  0,  32, 0,  48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
    48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48,
};

bool token_is_next(const struct token_scan *scan, const byte *at, const char *text)
{
    const size_t len = strlen(text);
    return (size_t)(scan->end - at) >= len && memcmp(at, text, len) == 0;
}

int token_parts(const byte *from, const byte *to)
{
    int parts = from < to;
    for (const byte *p = from + 1; p < to; p++) {
        bool hump = byte_is(p[-1], CLASS_LOWER) && byte_is(*p, CLASS_UPPER);
        bool digit = byte_is(p[-1], CLASS_DIGIT) != byte_is(*p, CLASS_DIGIT);
        parts += hump || digit;
    }
    return parts;
}
