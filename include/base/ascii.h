/*
 * ascii.h - what kind of character a byte is, whatever the locale. Takes a char or an unsigned
 * char; a byte that is not ASCII is of no kind. Pure.
 */
#ifndef DEVS_ASCII_H
#define DEVS_ASCII_H

#include <stdbool.h>

/* 0 to 9. */
static inline bool ascii_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* A to Z. */
static inline bool ascii_is_upper(int c)
{
    return c >= 'A' && c <= 'Z';
}

/* a to z. */
static inline bool ascii_is_lower(int c)
{
    return c >= 'a' && c <= 'z';
}

/* A to Z, a to z. */
static inline bool ascii_is_letter(int c)
{
    return ascii_is_upper(c) || ascii_is_lower(c);
}

/* What stands between the tokens of JSON (RFC 8259, 2): space, tab, line feed, carriage return. */
static inline bool ascii_is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
