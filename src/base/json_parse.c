/*
 * json_parse.c - reads JSON text into a tree, and reports errors with a position.
 *
 * Valid text is read here. jansson reads only the other texts, to find what is wrong: it calls
 * functions for each byte and allocates several blocks for each value, which would take more than
 * half of the time in which the cockpit opens a run with a large plan.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "json.h"
#include "json_escape.h"
#include "json_internal.h"
#include "str.h"
#include "utf8.h"
#include "xalloc.h"

struct json_place json_place_at(const char *text, size_t offset)
{
    struct json_place place = {.line = 1, .column = 1};
    while (offset > 0 && utf8_is_inner(text[offset]))
        offset--;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n')
            place = (struct json_place){.line = place.line + 1, .column = 1};
        else if (!utf8_is_inner(text[i]))
            place.column++;
    }
    return place;
}

static bool is_token_letter(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || (c != '\0' && strchr("+-.", c));
}

/* Returns the offset of the first character of the token whose last byte is text[end - 1]. */
static size_t token_start(const char *text, size_t end)
{
    if (end == 0)
        return 0;
    const size_t last = end - 1;
    size_t at = last;
    if (text[last] != '"') {
        while (at > 0 && is_token_letter(text[at]) && is_token_letter(text[at - 1]))
            at--;
        return at;
    }
    while (at > 0) {
        at--;
        size_t before = at;
        while (before > 0 && text[before - 1] == '\\')
            before--;
        /* A quote after an odd number of backslashes is part of the string. */
        if (text[at] == '"' && (at - before) % 2 == 0)
            return at;
    }
    return last;
}

/* Our messages for jansson's error codes. Codes without an entry keep jansson's text, which is more
 * specific. */
static const struct {
    enum json_error_code code;
    const char *words;
} reasons[] = {
    {json_error_stack_overflow, "nested too deeply"},
    {json_error_premature_end_of_input, "unexpected end of the document"},
    {json_error_end_of_input_expected, "unexpected text after the value"},
    {json_error_null_character, "U+0000 is not allowed in a string"},
    {json_error_null_byte_in_key, "U+0000 is not allowed in a key"},
    {json_error_numeric_overflow, "the number is too large"},
};

/* Returns the line or column, at least 1: jansson reports 0 for errors before the first
 * character. */
static int at_least_one(int number)
{
    return number > 0 ? number : 1;
}

static bool ends_in(const char *text, size_t len, const char *end)
{
    size_t end_len = strlen(end);
    return len >= end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

/* Sets the error from jansson's text, which is "what near 'token'" and omits long tokens. The token
 * is only useful after "expected", after "token" and for a key. */
static bool token_error(const char *text, bool duplicate_key, struct err *err)
{
    static const char join[] = " near '";
    const char *found = strstr(text, join);
    if (!found)
        return err_set(err, ERR_INVALID, "%s", text);

    int what = (int)(found - text);
    const char *token = found + strlen(join);
    int token_len = (int)strlen(token) - 1; /* without the closing quote */
    if (duplicate_key)
        return err_set(err, ERR_INVALID, "duplicate key %.*s", token_len, token);
    if (ends_in(text, (size_t)what, "expected"))
        return err_set(err, ERR_INVALID, "%.*s, not '%.*s'", what, text, token_len, token);
    if (ends_in(text, (size_t)what, "token"))
        return err_set(err, ERR_INVALID, "%.*s '%.*s'", what, text, token_len, token);
    return err_set(err, ERR_INVALID, "%.*s", what, text);
}

/* Returns true if a whole token is wrong, not something within it. */
static bool is_of_token(const json_error_t *error)
{
    const char *near = strstr(error->text, " near ");
    const size_t len = near ? (size_t)(near - error->text) : strlen(error->text);
    switch (json_error_code(error)) {
    case json_error_duplicate_key:
    case json_error_null_character:
    case json_error_null_byte_in_key:
    case json_error_end_of_input_expected:
    case json_error_numeric_overflow:
        return true;
    case json_error_invalid_syntax:
        return ends_in(error->text, len, "expected") || ends_in(error->text, len, "token");
    default:
        return false;
    }
}

static bool syntax_error(const json_error_t *error, const char *text, struct json_place *place,
                         struct err *err)
{
    enum json_error_code code = json_error_code(error);
    if (code == json_error_out_of_memory)
        abort();
    if (place && is_of_token(error) && error->position > 0)
        *place = json_place_at(text, token_start(text, (size_t)error->position));
    else if (place)
        *place = (struct json_place){.line = at_least_one(error->line),
                                     .column = at_least_one(error->column)};

    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        if (reasons[i].code == code)
            return err_set(err, ERR_INVALID, "%s", reasons[i].words);
    }
    return token_error(error->text, code == json_error_duplicate_key, err);
}

static const size_t text_bytes_max = UINT32_MAX - 1; /* struct json counts bytes in 32 bits */

