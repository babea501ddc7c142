/* json_read.c - a JSON text into a tree, in one pass. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "json_text.h"
#include "json_tree.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    DEPTH_MAX = 64,     /* of what is read here; deeper the library reads */
    OPEN_AT_HAND = 48,  /* values of what is not complete yet, before memory is asked for */
    BLOCK_PER_BYTE = 3, /* memory for the tree of a text */
    REAL_DIGITS_MAX = 15,
    REAL_EXPONENT_MAX = 22, /* powers of ten that are doubles */
    REAL_TEXT_MAX = 64,
    EXPONENT_MAX = 1000,    /* beyond all doubles */
    NUMBER_DIGITS_MAX = 19, /* that fit into 64 bits */
    KEYS_FROM = 4096,       /* bytes of a text whose keys are worth remembering */
    KEYS_KEPT = 64,         /* of them; a power of two */
};

/* The members of many objects have the same keys: one copy of each is less to keep, and is at hand
 * whenever a member is looked for. */
struct known_keys {
    struct known_key {
        const char *text; /* NULL: none yet */
        size_t len;
    } kept[KEYS_KEPT];
};

struct reader {
    struct json_text text;
    struct json_tree tree;
    struct json_member at_hand[OPEN_AT_HAND];
    struct json_member *open; /* at_hand, or owned: values of what is not complete yet */
    size_t count, cap;
    int depth;
    struct str scratch;       /* of a string with escapes */
    struct known_keys *known; /* borrowed; NULL: a short text */
};

static struct json_member *push(struct reader *reader)
{
    if (reader->count == reader->cap) {
        const bool is_first = reader->open == reader->at_hand;
        size_t cap = is_first ? 0 : reader->cap;
        struct json_member *grown =
            xgrow(is_first ? NULL : reader->open, &cap, 2 * reader->cap, sizeof(*grown));
        if (is_first)
            memcpy(grown, reader->at_hand, sizeof(reader->at_hand));
        reader->open = grown;
        reader->cap = cap;
    }
    reader->open[reader->count] = (struct json_member){0};
    return &reader->open[reader->count++];
}

/* Bytes that stand for themselves: printing ASCII, or whole characters beyond it. */
static size_t plain_len(const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len) {
        at += json_text_plain(bytes + at, len - at);
        const size_t wide =
            at < len && (unsigned char)bytes[at] >= 0x7f ? utf8_len(bytes + at, len - at) : 0;
        if (wide == 0)
            break;
        at += wide;
    }
    return at;
}

static bool take_escape(struct reader *reader)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    struct json_text *text = &reader->text;
    if (json_text_take(text, 'u')) {
        const int32_t character = json_text_take_character(text);
        if (character > 0)
            utf8_add(&reader->scratch, character);
        return character > 0;
    }
    const char c = json_text_peek(text);
    const char *found = c != '\0' ? strchr(letters, c) : NULL;
    if (!found)
        return false;
    text->at++;
    str_add_char(&reader->scratch, meant[found - letters]);
    return true;
}

static bool read_escaped(struct reader *reader)
{
    struct json_text *text = &reader->text;
    bool ok = true;
    while (ok && !json_text_take(text, '"')) {
        const char *from = text->text + text->at;
        const size_t plain = plain_len(from, text->len - text->at);
        str_add_n(&reader->scratch, from, plain);
        text->at += plain;
        if (json_text_take(text, '\\'))
            ok = take_escape(reader);
        else
            ok = json_text_peek(text) == '"';
    }
    return ok;
}

static struct known_key *place_of_key(struct known_keys *known, const char *from, size_t len)
{
    const size_t first = (unsigned char)from[0];
    const size_t last = (unsigned char)from[len - 1];
    return &known->kept[(7 * first + 3 * last + len) % KEYS_KEPT];
}

/* Past its first quote; true if it is one of those. */
static bool take_known_key(struct reader *reader, const char **out)
{
    struct json_text *text = &reader->text;
    const char *from = text->text + text->at;
    const char *end = memchr(from, '"', text->len - text->at);
    const size_t len = end ? (size_t)(end - from) : 0;
    if (len == 0)
        return false;
    const struct known_key *known = place_of_key(reader->known, from, len);
    if (known->len != len || memcmp(known->text, from, len) != 0)
        return false;
    text->at += len + 1;
    *out = known->text;
    return true;
}

