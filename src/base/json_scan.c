#include "json_scan.h"

#include <string.h>

#include "ascii.h"
#include "json_text.h"
#include "parse.h"
#include "utf8.h"

/* Past the first quote, to behind the last. */
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

struct json_piece json_scan_get(const char *text, size_t len, const char *key)
{
    struct json_text scan = {.text = text, .len = len};
    const size_t key_len = strlen(key);
    json_text_skip_blanks(&scan);
    if (!json_text_take(&scan, '{'))
        return (struct json_piece){0};
    do {
        json_text_skip_blanks(&scan);
        const size_t from = scan.at + 1;
        if (!json_text_take(&scan, '"'))
            break;
        skip_string(&scan);
        bool found = scan.at == from + key_len + 1 && memcmp(text + from, key, key_len) == 0;
        json_text_skip_blanks(&scan);
        if (!json_text_take(&scan, ':'))
            break;
        json_text_skip_blanks(&scan);
        const size_t value = scan.at;
        skip_value(&scan);
        if (found)
            return (struct json_piece){.text = text + value, .len = scan.at - value};
        json_text_skip_blanks(&scan);
    } while (json_text_take(&scan, ','));
    return (struct json_piece){0};
}

static void add_escaped(struct json_text *text, struct str *out)
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
            add_escaped(&scan, out);
    }
    return true;
}

int64_t json_scan_i64(struct json_piece piece, int64_t otherwise)
{
    enum { DIGITS_MAX = 20 }; /* with the sign */
    char digits[DIGITS_MAX + 1];
    int64_t value = 0;
    if (piece.len == 0 || piece.len > DIGITS_MAX)
        return otherwise;
    memcpy(digits, piece.text, piece.len);
    digits[piece.len] = '\0';
    return parse_i64(digits, INT64_MIN, INT64_MAX, &value, NULL) ? value : otherwise;
}
