#include "plan_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "str.h"
#include "xalloc.h"

enum {
    SHOWN_MAX = 60, /* bytes of a value that are shown */
};

void plan_reader_add(struct plan_reader *reader, enum violation_code code,
                     const struct json_pointer *path, const char *message, const char *expected,
                     const char *actual)
{
    struct str place = {0};
    json_pointer_add(&place, path, PLAN_POINTER_MAX);
    violations_add(reader->violations, code, str_text(&place), message, expected, actual);
    str_done(&place);
}

void plan_reader_invalid(struct plan_reader *reader, const struct json_pointer *path,
                         const char *message, const char *expected, const struct json *value)
{
    char *shown = json_brief(value, SHOWN_MAX);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, expected, shown);
    free(shown);
}

bool plan_reader_is_full(const struct plan_reader *reader)
{
    return reader->violations->count == VIOLATIONS_MAX;
}

bool plan_reader_is_sound(const struct plan_reader *reader, const struct json_pointer *path)
{
    if (reader->shape->count == 0)
        return true;
    struct str place = {0};
    bool is_sound = true;
    json_pointer_add(&place, path, PLAN_POINTER_MAX);
    for (size_t i = 0; is_sound && i < reader->shape->count; i++) {
        const char *wrong = reader->shape->items[i].path;
        bool is_within = strncmp(wrong, str_text(&place), place.len) == 0;
        is_sound = !is_within || (wrong[place.len] != '\0' && wrong[place.len] != '/');
    }
    str_done(&place);
    return is_sound;
}

bool plan_reader_is_comment(const char *key)
{
    return strncmp(key, "//", 2) == 0;
}

struct json *plan_reader_json(const char *text, size_t len, size_t max_bytes,
                              struct violations *violations)
{
    struct json *root = NULL;
    struct json_place place = {0};
    struct err err = {0};
    struct str message = {0};
    if (len > max_bytes) {
        str_addf(&message, "at most %zu MiB", max_bytes / (1024 * 1024));
        violations_add(violations, VIOLATION_INVALID_VALUE, "", "too large", str_text(&message),
                       "more");
    } else if (!json_parse_data(text, len, &root, &place, &err)) {
        str_addf(&message, "line %d, column %d: %s", place.line, place.column, err.message);
        violations_add(violations, VIOLATION_NOT_JSON, "", str_text(&message), NULL, NULL);
    }
    str_done(&message);
    return root;
}

static const struct plan_field *find_field(const struct plan_fields *fields, const char *key)
{
    for (size_t i = 0; i < fields->count; i++) {
        const char *known = fields->rows[i].key;
        if (known[0] == key[0] && strcmp(known, key) == 0)
            return &fields->rows[i];
    }
    return NULL;
}

void plan_reader_walk(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value, const struct plan_fields *fields)
{
    void *iter = NULL;
    const char *key;
    const struct json *member;
    while (json_next(value, &iter, &key, &member)) {
        struct json_pointer place = {.up = path, .key = key};
        const struct plan_field *field = find_field(fields, key);
        if (field)
            field->read(reader, &place, member);
    }
}

void plan_reader_whole(const struct json *value, int64_t *out)
{
    const double beyond = 9223372036854775808.0; /* 2^63 */
    double number = json_number(value, NAN);
    if (json_kind(value) == JSON_KIND_INTEGER)
        *out = json_i64(value, 0);
    else if (number >= -beyond && number < beyond && floor(number) == number)
        *out = (int64_t)number;
}

void plan_reader_text(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value, char **out)
{
    const char *text = json_text(value, NULL);
    if (!text)
        return;
    *out = xstrdup(text);
    size_t len = strlen(text);
    if (len <= PLAN_TEXT_MAX || !plan_reader_is_sound(reader, path))
        return;
    struct str expected = {0};
    struct str actual = {0};
    str_addf(&expected, "at most %d bytes", PLAN_TEXT_MAX);
    str_addf(&actual, "%zu", len);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too long", str_text(&expected),
                    str_text(&actual));
    str_done(&expected);
    str_done(&actual);
}
