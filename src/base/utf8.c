#include "utf8.h"

#include <stdbool.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Only the second byte has a range of its own: it keeps out overlong forms, surrogates and all
 * above U+10FFFF. */
size_t utf8_len(const char *bytes, size_t left)
{
    const unsigned char *p = (const unsigned char *)bytes;
    if (p[0] < 0x80)
        return 1;
    static const struct {
        unsigned char first, last, second_min, second_max;
        size_t len;
    } forms[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    size_t form = 0;
    while (form < ARRAY_LEN(forms) && (p[0] < forms[form].first || p[0] > forms[form].last))
        form++;
    if (form == ARRAY_LEN(forms) || left < forms[form].len)
        return 0;
    if (p[1] < forms[form].second_min || p[1] > forms[form].second_max)
        return 0;
    for (size_t i = 2; i < forms[form].len; i++) {
        if (!is_continuation(p[i]))
            return 0;
    }
    return forms[form].len;
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
