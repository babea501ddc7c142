#include "ecma_pattern.h"

#include <stdint.h>
#include <string.h>

#include "ascii.h"
#include "ecma_property.h"
#include "parse.h"

enum {
    CODE_LEN = 4,        /* hexadecimal digits of \uXXXX */
    BYTE_LEN = 2,        /* of \xXX */
    CODE_DIGITS_MAX = 8, /* of \u{X} */
    CODE_MAX = 0x10FFFF,
    CONTROL_MASK = 0x1F, /* of the letter in \cX */
};

/* White space of ECMA-262 (WhiteSpace, LineTerminator), and everything else. */
static const char space[] = "\\x09-\\x0d\\x20\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"
                            "\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
static const char no_space[] = "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{9f}\\x{a1}-\\x{167f}"
                               "\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"
                               "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}"
                               "\\x{ff00}-\\x{10ffff}";

struct reading {
    const char *text;
    size_t len;
    size_t at; /* of what is read next */
    struct str *out;
    struct err *err;
    bool in_class;
    bool was_set; /* the last thing in the class was many characters, such as \d */
};

/* The character `ahead` of the next one; NUL past the end. */
static char peek(const struct reading *reading, size_t ahead)
{
    const size_t at = reading->at + ahead;
    return at < reading->len ? reading->text[at] : '\0';
}

static bool is_one_of(char c, const char *chars)
{
    return c != '\0' && strchr(chars, c);
}

static bool refuse(const struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID, "%s, at byte %zu", what, reading->at);
}

/* `count` digits at text[at]; -1 if there are fewer. */
static int32_t hex_number(const struct reading *reading, size_t ahead, size_t count)
{
    int32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        const int digit = parse_hex_digit(peek(reading, ahead + i));
        if (digit < 0 || value > CODE_MAX)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool take_character(struct reading *reading, int32_t code, size_t len)
{
    if (code < 0 || code > CODE_MAX || (code >= 0xD800 && code <= 0xDFFF))
        return refuse(reading, "no such character");
    str_addf(reading->out, "\\x{%x}", (unsigned)code);
    reading->at += len;
    return true;
}

/* \u{1F600}, \u00e9, or two of these that are one character. */
static bool take_unicode(struct reading *reading)
{
    if (peek(reading, 2) == '{') {
        size_t digits = 0;
        while (digits < CODE_DIGITS_MAX && parse_hex_digit(peek(reading, 3 + digits)) >= 0)
            digits++;
        if (digits == 0 || peek(reading, 3 + digits) != '}')
            return refuse(reading, "\\u{ wants hexadecimal digits and }");
        return take_character(reading, hex_number(reading, 3, digits), digits + 4);
    }
    const size_t len = 2 + CODE_LEN;
    const int32_t high = hex_number(reading, 2, CODE_LEN);
    if (high < 0)
        return refuse(reading, "\\u wants four hexadecimal digits");
    const bool is_pair = high >= 0xD800 && high <= 0xDBFF && peek(reading, len) == '\\' &&
                         peek(reading, len + 1) == 'u';
    const int32_t low = is_pair ? hex_number(reading, len + 2, CODE_LEN) : 0;
    if (low >= 0xDC00 && low <= 0xDFFF)
        return take_character(reading, 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00), 2 * len);
    return take_character(reading, high, len);
}

static bool take_back_reference(struct reading *reading)
{
    size_t digits = 1;
    if (reading->in_class)
        return refuse(reading, "no reference to a group in a class");
    while (ascii_is_digit(peek(reading, 1 + digits)))
        digits++;
    str_addf(reading->out, "\\g{%.*s}", (int)digits, reading->text + reading->at + 1);
    reading->at += 1 + digits;
    return true;
}

static bool take_property(struct reading *reading)
{
    const char *name = reading->text + reading->at + 3;
    const char *end =
        peek(reading, 2) == '{' ? memchr(name, '}', reading->len - reading->at - 3) : NULL;
    if (!end)
        return refuse(reading, "\\p wants {a property}");
    const size_t len = (size_t)(end - name);
    const bool negated = peek(reading, 1) == 'P';
    if (!ecma_property(reading->out, name, len, negated))
        return refuse(reading, "no such property");
    reading->at += len + 4;
    return true;
}

static bool take_space(struct reading *reading)
{
    const char *set = peek(reading, 1) == 's' ? space : no_space;
    str_add(reading->out, reading->in_class ? "" : "[");
    str_add(reading->out, set);
    str_add(reading->out, reading->in_class ? "" : "]");
    reading->at += 2;
    return true;
}

static bool take_as_it_is(struct reading *reading, size_t len)
{
    str_add_n(reading->out, reading->text + reading->at, len);
    reading->at += len;
    return true;
}

