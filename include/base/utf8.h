/*
 * utf8.h - characters as bytes (RFC 3629). Any thread.
 */
#ifndef DEVS_UTF8_H
#define DEVS_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* Bytes of the character that begins at bytes[0], of which `left` > 0 can be read; 0: what
 * stands there is not well-formed: cut off, overlong, a surrogate, beyond U+10FFFF. */
size_t utf8_len(const char *bytes, size_t left);

/* Append a character; U+FFFD for what is none. */
void utf8_add(struct str *str, int32_t character);

#endif
