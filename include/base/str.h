/*
 * str.h - growing text, always NUL-terminated; and JSON text written by hand.
 *
 * A struct str is the caller's; all zero is a valid empty value. Any thread,
 * one at a time.
 */
#ifndef DEVS_STR_H
#define DEVS_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

struct str {
    char *data; /* owned; NULL while empty: use str_text() to read */
    size_t len; /* bytes, without the NUL */
    size_t cap; /* bytes */
};

/* The text, "" when nothing was added. Valid until the next change. */
const char *str_text(const struct str *str);

/* Make room for so many more bytes: for a text that would else grow in several steps. */
void str_reserve(struct str *str, size_t more);

/* Append a text that ends in a NUL. O(what is added), as all below. */
void str_add(struct str *str, const char *text);
/* Append so many bytes. They may hold a NUL, which str_text() alone does not show. */
void str_add_n(struct str *str, const char *bytes, size_t len);
/* Append one byte, a NUL as well. */
void str_add_char(struct str *str, char c);
/* The same of a printf format; str_add() and str_add_i64() are several times as quick. */
ATTR_PRINTF(2, 3) void str_addf(struct str *str, const char *fmt, ...);

/* Decimal number; faster than str_addf(). */
void str_add_i64(struct str *str, int64_t value);

/* A number as JSON wants it, whatever the locale's decimal point; %.17g unless the
 * shorter %.9g means the same. Small whole numbers are quick. */
void str_add_number(struct str *str, double value);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void str_add_json(struct str *str, const char *bytes, size_t len);

/* Append `"key":"text"`, with a comma before it unless the text so far ends in '{' or is empty. */
void str_json_text(struct str *str, const char *key, const char *text);
/* The same of `"key":123`. */
void str_json_i64(struct str *str, const char *key, int64_t value);
/* The same of `"key":true`. */
void str_json_bool(struct str *str, const char *key, bool value);
/* The same of `"key":` and nothing after it, for a value that the caller writes. */
void str_json_key(struct str *str, const char *key);

/* Make what was appended since the text was `from` bytes long a JSON string; it holds no NUL. */
void str_json_quote(struct str *str, size_t from);

/* Keep the first `len` bytes, no more than there are. */
void str_cut(struct str *str, size_t len);
/* Forget the text, keep the memory. */
void str_clear(struct str *str);

/* Free. NULL is allowed; the value is empty afterwards. */
void str_done(struct str *str);

#endif