static bool take_named_reference(struct reading *reading)
{
    size_t len = 3;
    while (ascii_is_letter(peek(reading, len)) || ascii_is_digit(peek(reading, len)) ||
           peek(reading, len) == '_')
        len++;
    if (peek(reading, 2) != '<' || peek(reading, len) != '>')
        return refuse(reading, "\\k wants <a group>");
    return take_as_it_is(reading, len + 1);
}

/* What begins with a backslash. */
static bool take_escape(struct reading *reading)
{
    const char c = peek(reading, 1);
    if (c == '\0' && reading->at + 1 >= reading->len)
        return refuse(reading, "\\ at the end");
    reading->was_set = is_one_of(c, "dDwWsSpP");
    if (is_one_of(c, "dDwWbBtnfr"))
        return take_as_it_is(reading, 2);
    if (c == 's' || c == 'S')
        return take_space(reading);
    if (c == 'p' || c == 'P')
        return take_property(reading);
    if (c == 'v')
        return take_character(reading, 0x0B, 2);
    if (c == '0' && !ascii_is_digit(peek(reading, 2)))
        return take_character(reading, 0, 2);
    if (c >= '1' && c <= '9')
        return take_back_reference(reading);
    if (c == 'c' && ascii_is_letter(peek(reading, 2)))
        return take_character(reading, peek(reading, 2) & CONTROL_MASK, 3);
    if (c == 'x')
        return take_character(reading, hex_number(reading, 2, BYTE_LEN), 2 + BYTE_LEN);
    if (c == 'u')
        return take_unicode(reading);
    if (c == 'k')
        return take_named_reference(reading);
    if (ascii_is_letter(c) || ascii_is_digit(c) || c == '\0')
        return refuse(reading, "no such escape in ECMA-262");
    return take_as_it_is(reading, (unsigned char)c < 0x80 ? 2 : 1);
}

static bool take_in_class(struct reading *reading)
{
    const char c = peek(reading, 0);
    const bool set_follows = peek(reading, 1) == '\\' && is_one_of(peek(reading, 2), "dDwWsSpP");
    const bool is_literal = c == '[' || (c == '-' && (reading->was_set || set_follows));
    reading->was_set = false;
    if (c == ']')
        reading->in_class = false;
    if (is_literal)
        str_add_char(reading->out, '\\');
    return take_as_it_is(reading, 1);
}

/* Bytes of "*", "+", "?", "{2}", "{2,}" or "{2,3}"; 0 if it is none. */
static size_t repeat_len(const struct reading *reading)
{
    size_t len = 1;
    if (is_one_of(peek(reading, 0), "*+?"))
        return 1;
    if (peek(reading, 0) != '{' || !ascii_is_digit(peek(reading, 1)))
        return 0;
    while (ascii_is_digit(peek(reading, len)))
        len++;
    if (peek(reading, len) == ',') {
        len++;
        while (ascii_is_digit(peek(reading, len)))
            len++;
    }
    return peek(reading, len) == '}' ? len + 1 : 0;
}

static bool take_repeat(struct reading *reading, size_t len)
{
    const size_t lazy = peek(reading, len) == '?' ? 1 : 0;
    (void)take_as_it_is(reading, len + lazy);
    return repeat_len(reading) == 0 || refuse(reading, "nothing to repeat");
}

static bool take_group(struct reading *reading)
{
    const char kind = peek(reading, 1) == '?' ? peek(reading, 2) : '\0';
    const bool is_special = peek(reading, 1) == '?' || peek(reading, 1) == '*';
    const bool is_named = kind == '<' && ascii_is_letter(peek(reading, 3));
    const bool looks_back = kind == '<' && is_one_of(peek(reading, 3), "=!");
    if (is_special && !is_one_of(kind, ":=!") && !is_named && !looks_back)
        return refuse(reading, "no such group in ECMA-262");
    size_t len = 1;
    if (is_special)
        len = kind == '<' ? 4 : 3;
    return take_as_it_is(reading, len);
}

static bool take_next(struct reading *reading)
{
    const char c = peek(reading, 0);
    if (c == '\\')
        return take_escape(reading);
    if (reading->in_class)
        return take_in_class(reading);
    const size_t repeat = repeat_len(reading);
    if (repeat > 0)
        return take_repeat(reading, repeat);
    if (c == '(')
        return take_group(reading);
    if (c == '{')
        str_add_char(reading->out, '\\');
    if (c != '[')
        return take_as_it_is(reading, 1);
    reading->in_class = true;
    reading->was_set = false;
    return take_as_it_is(reading, peek(reading, 1) == '^' ? 2 : 1);
}

bool ecma_pattern(struct str *out, const char *text, size_t len, struct err *err)
{
    struct reading reading = {.text = text, .len = len, .out = out, .err = err};
    while (reading.at < len) {
        if (!take_next(&reading))
            return false;
    }
    return true;
}
