/*
 * str.h - growable text, always NUL-terminated, and helpers that write JSON.
 *
 * The caller owns a struct str; all zero is a valid empty value. Any thread, but one at a time.
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

/* Returns the text, "" if nothing was added. Valid until the next change. */
const char *str_text(const struct str *str);

/* Reserves space for `more` additional bytes, to avoid growing in several steps. */
void str_reserve(struct str *str, size_t more);

/* Appends NUL-terminated text. Takes time proportional to the added text, like all functions
 * below. */
void str_add(struct str *str, const char *text);
/* Appends `len` bytes. They may include a NUL, so use `len` with str_text(). */
void str_add_n(struct str *str, const char *bytes, size_t len);
/* Appends one byte, which may be a NUL. */
void str_add_char(struct str *str, char c);
/* Appends formatted text. str_add() and str_add_i64() are several times as fast. */
ATTR_PRINTF(2, 3) void str_addf(struct str *str, const char *fmt, ...);

/* Appends a decimal number; faster than str_addf(). */
void str_add_i64(struct str *str, int64_t value);

/* Appends a JSON number, whatever the locale's decimal point: %.9g if that gives the same value,
 * otherwise %.17g. Small whole numbers are fast. */
void str_add_number(struct str *str, double value);

/* Appends a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void str_add_json(struct str *str, const char *bytes, size_t len);

/* Appends `"key":"text"`, preceded by a comma unless the text so far is empty or ends in '{', '['
 * or ','. */
void str_json_text(struct str *str, const char *key, const char *text);
/* Like str_json_text(), for `"key":123`. */
void str_json_i64(struct str *str, const char *key, int64_t value);
/* Like str_json_text(), for `"key":true`. */
void str_json_bool(struct str *str, const char *key, bool value);
/* Like str_json_text(), but appends only `"key":`; the caller appends the value. */
void str_json_key(struct str *str, const char *key);

/* Turns everything from byte `from` on into a JSON string. That part must not contain a NUL. */
void str_json_quote(struct str *str, size_t from);

/* Truncates the text to `len` bytes, which must not exceed its length. */
void str_cut(struct str *str, size_t len);
/* Empties the text but keeps the memory. */
void str_clear(struct str *str);

/* Frees the text and leaves an empty value. `str` may be NULL. */
void str_done(struct str *str);

#endif