struct reader {
    struct json_text text;
    struct json_tree *tree;
    char *free_text; /* free space for strings; at least as long as the rest of the text, and
                        one byte more */
    struct json_member *open; /* owned; values of objects and arrays that are not complete */
    size_t open_count, open_cap;
    struct str character; /* owned; of an escape */
    bool is_data;         /* as json_parse_data() reads */
    int depth;
};

/* Reads the character of an escape, after the backslash. */
static bool read_escape(struct reader *reader, char **out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    struct json_text *text = &reader->text;
    if (json_text_take(text, 'u')) {
        const int32_t character = json_text_take_character(text);
        str_clear(&reader->character);
        utf8_add(&reader->character, character);
        memcpy(*out, reader->character.data, reader->character.len);
        *out += reader->character.len;
        return character >= 0;
    }
    const char c = json_text_peek(text);
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (!found)
        return false;
    text->at++;
    *(*out)++ = meant[found - letters];
    return true;
}

/* Reads the rest of a string, after the opening quote. */
static bool read_string(struct reader *reader, const char **out, size_t *len)
{
    struct json_text *text = &reader->text;
    char *end = reader->free_text;
    for (;;) {
        const char *from = text->text + text->at;
        const size_t left = text->len - text->at;
        size_t copied = json_plain_len(from, left);
        if (copied < left && (unsigned char)from[copied] >= 0x7F) {
            const size_t wide = utf8_len(from + copied, left - copied);
            if (wide == 0)
                return false;
            copied += wide;
        }
        memcpy(end, from, copied);
        end += copied;
        text->at += copied;
        if (json_text_take(text, '"'))
            break;
        if (json_text_take(text, '\\') ? !read_escape(reader, &end) : copied == 0)
            return false;
    }
    *out = reader->free_text;
    *len = (size_t)(end - reader->free_text);
    *end = '\0';
    reader->free_text = end + 1;
    return true;
}

static bool read_number(struct reader *reader, struct json *out)
{
    enum { DIGITS_SURE = 18 }; /* digits of an integer that cannot overflow */
    const char *from = reader->text.text + reader->text.at;
    if (!json_text_take_number(&reader->text))
        return false;
    const size_t len = (size_t)(reader->text.text + reader->text.at - from);
    const bool is_negative = from[0] == '-';
    size_t digits = is_negative;
    int64_t value = 0;
    while (digits < len && digits < DIGITS_SURE && ascii_is_digit(from[digits]))
        value = 10 * value + (from[digits++] - '0');
    if (digits == len) {
        *out = (struct json){.kind = JSON_KIND_INTEGER, .is.integer = is_negative ? -value : value};
        return true;
    }
    char *number = reader->free_text; /* with its NUL, no longer than the rest of the text was */
    memcpy(number, from, len);
    number[len] = '\0';
    errno = 0;
    if (!strpbrk(number, ".eE")) {
        *out = (struct json){.kind = JSON_KIND_INTEGER, .is.integer = strtoll(number, NULL, 10)};
        if (errno == 0)
            return true;
        if (!reader->is_data)
            return false;
    }
    *out = (struct json){.kind = JSON_KIND_REAL, .is.real = strtod(number, NULL)};
    return isfinite(out->is.real);
}

static bool read_word(struct reader *reader, struct json *out)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"true", JSON_KIND_TRUE}, {"false", JSON_KIND_FALSE}, {"null", JSON_KIND_NULL}};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (json_text_take_word(&reader->text, words[i].word)) {
            *out = (struct json){.kind = words[i].kind};
            return true;
        }
    }
    return false;
}

static bool read_key(struct reader *reader, const char **out)
{
    size_t len = 0;
    if (!json_text_take(&reader->text, '"') || !read_string(reader, out, &len) ||
        strlen(*out) != len)
        return false;
    json_text_skip_blanks(&reader->text);
    return json_text_take(&reader->text, ':');
}

static bool read_value(struct reader *reader, struct json *out);

/* Reads the members or elements after the opening bracket, and the closing bracket. */
static bool read_values(struct reader *reader, bool has_keys)
{
    const char end = has_keys ? '}' : ']';
    json_text_skip_blanks(&reader->text);
    if (json_text_take(&reader->text, end))
        return true;
    do {
        struct json_member member = {0};
        json_text_skip_blanks(&reader->text);
        if ((has_keys && !read_key(reader, &member.key)) || !read_value(reader, &member.value))
            return false;
        reader->open =
            xgrow(reader->open, &reader->open_cap, reader->open_count + 1, sizeof(member));
        reader->open[reader->open_count++] = member;
        json_text_skip_blanks(&reader->text);
    } while (json_text_take(&reader->text, ','));
    return json_text_take(&reader->text, end);
}

