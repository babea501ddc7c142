/*
 * str.c - growable text, and writing JSON into it.
 *
 * Much of the log is written here: numbers two digits at a time, and strings without escapes in one
 * piece. Invalid UTF-8 becomes U+FFFD.
 */
#include "str.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_escape.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    I64_DIGITS_MAX = 20,  /* including the sign, without a NUL */
    FORMATTED_GUESS = 80, /* enough bytes for most formatted pieces */
};

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

static void grow_str(struct str *str, size_t more)
{
    assert(more < SIZE_MAX - str->len);
    str->data = xgrow(str->data, &str->cap, str->len + more + 1, 1);
}

/* Returns where the next bytes go, with space for `more` bytes and the NUL. */
static inline char *room_for(struct str *str, size_t more)
{
    if (!str->data || more >= str->cap - str->len)
        grow_str(str, more);
    return str->data + str->len;
}

/* Sets the end of the text after writing to room_for(). */
static inline void end_at(struct str *str, char *end)
{
    *end = '\0';
    str->len = (size_t)(end - str->data);
}

void str_reserve(struct str *str, size_t more)
{
    const bool is_new = !str->data;
    char *next = room_for(str, more);
    if (is_new)
        *next = '\0';
}

const char *str_text(const struct str *str)
{
    return str->data ? str->data : "";
}

void str_add(struct str *str, const char *text)
{
    str_add_n(str, text, strlen(text));
}

void str_add_n(struct str *str, const char *bytes, size_t len)
{
    char *next = room_for(str, len);
    if (len > 0)
        memcpy(next, bytes, len);
    end_at(str, next + len);
}

void str_add_char(struct str *str, char c)
{
    char *next = room_for(str, 1);
    *next = c;
    end_at(str, next + 1);
}

void str_addf(struct str *str, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    (void)room_for(str, FORMATTED_GUESS);
    int len = vsnprintf(str->data + str->len, str->cap - str->len, fmt, args);
    va_end(args);
    assert(len >= 0);
    if ((size_t)len >= str->cap - str->len) {
        (void)room_for(str, (size_t)len);
        (void)vsnprintf(str->data + str->len, (size_t)len + 1, fmt, again);
    }
    va_end(again);
    str->len += (size_t)len;
}

/* Writes a decimal number, two digits at a time, and returns its end. Always writes I64_DIGITS_MAX
 * bytes, because a copy of fixed size is faster. */
static char *write_i64(char *at, int64_t value)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    char digits[2 * I64_DIGITS_MAX] = {0}; /* the number ends in the middle */
    size_t start = I64_DIGITS_MAX;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    for (; rest >= 100; rest /= 100) {
        start -= 2;
        memcpy(digits + start, pairs + 2 * (rest % 100), 2);
    }
    if (rest >= 10)
        digits[--start] = pairs[2 * rest + 1];
    digits[--start] = rest >= 10 ? pairs[2 * rest] : (char)('0' + rest);
    if (value < 0)
        digits[--start] = '-';
    memcpy(at, digits + start, I64_DIGITS_MAX);
    return at + (I64_DIGITS_MAX - start);
}

void str_add_i64(struct str *str, int64_t value)
{
    char *next = room_for(str, I64_DIGITS_MAX);
    end_at(str, write_i64(next, value));
}

void str_add_number(struct str *str, double value)
{
    const double limit = 1e9; /* %.9g writes smaller whole numbers without an exponent */
    char text[64];
    if (value > -limit && value < limit && value == (double)(int64_t)value &&
        (value != 0 || !signbit(value))) {
        str_add_i64(str, (int64_t)value);
        return;
    }
    (void)snprintf(text, sizeof(text), "%.9g", value);
    if (strtod(text, NULL) != value)
        (void)snprintf(text, sizeof(text), "%.17g", value);
    for (const char *p = text; *p;) {
        size_t plain = strspn(p, "0123456789+-e");
        str_add_n(str, p, plain);
        p += plain;
        if (*p)
            str_add_char(str, '.');
        p += strcspn(p, "0123456789+-e");
    }
}

