#include "canonical.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sha256.h"
#include "xalloc.h"

static_assert((int)CANONICAL_HASH_BYTES == (int)SHA256_BYTES, "it is one");

enum { DIGITS_LEAST = 15, DIGITS_MOST = 17, NUMBER_MAX = 64 };

/* What is written, and what stands before each element and member. */
struct writer {
    struct str *out;
    const char *gap;
};

struct member {
    const char *key;          /* borrowed */
    const struct json *value; /* borrowed */
};

static int compare_keys(const void *left, const void *right)
{
    const struct member *a = left;
    const struct member *b = right;
    return strcmp(a->key, b->key);
}

/* Every double below 2^63 that has no fraction is an integer of 64 bits. */
static bool is_integer(double value)
{
    static const double limit = 9223372036854775808.0;
    return value > -limit && value < limit && trunc(value) == value;
}

static void write_real(double value, struct str *out)
{
    char text[NUMBER_MAX];
    if (is_integer(value)) {
        str_add_i64(out, (int64_t)value);
        return;
    }
    int digits = DIGITS_LEAST;
    do {
        (void)snprintf(text, sizeof(text), "%.*g", digits, value);
    } while (strtod(text, NULL) != value && digits++ < DIGITS_MOST);
    for (const char *p = text; *p; p++) /* whatever the locale's decimal point is */
        str_add_char(out, strchr("0123456789+-e", *p) ? *p : '.');
}

static void write_value(const struct writer *writer, const struct json *json);

static void write_members(const struct writer *writer, const struct json *object)
{
    const size_t count = json_count(object);
    struct member *members = xcalloc(count + 1, sizeof(*members));
    void *iter = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!json_next(object, &iter, &members[i].key, &members[i].value))
            break;
    }
    qsort(members, count, sizeof(*members), compare_keys);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            str_add_char(writer->out, ',');
        str_add(writer->out, writer->gap);
        str_add_json(writer->out, members[i].key, strlen(members[i].key));
        str_add_char(writer->out, ':');
        write_value(writer, members[i].value);
    }
    free(members);
}

static void write_elements(const struct writer *writer, const struct json *array)
{
    const size_t count = json_count(array);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            str_add_char(writer->out, ',');
        str_add(writer->out, writer->gap);
        write_value(writer, json_at(array, i));
    }
}

static void write_value(const struct writer *writer, const struct json *json)
{
    struct str *out = writer->out;
    switch (json_kind(json)) {
    case JSON_KIND_OBJECT:
        str_add_char(out, '{');
        write_members(writer, json);
        str_add_char(out, '}');
        break;
    case JSON_KIND_ARRAY:
        str_add_char(out, '[');
        write_elements(writer, json);
        str_add_char(out, ']');
        break;
    case JSON_KIND_STRING: {
        const char *text = json_text(json, "");
        str_add_json(out, text, strlen(text));
        break;
    }
    case JSON_KIND_INTEGER:
        str_add_i64(out, json_i64(json, 0));
        break;
    case JSON_KIND_REAL:
        write_real(json_number(json, 0), out);
        break;
    case JSON_KIND_TRUE:
        str_add(out, "true");
        break;
    case JSON_KIND_FALSE:
        str_add(out, "false");
        break;
    case JSON_KIND_NONE:
    case JSON_KIND_NULL:
    case JSON_KIND_COUNT:
        str_add(out, "null");
        break;
    }
}

void canonical_write(const struct json *json, struct str *out)
{
    write_value(&(const struct writer){.out = out, .gap = ""}, json);
}

void canonical_write_lines(const struct json *json, struct str *out)
{
    write_value(&(const struct writer){.out = out, .gap = "\n"}, json);
}

void canonical_hash(const struct json *json, unsigned char out[CANONICAL_HASH_BYTES])
{
    struct str text = {0};
    canonical_write(json, &text);
    sha256_of(str_text(&text), text.len, out);
    str_done(&text);
}
