/*
 * json_scan.c - reads and checks JSON text without a tree.
 *
 * The objects of events are read often, so their members are found by scanning. Text from others is
 * checked completely first (json_check), or while it is copied to one line (json_line_add), no
 * deeper than JSON_LINE_DEPTH_MAX.
 */
#include "json.h"

#include <string.h>

#include "ascii.h"
#include "json_escape.h"
#include "json_internal.h"
#include "parse.h"
#include "utf8.h"

static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
}

size_t json_plain_len(const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len && is_plain(bytes[at]))
        at++;
    return at;
}

bool json_is_plain(const char *bytes, size_t len)
{
    return json_plain_len(bytes, len) == len;
}

/* Returns the value of the four hex digits after "\u"; -1 if there are none. */
static int take_unit(struct json_text *text)
{
    int unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = parse_hex_digit(json_text_peek(text));
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
        text->at++;
    }
    return unit;
}

enum { HIGH_FIRST = 0xD800, LOW_FIRST = 0xDC00, LOW_LAST = 0xDFFF };

int32_t json_text_take_character(struct json_text *text)
{
    int high = take_unit(text);
    if (high < HIGH_FIRST || high > LOW_LAST)
        return high;
    int low = high < LOW_FIRST && json_text_take(text, '\\') && json_text_take(text, 'u')
                  ? take_unit(text)
                  : -1;
    if (low < LOW_FIRST || low > LOW_LAST)
        return -1;
    return 0x10000 + (high - HIGH_FIRST) * 0x400 + (low - LOW_FIRST);
}

/* Skips the rest of a string, from after the opening quote to after the closing one. */
static void skip_string(struct json_text *text)
{
    while (text->at < text->len && !json_text_take(text, '"'))
        text->at += json_text_peek(text) == '\\' && text->at + 1 < text->len ? 2 : 1;
}

static void skip_value(struct json_text *text)
{
    int depth = 0;
    while (text->at < text->len) {
        char c = json_text_peek(text);
        bool ends = c == '}' || c == ']';
        if (depth == 0 && (c == ',' || ends || ascii_is_blank(c)))
            return;
        text->at++;
        if (c == '"')
            skip_string(text);
        else if (ends)
            depth--;
        else if (c == '{' || c == '[')
            depth++;
        if (depth == 0 && (c == '"' || ends))
            return;
    }
}

/* Stepping through the members of an object, or the items of an array. */

struct json_members json_members(const char *text, size_t len)
{
    return (struct json_members){.text = text, .len = len};
}

/* Finds the next member of an object, or the next element of an array if `key` is NULL. Returns
 * false if there is none. */
static bool next_value(struct json_members *members, struct json_piece *key,
                       struct json_piece *value)
{
    struct json_text scan = {.text = members->text, .len = members->len, .at = members->at};
    const bool is_first = members->at == 0;
    if (members->is_over)
        return false;
    json_text_skip_blanks(&scan);
    if (is_first) {
        if (!json_text_take(&scan, key ? '{' : '['))
            return false;
        json_text_skip_blanks(&scan);
    }
    members->is_over = json_text_take(&scan, key ? '}' : ']');
    if (members->is_over)
        json_text_skip_blanks(&scan);
    members->at = scan.at;
    if (members->is_over || (!is_first && !json_text_take(&scan, ',')))
        return false;
    json_text_skip_blanks(&scan);
    if (key) {
        const size_t key_at = scan.at + 1;
        if (!json_text_take(&scan, '"'))
            return false;
        skip_string(&scan);
        const size_t key_end = scan.at - 1;
        json_text_skip_blanks(&scan);
        if (key_end < key_at || !json_text_take(&scan, ':'))
            return false;
        json_text_skip_blanks(&scan);
        *key = (struct json_piece){.text = members->text + key_at, .len = key_end - key_at};
    }
    const size_t value_at = scan.at;
    skip_value(&scan);
    *value = (struct json_piece){.text = members->text + value_at, .len = scan.at - value_at};
    members->at = scan.at;
    return value->len > 0;
}