static bool read_container(struct reader *reader, bool has_keys, struct json *out)
{
    const size_t first = reader->open_count;
    if (reader->depth == JSON_LINE_DEPTH_MAX)
        return false;
    reader->depth++;
    if (!read_values(reader, has_keys))
        return false;
    reader->depth--;
    const size_t count = reader->open_count - first;
    const struct json_member *members = count > 0 ? &reader->open[first] : NULL;
    reader->open_count = first;
    if (has_keys)
        return json_tree_object(reader->tree, members, count, out);
    struct json *elements = json_tree_part(reader->tree, count, sizeof(*elements));
    for (size_t i = 0; i < count; i++)
        elements[i] = members[i].value;
    *out =
        (struct json){.kind = JSON_KIND_ARRAY, .count = (uint32_t)count, .is.elements = elements};
    return true;
}

static bool read_value(struct reader *reader, struct json *out)
{
    size_t len = 0;
    json_text_skip_blanks(&reader->text);
    switch (json_text_peek(&reader->text)) {
    case '"':
        reader->text.at++;
        *out = (struct json){.kind = JSON_KIND_STRING};
        if (!read_string(reader, &out->is.text, &len))
            return false;
        out->count = (uint32_t)len;
        return reader->is_data || strlen(out->is.text) == len;
    case '{':
        reader->text.at++;
        return read_container(reader, true, out);
    case '[':
        reader->text.at++;
        return read_container(reader, false, out);
    case 't':
    case 'f':
    case 'n':
        return read_word(reader, out);
    default:
        return read_number(reader, out);
    }
}

/* Reads a value, and sets *read to its end. Returns NULL, and no reason, if there is none. */
static struct json *read_tree(const char *text, size_t len, bool is_data, size_t *read)
{
    struct reader reader = {
        .text = {.text = text, .len = len}, .tree = json_tree_new(), .is_data = is_data};
    reader.free_text = json_tree_part(reader.tree, len + 1, 1);
    const bool ok = read_value(&reader, &reader.tree->root);
    free(reader.open);
    str_done(&reader.character);
    *read = reader.text.at;
    if (ok)
        return &reader.tree->root;
    json_tree_free(reader.tree);
    return NULL;
}

/* Returns true if only whitespace follows. */
static bool is_at_end(const char *text, size_t len, size_t at)
{
    struct json_text rest = {.text = text, .len = len, .at = at};
    json_text_skip_blanks(&rest);
    return rest.at == len;
}

/* Allocates for jansson, which would report a lack of memory as a wrong token. */
static void *allocate(size_t size)
{
    return xcheck(malloc(size));
}

static void set_allocation(void)
{
    json_set_alloc_funcs(allocate, free);
}

/* Reads the text with jansson, to find an error. */
static bool load(const char *text, size_t len, size_t flags, json_error_t *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, set_allocation);
    json_t *root = json_loadb(text, len, flags, error);
    const bool is_json = root;
    json_decref(root);
    return is_json;
}

static bool parse(const char *text, size_t len, bool is_data, struct json **out,
                  struct json_place *place, struct err *err)
{
    const char *bytes = text ? text : ""; /* jansson rejects NULL even if len is 0 */
    size_t read = 0;
    if (len > text_bytes_max)
        return err_set(err, ERR_INVALID, "longer than 4 GiB");
    struct json *tree = read_tree(bytes, len, is_data, &read);
    if (tree && is_at_end(bytes, len, read)) {
        *out = tree;
        return true;
    }
    json_free(tree);
    json_error_t error;
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | (is_data ? JSON_ALLOW_NUL : 0);
    bool is_json = load(bytes, len, flags, &error);
    if (is_data && !is_json && json_error_code(&error) == json_error_numeric_overflow)
        is_json = load(bytes, len, flags | JSON_DECODE_INT_AS_REAL, &error);
    if (!is_json)
        return syntax_error(&error, bytes, place, err);
    if (place) /* jansson reads a NUL byte after a number as the end of the text */
        *place = json_place_at(bytes, read);
    return err_set(err, ERR_INVALID, "unexpected text after the value");
}

bool json_parse(const char *text, size_t len, struct json **out, struct json_place *place,
                struct err *err)
{
    return parse(text, len, false, out, place, err);
}

bool json_parse_data(const char *text, size_t len, struct json **out, struct json_place *place,
                     struct err *err)
{
    return parse(text, len, true, out, place, err);
}

bool json_begins(const char *text, size_t len, size_t *read)
{
    json_error_t error;
    const bool begins = load(text, len, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &error) ||
                        json_error_code(&error) == json_error_numeric_overflow;
    *read = error.position > 0 ? (size_t)error.position : 0;
    return begins;
}

size_t json_values_at_most(const char *text, size_t len, size_t enough)
{
    size_t values = 1;
    bool quoted = false;
    for (size_t i = 0; i < len && values < enough; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            values += text[i] == ',' || text[i] == '{' || text[i] == '[';
    }
    return values;
}
