/*
 * ascii.h - locale-independent character classes. The functions take a char or an unsigned char; a
 * non-ASCII byte belongs to no class. Pure.
 */
#ifndef DEVS_ASCII_H
#define DEVS_ASCII_H

#include <stdbool.h>

/* True for 0 to 9. */
static inline bool ascii_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* True for A to Z. */
static inline bool ascii_is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

/* True for a to z. */
static inline bool ascii_is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}

/* True for A to Z and a to z. */
static inline bool ascii_is_letter(int c)
{
    return ascii_is_upper(c) || ascii_is_lower(c);
}

/* Returns a small letter for A to Z, and any other byte unchanged. */
static inline char ascii_lower(char c)
{
    return (char)(ascii_is_upper(c) ? c | 0x20 : c);
}

/* True for JSON whitespace (RFC 8259, section 2): space, tab, line feed, carriage return. */
static inline bool ascii_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