bool json_members_next(struct json_members *members, struct json_piece *key,
                       struct json_piece *value)
{
    return next_value(members, key, value);
}

bool json_items_next(struct json_members *items, struct json_piece *value)
{
    return next_value(items, NULL, value);
}

bool json_members_are_over(const struct json_members *members)
{
    return members->is_over && members->at == members->len;
}

/* Appends the character of an escape. Starts after the backslash. */
static void add_unescaped(struct json_text *text, struct str *out)
{
    static const char short_forms[][2] = {
        {'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'b', '\b'}, {'f', '\f'},
    };
    if (json_text_take(text, 'u')) {
        utf8_add(out, json_text_take_character(text));
        return;
    }
    char c = json_text_peek(text);
    text->at++;
    for (size_t i = 0; i < ARRAY_LEN(short_forms); i++) {
        if (c == short_forms[i][0])
            c = short_forms[i][1];
    }
    str_add_char(out, c);
}

bool json_scan_text(struct json_piece piece, struct str *out)
{
    if (piece.len < 2 || piece.text[0] != '"')
        return false;
    struct json_text scan = {.text = piece.text, .len = piece.len - 1, .at = 1};
    while (scan.at < scan.len) {
        const char *from = piece.text + scan.at;
        const char *escape = memchr(from, '\\', scan.len - scan.at);
        size_t plain = escape ? (size_t)(escape - from) : scan.len - scan.at;
        str_add_n(out, from, plain);
        scan.at += plain;
        if (json_text_take(&scan, '\\') && scan.at < scan.len)
            add_unescaped(&scan, out);
    }
    return true;
}

int64_t json_scan_i64(struct json_piece piece, int64_t otherwise)
{
    enum { DIGITS_MAX = 20 }; /* including the sign */
    char digits[DIGITS_MAX + 1];
    int64_t value = 0;
    if (piece.len == 0 || piece.len > DIGITS_MAX)
        return otherwise;
    memcpy(digits, piece.text, piece.len);
    digits[piece.len] = '\0';
    return parse_i64(digits, INT64_MIN, INT64_MAX, &value, NULL) ? value : otherwise;
}

/* Checking untrusted JSON text and copying it into a line. */

/* Checks the rest of a string, after the opening quote. */
static bool check_string(struct json_text *text)
{
    for (;;) {
        text->at += json_plain_len(text->text + text->at, text->len - text->at);
        if (text->at == text->len)
            return false;
        unsigned char c = (unsigned char)text->text[text->at];
        size_t wide = c < 0x80 ? 1 : utf8_len(text->text + text->at, text->len - text->at);
        if (wide == 0 || c < 0x20)
            return false;
        text->at += wide;
        if (c == '"')
            return true;
        if (c != '\\')
            continue;
        if (json_text_take(text, 'u')) {
            if (json_text_take_character(text) < 0)
                return false;
            continue;
        }
        const char escaped = json_text_peek(text);
        text->at++;
        if (escaped == '\0' || !strchr("\"\\/bfnrt", escaped))
            return false;
    }
}

static bool take_digits(struct json_text *text)
{
    size_t from = text->at;
    while (ascii_is_digit(json_text_peek(text)))
        text->at++;
    return text->at > from;
}

bool json_text_take_number(struct json_text *text)
{
    (void)json_text_take(text, '-');
    if (!json_text_take(text, '0') && !take_digits(text))
        return false;
    if (json_text_take(text, '.') && !take_digits(text))
        return false;
    if (!json_text_take(text, 'e') && !json_text_take(text, 'E'))
        return true;
    if (!json_text_take(text, '+'))
        (void)json_text_take(text, '-');
    return take_digits(text);
}

bool json_text_take_word(struct json_text *text, const char *word)
{
    size_t len = strlen(word);
    if (text->len - text->at < len || memcmp(text->text + text->at, word, len) != 0)
        return false;
    text->at += len;
    return true;
}

/* Checks a value that is not an object or array. */
static bool check_scalar(struct json_text *text)
{
    switch (json_text_peek(text)) {
    case '"':
        text->at++;
        return check_string(text);
    case 't':
        return json_text_take_word(text, "true");
    case 'f':
        return json_text_take_word(text, "false");
    case 'n':
        return json_text_take_word(text, "null");
    default:
        return json_text_take_number(text);
    }
}

/* A copy in progress, with the closing brackets still expected, innermost last. */
struct copying {
    struct json_text text;
    struct str *out; /* NULL: the text is only checked */
    size_t copied;   /* bytes of the text already copied or skipped */
    int depth;
    char open[JSON_LINE_DEPTH_MAX];
};

static void copy_so_far(struct copying *copying)
{
    if (copying->out)
        str_add_n(copying->out, copying->text.text + copying->copied,
                  copying->text.at - copying->copied);
    copying->copied = copying->text.at;
}

static void leave_out_blanks(struct copying *copying)
{
    if (!ascii_is_blank(json_text_peek(&copying->text)))
        return;
    copy_so_far(copying);
    json_text_skip_blanks(&copying->text);
    copying->copied = copying->text.at;
}

static bool take_key(struct copying *copying)
{
    if (!json_text_take(&copying->text, '"') || !check_string(&copying->text))
        return false;
    leave_out_blanks(copying);
    return json_text_take(&copying->text, ':');
}

/* Enters an object or array, starting after the '{' or '['. Sets *value if a value follows. */
static bool enter_brackets(struct copying *copying, char bracket, bool *value)
{
    if (copying->depth == JSON_LINE_DEPTH_MAX)
        return false;
    leave_out_blanks(copying);
    char end = bracket == '{' ? '}' : ']';
    *value = !json_text_take(&copying->text, end);
    if (!*value)
        return true;
    copying->open[copying->depth++] = end;
    return bracket == '[' || take_key(copying);
}

/* Closes all objects and arrays that end after a value. Sets *value if another value follows. */
static bool close_brackets(struct copying *copying, bool *value)
{
    *value = false;
    while (copying->depth > 0) {
        const char end = copying->open[copying->depth - 1];
        leave_out_blanks(copying);
        if (json_text_take(&copying->text, end)) {
            copying->depth--;
            continue;
        }
        if (!json_text_take(&copying->text, ','))
            return false;
        leave_out_blanks(copying);
        *value = true;
        return end == ']' || take_key(copying);
    }
    return true;
}

static bool copy_value(struct copying *copying)
{
    bool value = true;
    while (value) {
        leave_out_blanks(copying);
        char first = json_text_peek(&copying->text);
        if (first == '{' || first == '[') {
            copying->text.at++;
            if (!enter_brackets(copying, first, &value))
                return false;
            if (value)
                continue;
        } else if (!check_scalar(&copying->text)) {
            return false;
        }
        if (!close_brackets(copying, &value))
            return false;
    }
    leave_out_blanks(copying);
    copy_so_far(copying);
    return copying->text.at == copying->text.len;
}

/* Copies the text to *out, or only checks it if `out` is NULL. */
static bool copy_text(const char *text, size_t len, struct str *out)
{
    struct copying copying; /* `open` needs no initialization */
    copying.text = (struct json_text){.text = text, .len = len};
    copying.out = out;
    copying.copied = 0;
    copying.depth = 0;
    return copy_value(&copying);
}

bool json_check(const char *text, size_t len)
{
    return copy_text(text, len, NULL);
}

bool json_line_add(const char *text, size_t len, struct str *out)
{
    const size_t before = out->len;
    if (copy_text(text, len, out))
        return true;
    str_cut(out, before);
    return false;
}
