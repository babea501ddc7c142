/*
 * redact_words.h - which values are secrets by their names and their looks; the alphabets that they
 * are written in; the gaps (escape sequences, controls) within them. Pure.
 */
#ifndef DEVS_REDACT_WORDS_H
#define DEVS_REDACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the name in the list? An entry that ends in '*' stands for all that begin so. NULL list:
 * no. */
bool redact_is_listed(char *const *list, const char *name);

/* May a value be a secret, whatever its name says? Not if it is shorter than REDACT_VALUE_MIN, a
 * path, a short number, a word that everybody has, one character or two again and again, or has
 * a mark where a secret was. */
bool redact_may_be_secret(const char *value, size_t len);

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
    REDACT_COOKIES,   /* of a list of cookies: also ; and blanks */
    REDACT_AUTHORITY, /* between "://" and the end of a host: all but / ? # and blanks, quotes,
                         brackets of text */
};

/* Whether it is one of these characters; never for NUL. */
bool redact_is_one_of(unsigned char c, const char *chars);
/* Is it a character of this alphabet? */
bool redact_is_in(enum redact_alphabet alphabet, unsigned char c);
/* How many of the first bytes are in it; `limit` at most. */
size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit);

enum {
    REDACT_GAPS_MAX = 32, /* within one secret */
    REDACT_GAP_MAX = 32,  /* bytes of one; longer sequences are not gaps */
};

/* What was passed over, in order. Offsets in the stream. */
struct redact_gaps {
    struct {
        int64_t start, end;
    } items[REDACT_GAPS_MAX];
    size_t count;
};

/* False if there are too many. */
bool redact_gaps_add(struct redact_gaps *gaps, int64_t start, int64_t end);
/* Where the last `depth` bytes before `end` begin, the gaps among them not counted. */
int64_t redact_gaps_start(const struct redact_gaps *gaps, int64_t end, int64_t depth);

/* Whether a gap is among these bytes, the gaps not counted. */
bool redact_gaps_within(const struct redact_gaps *gaps, int64_t end, int64_t depth);

/* A search that continues after gaps, beside the search that does not skip them. */
struct redact_joined {
    uint32_t node;     /* in the trie; the root: nothing */
    int64_t resume_at; /* the end of the last gap */
    struct redact_gaps gaps;
};

/* Can one begin with this byte? */
bool redact_gap_begins(unsigned char c);
/* Length of the escape sequence or control at bytes[0] that shows nothing and contains no text; 0
 * if there is none. *open: more bytes may make it one, or make it longer. */
size_t redact_gap_len(const char *bytes, size_t len, bool *open);

#endif
