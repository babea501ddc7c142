#include "str.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    I64_DIGITS_MAX = 20,  /* with the sign, without a NUL */
    FORMATTED_GUESS = 80, /* bytes that most formatted pieces fit into */
};

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* Make room for `more` bytes and the NUL. */
static void reserve(struct str *str, size_t more)
{
    assert(more < SIZE_MAX - str->len);
    if (str->data && str->len + more < str->cap)
        return;
    str->data = xgrow(str->data, &str->cap, str->len + more + 1, 1);
}

void str_reserve(struct str *str, size_t more)
{
    const bool is_new = !str->data;
    reserve(str, more);
    if (is_new)
        str->data[0] = '\0';
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
    reserve(str, len);
    if (len > 0)
        memcpy(str->data + str->len, bytes, len);
    str->len += len;
    str->data[str->len] = '\0';
}

void str_add_char(struct str *str, char c)
{
    reserve(str, 1);
    str->data[str->len++] = c;
    str->data[str->len] = '\0';
}

void str_addf(struct str *str, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    va_list again;
    va_copy(again, args);
    reserve(str, FORMATTED_GUESS);
    int len = vsnprintf(str->data + str->len, str->cap - str->len, fmt, args);
    va_end(args);
    assert(len >= 0);
    if ((size_t)len >= str->cap - str->len) {
        reserve(str, (size_t)len);
        (void)vsnprintf(str->data + str->len, (size_t)len + 1, fmt, again);
    }
    va_end(again);
    str->len += (size_t)len;
}

/* Digits from the end of the room on, which there is for I64_DIGITS_MAX; where they begin. */
static size_t write_digits(char digits[I64_DIGITS_MAX], int64_t value)
{
    size_t start = I64_DIGITS_MAX;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--start] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        digits[--start] = '-';
    return start;
}

void str_add_i64(struct str *str, int64_t value)
{
    char digits[I64_DIGITS_MAX];
    const size_t start = write_digits(digits, value);
    str_add_n(str, digits + start, sizeof(digits) - start);
}

/* A whole number that %.9g writes with its digits alone. */
static bool is_small_whole(double value)
{
    const double limit = 1e9;
    return value > -limit && value < limit && value == (double)(int64_t)value &&
           (value != 0 || !signbit(value));
}

void str_add_number(struct str *str, double value)
{
    char text[64];
    if (is_small_whole(value)) {
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

static void add_escape(struct str *str, unsigned char byte)
{
    static const char short_forms[][2] = {
        {'"', '"'}, {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'\b', 'b'}, {'\f', 'f'},
    };
    for (size_t i = 0; i < ARRAY_LEN(short_forms); i++) {
        if (byte == (unsigned char)short_forms[i][0]) {
            str_add_char(str, '\\');
            str_add_char(str, short_forms[i][1]);
            return;
        }
    }
    str_addf(str, "\\u%04x", byte);
}

/* Add the first character that is not plain; returns how many bytes it took. */
static size_t add_special(struct str *str, const unsigned char *p, size_t left)
{
    if (p[0] < 0x80) {
        add_escape(str, p[0]);
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

/* A string that needs no escapes. */
static void add_plain_string(struct str *str, const char *text, size_t len)
{
    reserve(str, len + 2);
    char *at = str->data + str->len;
    *at++ = '"';
    if (len > 0)
        memcpy(at, text, len);
    at += len;
    *at++ = '"';
    *at = '\0';
    str->len += len + 2;
}

void str_add_json(struct str *str, const char *bytes, size_t len)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t plain = json_text_plain(bytes, len);
    if (plain == len) {
        add_plain_string(str, bytes, len);
        return;
    }
    reserve(str, len + 2);
    str_add_char(str, '"');
    for (size_t at = 0; at < len; plain = json_text_plain(bytes + at, len - at)) {
        str_add_n(str, bytes + at, plain);
        at += plain;
        if (at < len)
            at += add_special(str, p + at, len - at);
    }
    str_add_char(str, '"');
}

void str_json_quote(struct str *str, size_t from)
{
    const size_t len = str->len - from;
    reserve(str, 2);
    if (json_text_plain(str->data + from, len) == len) {
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

static bool needs_comma(const struct str *str)
{
    const char last = str->len > 0 ? str->data[str->len - 1] : '{';
    return last != '{' && last != '[' && last != ',';
}

void str_json_key(struct str *str, const char *key)
{
    const size_t len = strlen(key);
    reserve(str, len + 4); /* a comma, two quotes, a colon */
    if (needs_comma(str))
        str->data[str->len++] = ',';
    str_add_json(str, key, len);
    str_add_char(str, ':');
}

void str_json_text(struct str *str, const char *key, const char *text)
{
    str_json_key(str, key);
    str_add_json(str, text, strlen(text));
}

void str_json_i64(struct str *str, const char *key, int64_t value)
{
    str_json_key(str, key);
    str_add_i64(str, value);
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