/* Appends the first character, which is not plain; returns the number of bytes consumed. */
static size_t add_special(struct str *str, const unsigned char *p, size_t left)
{
    static const char short_forms[][2] = {
        {'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\b', 'b'}, {'\f', 'f'},
    };
    if (p[0] < 0x80) {
        for (size_t i = 0; i < ARRAY_LEN(short_forms); i++) {
            if (p[0] == (unsigned char)short_forms[i][0]) {
                str_add_char(str, '\\');
                str_add_char(str, short_forms[i][1]);
                return 1;
            }
        }
        str_addf(str, "\\u%04x", p[0]);
        return 1;
    }
    size_t len = utf8_len((const char *)p, left);
    if (len == 0) {
        str_add(str, replacement);
        return 1;
    }
    str_add_n(str, (const char *)p, len);
    return len;
}

/* Writes a string that needs no escapes, with its quotes, and returns its end. */
static inline char *write_plain(char *at, const char *text, size_t len)
{
    *at++ = '"';
    if (len > 0)
        memcpy(at, text, len);
    at += len;
    *at++ = '"';
    return at;
}

/* Appends a string that needs escapes. */
static void add_escaped(struct str *str, const char *bytes, size_t len)
{
    const unsigned char *p = (const unsigned char *)bytes;
    (void)room_for(str, len + 2);
    str_add_char(str, '"');
    for (size_t at = 0; at < len;) {
        const size_t plain = json_plain_len(bytes + at, len - at);
        str_add_n(str, bytes + at, plain);
        at += plain;
        if (at < len)
            at += add_special(str, p + at, len - at);
    }
    str_add_char(str, '"');
}

void str_add_json(struct str *str, const char *bytes, size_t len)
{
    if (!json_is_plain(bytes, len)) {
        add_escaped(str, bytes, len);
        return;
    }
    char *next = room_for(str, len + 2);
    end_at(str, write_plain(next, bytes, len));
}

void str_json_quote(struct str *str, size_t from)
{
    const size_t len = str->len - from;
    (void)room_for(str, 2);
    if (json_is_plain(str->data + from, len)) {
        memmove(str->data + from + 1, str->data + from, len);
        str->data[from] = '"';
        str->len++;
        str_add_char(str, '"');
        return;
    }
    char *bytes = xstrndup(str->data + from, len);
    str_cut(str, from);
    str_add_json(str, bytes, len);
    free(bytes);
}

enum { KEY_MORE = 4 }; /* a comma, two quotes, a colon */

/* Writes the key of a member, with space for `more` bytes of its value, and returns where the value
 * goes. */
static char *begin_member(struct str *str, const char *key, size_t more)
{
    const size_t len = strlen(key);
    char *next = room_for(str, len + KEY_MORE + more);
    const char last = str->len > 0 ? str->data[str->len - 1] : '{';
    if (last != '{' && last != '[' && last != ',')
        *next++ = ',';
    if (json_is_plain(key, len)) {
        next = write_plain(next, key, len);
    } else {
        end_at(str, next);
        add_escaped(str, key, len);
        next = room_for(str, 1 + more);
    }
    *next++ = ':';
    return next;
}

void str_json_key(struct str *str, const char *key)
{
    end_at(str, begin_member(str, key, 0));
}

void str_json_text(struct str *str, const char *key, const char *text)
{
    const size_t len = strlen(text);
    char *value = begin_member(str, key, len + 2);
    if (json_is_plain(text, len)) {
        end_at(str, write_plain(value, text, len));
    } else {
        end_at(str, value);
        add_escaped(str, text, len);
    }
}

void str_json_i64(struct str *str, const char *key, int64_t value)
{
    end_at(str, write_i64(begin_member(str, key, I64_DIGITS_MAX), value));
}

void str_json_bool(struct str *str, const char *key, bool value)
{
    str_json_key(str, key);
    str_add(str, value ? "true" : "false");
}

void str_cut(struct str *str, size_t len)
{
    assert(len <= str->len);
    str->len = len;
    if (str->data)
        str->data[len] = '\0';
}

void str_clear(struct str *str)
{
    str_cut(str, 0);
}

void str_done(struct str *str)
{
    if (!str)
        return;
    free(str->data);
    *str = (struct str){0};
}