/* Past its first quote. */
static const char *read_text(struct reader *reader, uint32_t *len)
{
    struct json_text *text = &reader->text;
    const char *from = text->text + text->at;
    size_t plain = plain_len(from, text->len - text->at);
    if (plain < text->len - text->at && from[plain] == '"') {
        text->at += plain + 1;
    } else {
        str_clear(&reader->scratch);
        if (!read_escaped(reader))
            return NULL;
        from = str_text(&reader->scratch);
        plain = reader->scratch.len;
    }
    if (plain > JSON_TREE_COUNT_MAX)
        return NULL;
    *len = (uint32_t)plain;
    return json_tree_text(&reader->tree, from, plain);
}

/* A number as it is written: digits, as an integer, times a power of ten. */
struct digits {
    uint64_t value;
    int count;
    int64_t exponent;
    bool negative, real;
};

static bool take_digits(struct json_text *text, struct digits *out, bool behind_point)
{
    const size_t from = text->at;
    while (ascii_is_digit(json_text_peek(text))) {
        if (out->count > 0 || json_text_peek(text) != '0')
            out->count++;
        if (out->count > NUMBER_DIGITS_MAX)
            return false;
        out->value = out->value * 10 + (uint64_t)(json_text_peek(text) - '0');
        out->exponent -= behind_point;
        text->at++;
    }
    return text->at > from;
}

static bool take_exponent(struct json_text *text, struct digits *out)
{
    struct digits exponent = {0};
    const bool negative = json_text_take(text, '-');
    if (!negative)
        (void)json_text_take(text, '+');
    if (!take_digits(text, &exponent, false) || exponent.value > EXPONENT_MAX)
        return false;
    out->exponent += negative ? -(int64_t)exponent.value : (int64_t)exponent.value;
    return true;
}

static bool take_number(struct json_text *text, struct digits *out)
{
    *out = (struct digits){.negative = json_text_take(text, '-')};
    const size_t first = text->at;
    if (!take_digits(text, out, false) || (text->text[first] == '0' && text->at > first + 1))
        return false;
    if (json_text_take(text, '.')) {
        out->real = true;
        if (!take_digits(text, out, true))
            return false;
    }
    if (json_text_take(text, 'e') || json_text_take(text, 'E')) {
        out->real = true;
        return take_exponent(text, out);
    }
    return true;
}

/* Few digits and a power of ten that is a double: the result is the nearest there is. */
static bool is_exact(const struct digits *digits)
{
    return digits->count <= REAL_DIGITS_MAX && digits->exponent >= -REAL_EXPONENT_MAX &&
           digits->exponent <= REAL_EXPONENT_MAX;
}

static double real_of(const struct digits *digits)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double value = (double)digits->value;
    value =
        digits->exponent < 0 ? value / powers[-digits->exponent] : value * powers[digits->exponent];
    return digits->negative ? -value : value;
}

/* As the C library reads it, whose point is that of the locale. */
static bool read_real(const char *from, size_t len, double *out)
{
    char digits[REAL_TEXT_MAX];
    if (len >= sizeof(digits))
        return false;
    memcpy(digits, from, len);
    digits[len] = '\0';
    char *point = strchr(digits, '.');
    if (point)
        *point = *localeconv()->decimal_point;
    *out = strtod(digits, NULL);
    return isfinite(*out);
}

static bool read_number(struct reader *reader, struct json *out)
{
    struct digits digits;
    const char *from = reader->text.text + reader->text.at;
    if (!take_number(&reader->text, &digits))
        return false;
    if (!digits.real && digits.value > INT64_MAX)
        return false;
    if (!digits.real) {
        const int64_t value = (int64_t)digits.value;
        *out = (struct json){.kind = JSON_KIND_INTEGER,
                             .is = {.integer = digits.negative ? -value : value}};
        return true;
    }
    *out = (struct json){.kind = JSON_KIND_REAL};
    if (!is_exact(&digits))
        return read_real(from, (size_t)(reader->text.text + reader->text.at - from), &out->is.real);
    out->is.real = real_of(&digits);
    return true;
}

