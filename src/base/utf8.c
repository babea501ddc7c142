/*
 * utf8.c - decodes and encodes UTF-8; rejects overlong forms, surrogates and numbers above
 * U+10FFFF.
 */
#include "utf8.h"

size_t utf8_rune(const char *bytes, size_t left, uint32_t *rune)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)bytes[0];
    size_t len = 0; /* length according to the first byte; 0 if it cannot be a first byte */
    if (first < 0x80)
        len = 1;
    else if (first >= 0xC2 && first <= 0xDF)
        len = 2;
    else if (first >= 0xE0 && first <= 0xEF)
        len = 3;
    else if (first >= 0xF0 && first <= 0xF4)
        len = 4;
    if (len == 0 || len > left)
        return 0;
    uint32_t value = len == 1 ? first : first & (0xFFU >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if (!utf8_is_inner(bytes[i]))
            return 0;
        value = value << 6 | ((unsigned char)bytes[i] & 0x3FU);
    }
    /* Rejects overlong forms, surrogates and numbers above U+10FFFF. */
    if (value < lowest[len] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *rune = value;
    return len;
}

size_t utf8_len(const char *bytes, size_t left)
{
    uint32_t rune;
    return utf8_rune(bytes, left, &rune);
}

void utf8_add(struct str *str, int32_t character)
{
    const uint32_t c = (uint32_t)character;
    const unsigned low = c & 0x3F, second = (c >> 6) & 0x3F, third = (c >> 12) & 0x3F;
    const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
    if (c < 0x80) {
        str_add_char(str, (char)c);
    } else if (c < 0x800) {
        str_add_char(str, (char)(0xC0 | c >> 6));
        str_add_char(str, (char)(0x80 | low));
    } else if (c < 0x10000 && !is_surrogate) {
        str_add_char(str, (char)(0xE0 | c >> 12));
        str_add_char(str, (char)(0x80 | second));
        str_add_char(str, (char)(0x80 | low));
    } else if (c >= 0x10000 && c < 0x110000) {
        str_add_char(str, (char)(0xF0 | c >> 18));
        str_add_char(str, (char)(0x80 | third));
        str_add_char(str, (char)(0x80 | second));
        str_add_char(str, (char)(0x80 | low));
    } else {
        str_add(str, "\xEF\xBF\xBD");
    }
}
