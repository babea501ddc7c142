/*
 * json_repair.c - repairs JSON text that strict parsers reject, such as lone surrogates.
 */
#include "json_repair.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parse.h"
#include "text.h"

enum { ESCAPE_LEN = 6 }; /* \uXXXX */

/* Returns the code unit of an escape \uXXXX at the beginning, or -1. */
static int escape_of(const char *text, size_t len)
{
    int value = 0;
    if (len < ESCAPE_LEN || text[0] != '\\' || text[1] != 'u')
        return -1;
    for (size_t i = 2; i < ESCAPE_LEN; i++) {
        const int digit = parse_hex_digit(text[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool is_high_surrogate(int value)
{
    return value >= 0xd800 && value <= 0xdbff;
}

static bool is_low_surrogate(int value)
{
    return value >= 0xdc00 && value <= 0xdfff;
}

/* Repairs a sequence that begins with a backslash. Returns the number of bytes read. */
static size_t repair_escape(struct str *out, const char *text, size_t len)
{
    const int value = escape_of(text, len);
    if (value < 0) {
        const size_t taken = len > 1 && (unsigned char)text[1] < 0x80 ? 2 : 1;
        str_add_n(out, text, taken);
        return taken;
    }
    if (is_high_surrogate(value) &&
        is_low_surrogate(escape_of(text + ESCAPE_LEN, len - ESCAPE_LEN))) {
        str_add_n(out, text, (size_t)2 * ESCAPE_LEN);
        return (size_t)2 * ESCAPE_LEN;
    }
    if (value == 0)
        str_add(out, "\\u0001");
    else if (is_high_surrogate(value) || is_low_surrogate(value))
        str_add(out, "\\ufffd");
    else
        str_add_n(out, text, ESCAPE_LEN);
    return ESCAPE_LEN;
}

void json_repair(struct str *out, const char *text, size_t len)
{
    size_t kept = 0; /* start of the bytes that are not copied yet */
    for (size_t i = 0; i < len;) {
        uint32_t rune = 0;
        const bool plain = (unsigned char)text[i] < 0x80 && text[i] != '\\';
        const size_t taken = plain ? 1 : (size_t)text_rune(text + i, len - i, &rune);
        if (plain || (rune != UINT32_MAX && text[i] != '\\')) {
            i += taken;
            continue;
        }
        str_add_n(out, text + kept, i - kept);
        if (text[i] == '\\') {
            i += repair_escape(out, text + i, len - i);
        } else {
            str_add_char(out, '?');
            i++;
        }
        kept = i;
    }
    str_add_n(out, text + kept, len - kept);
}
