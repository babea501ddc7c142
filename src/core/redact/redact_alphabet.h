/*
 * redact_alphabet.h - the characters that tokens are made of.
 */
#ifndef DEVS_REDACT_ALPHABET_H
#define DEVS_REDACT_ALPHABET_H

#include <stdbool.h>
#include <stddef.h>

enum redact_alphabet {
    REDACT_LETTER,
    REDACT_ALNUM,
    REDACT_UPPER,  /* capitals and digits */
    REDACT_HEX,    /* of either case */
    REDACT_NAME,   /* letters, digits, _ */
    REDACT_WORD,   /* the same and -: the URL-safe base64 */
    REDACT_DOTTED, /* the same and . */
    REDACT_BASE64, /* letters, digits, + / = */
    REDACT_BEARER, /* letters, digits, . _ ~ + / = -: token68 of RFC 9110, 11.2 */
    REDACT_LABEL,  /* capitals, digits, blank: of a PEM block */
    REDACT_LOWER_HEX,
    REDACT_PATH,      /* letters, digits, _ - / @ */
    REDACT_COOKIE,    /* of one cookie's value */
    REDACT_COOKIES,   /* of a list of them: also ; and blanks */
    REDACT_AUTHORITY, /* what may stand between "://" and the end of a host: neither / ? # nor
                         blanks, quotes, brackets of text */
};

/* Is it one of these characters? NUL is none. */
bool redact_is_one_of(unsigned char c, const char *chars);
/* Is it a character of this alphabet? */
bool redact_is_in(enum redact_alphabet alphabet, unsigned char c);
/* How many of the first bytes are in it; `limit` at most. */
size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit);

#endif
