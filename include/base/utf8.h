/*
 * utf8.h - UTF-8 encoding and decoding (RFC 3629). Any thread.
 */
#ifndef DEVS_UTF8_H
#define DEVS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Returns true for a continuation byte. */
static inline bool utf8_is_inner(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Decodes the character that begins at bytes[0]; `left` > 0 bytes can be read. Returns its length,
 * 1 to 4. Returns 0 and leaves *rune unchanged if it is not well-formed: truncated, overlong, a
 * surrogate, or beyond U+10FFFF. */
size_t utf8_rune(const char *bytes, size_t left, uint32_t *rune);

/* Like utf8_rune(), but returns only the length. */
size_t utf8_len(const char *bytes, size_t left);

/* Appends a character; U+FFFD if it is not valid. */
void utf8_add(struct str *str, int32_t character);

#endif
