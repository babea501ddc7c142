#include "redact_alphabet.h"

#include <string.h>

#include "ascii.h"

bool redact_is_one_of(unsigned char c, const char *chars)
{
    return c != '\0' && strchr(chars, c);
}

bool redact_is_in(enum redact_alphabet alphabet, unsigned char c)
{
    const bool alnum = ascii_is_letter(c) || ascii_is_digit(c);
    switch (alphabet) {
    case REDACT_LETTER:
        return ascii_is_letter(c);
    case REDACT_ALNUM:
        return alnum;
    case REDACT_UPPER:
        return ascii_is_upper(c) || ascii_is_digit(c);
    case REDACT_HEX:
        return ascii_is_digit(c) || redact_is_one_of(c, "abcdefABCDEF");
    case REDACT_NAME:
        return alnum || c == '_';
    case REDACT_WORD:
        return alnum || c == '_' || c == '-';
    case REDACT_DOTTED:
        return alnum || redact_is_one_of(c, "_-.");
    case REDACT_BASE64:
        return alnum || redact_is_one_of(c, "+/=");
    case REDACT_BEARER:
        return alnum || redact_is_one_of(c, "._~+/=-");
    case REDACT_LABEL:
        return ascii_is_upper(c) || ascii_is_digit(c) || c == ' ';
    case REDACT_LOWER_HEX:
        return ascii_is_digit(c) || redact_is_one_of(c, "abcdef");
    case REDACT_PATH:
        return alnum || redact_is_one_of(c, "_-/@");
    case REDACT_COOKIE:
        return c > ' ' && c < 0x7f && !redact_is_one_of(c, "\"'\\;,");
    case REDACT_COOKIES:
        return c >= ' ' && c < 0x7f && !redact_is_one_of(c, "\"'\\");
    case REDACT_AUTHORITY:
        return c > ' ' && c != 0x7f && !redact_is_one_of(c, "/?#\"'<>()`\\|");
    }
    return false;
}

size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit)
{
    const size_t end = len < limit ? len : limit;
    size_t run = 0;
    while (run < end && redact_is_in(alphabet, (unsigned char)bytes[run]))
        run++;
    return run;
}
