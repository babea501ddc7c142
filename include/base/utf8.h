/*
 * utf8.h - characters as bytes (RFC 3629). Any thread.
 */
#ifndef DEVS_UTF8_H
#define DEVS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Is it a byte of a character, but not its first one? */
static inline bool utf8_is_inner(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The character that begins at bytes[0], of which `left` > 0 can be read. Returns its bytes, 1 to
 * 4; 0, and *rune is untouched, where what stands there is not well-formed: cut off, overlong, a
 * surrogate, beyond U+10FFFF. */
size_t utf8_rune(const char *bytes, size_t left, uint32_t *rune);

/* Its bytes alone, 0 likewise. */
size_t utf8_len(const char *bytes, size_t left);

/* Append a character; U+FFFD if it is not a valid one. */
void utf8_add(struct str *str, int32_t character);

#endif