static bool read_word(struct reader *reader, struct json *out)
{
    static const struct {
        const char *word;
        size_t len;
        enum json_kind kind;
    } words[] = {
        {"true", 4, JSON_KIND_TRUE}, {"false", 5, JSON_KIND_FALSE}, {"null", 4, JSON_KIND_NULL}};
    struct json_text *text = &reader->text;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (text->len - text->at >= words[i].len &&
            memcmp(text->text + text->at, words[i].word, words[i].len) == 0) {
            text->at += words[i].len;
            *out = (struct json){.kind = words[i].kind};
            return true;
        }
    }
    return false;
}

static bool read_value(struct reader *reader, struct json *out);

/* A key without escapes, which is in the text as it is: only of such is a copy known. */
static void remember_key(struct reader *reader, const char *key, size_t len, size_t from)
{
    if (len > 0 && reader->text.at - from == len + 1)
        *place_of_key(reader->known, key, len) = (struct known_key){key, len};
}

static bool read_key(struct reader *reader, const char **out)
{
    uint32_t len = 0;
    if (!json_text_take(&reader->text, '"'))
        return false;
    if (!reader->known || !take_known_key(reader, out)) {
        const size_t from = reader->text.at;
        *out = read_text(reader, &len);
        if (*out && reader->known)
            remember_key(reader, *out, len, from);
    }
    json_text_skip_blanks(&reader->text);
    return *out && json_text_take(&reader->text, ':');
}

/* What stands between the brackets, up to and with the closing one. */
static bool read_values(struct reader *reader, bool has_keys)
{
    const char end = has_keys ? '}' : ']';
    json_text_skip_blanks(&reader->text);
    if (json_text_take(&reader->text, end))
        return true;
    do {
        const char *key = NULL;
        struct json value;
        json_text_skip_blanks(&reader->text);
        if ((has_keys && !read_key(reader, &key)) || !read_value(reader, &value))
            return false;
        *push(reader) = (struct json_member){.key = key, .value = value};
        json_text_skip_blanks(&reader->text);
    } while (json_text_take(&reader->text, ','));
    return json_text_take(&reader->text, end);
}

static bool read_container(struct reader *reader, bool has_keys, struct json *out)
{
    const size_t first = reader->count;
    if (++reader->depth > DEPTH_MAX || !read_values(reader, has_keys))
        return false;
    const size_t count = reader->count - first;
    bool ok = count <= JSON_TREE_COUNT_MAX;
    if (ok && has_keys)
        ok = json_tree_object(&reader->tree, reader->open + first, count, out);
    else if (ok)
        *out = json_tree_array(&reader->tree, reader->open + first, count);
    reader->count = first;
    reader->depth--;
    return ok;
}

static bool read_value(struct reader *reader, struct json *out)
{
    json_text_skip_blanks(&reader->text);
    if (json_text_take(&reader->text, '"')) {
        *out = (struct json){.kind = JSON_KIND_STRING};
        out->is.text = read_text(reader, &out->count);
        return out->is.text != NULL;
    }
    if (json_text_take(&reader->text, '{'))
        return read_container(reader, true, out);
    if (json_text_take(&reader->text, '['))
        return read_container(reader, false, out);
    const char c = json_text_peek(&reader->text);
    return ascii_is_digit(c) || c == '-' ? read_number(reader, out) : read_word(reader, out);
}

bool json_read(const char *text, size_t len, struct json **out)
{
    struct reader reader; /* of what is at hand nothing is set before it is used */
    struct known_keys known;
    struct json root;
    reader.text = (struct json_text){.text = text, .len = len};
    reader.open = reader.at_hand;
    reader.count = 0;
    reader.cap = OPEN_AT_HAND;
    reader.depth = 0;
    reader.scratch = (struct str){0};
    reader.known = NULL;
    if (len >= KEYS_FROM) {
        known = (struct known_keys){0};
        reader.known = &known;
    }
    json_tree_begin(&reader.tree, len * BLOCK_PER_BYTE);
    bool ok = read_value(&reader, &root);
    json_text_skip_blanks(&reader.text);
    ok = ok && reader.text.at == len;
    if (ok)
        *out = json_tree_root(&reader.tree, &root);
    else
        json_tree_drop(&reader.tree);
    if (reader.open != reader.at_hand)
        free(reader.open);
    str_done(&reader.scratch);
    return ok;
}
