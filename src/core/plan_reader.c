#include "plan_reader.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "near_word.h"
#include "str.h"

enum {
    PATH_DEPTH_MAX = 16, /* the grammar of a plan is not as deep as this */
    SHOWN_MAX = 60,      /* bytes of a value that are shown */
};

static const char plain_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789_-$";

static const char id_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                               "0123456789._-";

bool plan_id_is_valid(const char *id)
{
    size_t len = strlen(id);
    bool starts_well = *id && !strchr("._-", *id);
    return starts_well && len <= PLAN_ID_MAX && strspn(id, id_chars) == len;
}

static void add_segment(struct str *out, const struct plan_path *path)
{
    if (!path->key) {
        str_addf(out, "[%zu]", path->index);
        return;
    }
    bool is_plain = *path->key && strspn(path->key, plain_chars) == strlen(path->key);
    if (is_plain) {
        str_add(out, out->len > 0 ? "." : "");
        str_add(out, path->key);
        return;
    }
    str_add_char(out, '[');
    str_add_json(out, path->key, strlen(path->key));
    str_add_char(out, ']');
}

static void add_path(struct str *out, const struct plan_path *path)
{
    const struct plan_path *way[PATH_DEPTH_MAX];
    int depth = 0;
    for (const struct plan_path *p = path; p->up; p = p->up) {
        assert(depth < PATH_DEPTH_MAX);
        way[depth++] = p;
    }
    while (depth > 0)
        add_segment(out, way[--depth]);
    if (out->len == 0)
        str_add(out, "(root)");
}

void plan_reader_add(struct plan_reader *reader, enum violation_code code,
                     const struct plan_path *path, const char *message, const char *expected,
                     const char *actual)
{
    struct str place = {0};
    add_path(&place, path);
    violations_add(reader->violations, code, str_text(&place), message, expected, actual);
    str_done(&place);
}

void plan_reader_invalid(struct plan_reader *reader, const struct plan_path *path,
                         const char *message, const char *expected, const struct json *value)
{
    char *shown = json_brief(value, SHOWN_MAX);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, expected, shown);
    free(shown);
}

void plan_reader_wrong_type(struct plan_reader *reader, const struct plan_path *path,
                            const char *expected, const struct json *value)
{
    plan_reader_add(reader, VIOLATION_WRONG_TYPE, path, "wrong type", expected,
                    json_kind_name(value));
}

bool plan_reader_is_full(const struct plan_reader *reader)
{
    return reader->violations->count == VIOLATIONS_MAX;
}

bool plan_reader_is_comment(const char *key)
{
    return strncmp(key, "//", 2) == 0 || strcmp(key, "$schema") == 0;
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
        violations_add(violations, VIOLATION_INVALID_VALUE, "(root)", "too large",
                       str_text(&message), "more");
    } else if (!json_parse(text, len, &root, &place, &err)) {
        str_addf(&message, "line %d, column %d: %s", place.line, place.column, err.message);
        violations_add(violations, VIOLATION_NOT_JSON, "(root)", str_text(&message), NULL, NULL);
    }
    str_done(&message);
    return root;
}

/* The key of the table that was probably meant; NULL if none is near. */
static const char *nearest_key(const struct plan_fields *fields, const char *key)
{
    struct near_word near = near_word_new(key);
    for (size_t i = 0; i < fields->count; i++)
        near_word_offer(&near, fields->rows[i].key);
    return near.nearest;
}

static void complain_unknown_key(struct plan_reader *reader, const struct plan_path *path,
                                 const struct plan_fields *fields)
{
    struct str message = {0};
    const char *nearest = plan_reader_is_full(reader) ? NULL : nearest_key(fields, path->key);
    str_add(&message, "unknown key");
    if (nearest)
        str_addf(&message, ", did you mean \"%s\"?", nearest);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static const struct plan_field *find_field(const struct plan_fields *fields, const char *key)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (strcmp(fields->rows[i].key, key) == 0)
            return &fields->rows[i];
    }
    return NULL;
}

static void complain_missing(struct plan_reader *reader, const struct plan_path *path,
                             const struct json *object, const struct plan_fields *fields)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct plan_field *field = &fields->rows[i];
        if (!field->required || json_get(object, field->key))
            continue;
        struct plan_path place = {.up = path, .key = field->key};
        plan_reader_add(reader, VIOLATION_MISSING_FIELD, &place, "required", field->required,
                        "nothing");
    }
}

bool plan_reader_object(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value, const struct plan_fields *fields)
{
    if (json_kind(value) != JSON_KIND_OBJECT) {
        plan_reader_wrong_type(reader, path, "object", value);
        return false;
    }

    void *iter = NULL;
    const char *key;
    const struct json *member;
    while (json_next(value, &iter, &key, &member)) {
        struct plan_path place = {.up = path, .key = key};
        if (plan_reader_is_comment(key))
            continue;
        const struct plan_field *field = find_field(fields, key);
        if (field)
            field->read(reader, &place, member);
        else
            complain_unknown_key(reader, &place, fields);
    }
    complain_missing(reader, path, value, fields);
    return true;
}

bool plan_reader_array(struct plan_reader *reader, const struct plan_path *path,
                       const struct json *value, struct plan_range range)
{
    if (json_kind(value) != JSON_KIND_ARRAY) {
        plan_reader_wrong_type(reader, path, "array", value);
        return false;
    }
    size_t count = json_count(value);
    if ((double)count >= range.min && (double)count <= range.max)
        return true;

    struct str expected = {0};
    struct str actual = {0};
    str_addf(&expected, "%.0f to %.0f elements", range.min, range.max);
    str_addf(&actual, "%zu", count);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                    count == 0 ? "must not be empty" : "too many", str_text(&expected),
                    str_text(&actual));
    str_done(&expected);
    str_done(&actual);
    return false;
}

const char *plan_reader_text(struct plan_reader *reader, const struct plan_path *path,
                             const struct json *value, size_t max)
{
    const char *text = json_text(value, NULL);
    if (!text) {
        plan_reader_wrong_type(reader, path, "string", value);
        return NULL;
    }
    size_t len = strlen(text);
    if (len > 0 && len <= max)
        return text;

    struct str expected = {0};
    struct str actual = {0};
    str_addf(&expected, "1 to %zu bytes", max);
    str_addf(&actual, "%zu", len);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, path,
                    len == 0 ? "must not be empty" : "too long", str_text(&expected),
                    str_text(&actual));
    str_done(&expected);
    str_done(&actual);
    return NULL;
}

bool plan_reader_bool(struct plan_reader *reader, const struct plan_path *path,
                      const struct json *value, bool *out)
{
    enum json_kind kind = json_kind(value);
    if (kind != JSON_KIND_TRUE && kind != JSON_KIND_FALSE) {
        plan_reader_wrong_type(reader, path, "boolean", value);
        return false;
    }
    *out = json_bool(value, false);
    return true;
}

static void complain_range(struct plan_reader *reader, const struct plan_path *path,
                           const struct json *value, struct plan_range range)
{
    struct str expected = {0};
    str_addf(&expected, "%.15g to %.15g", range.min, range.max);
    plan_reader_invalid(reader, path, "out of range", str_text(&expected), value);
    str_done(&expected);
}

bool plan_reader_i64(struct plan_reader *reader, const struct plan_path *path,
                     const struct json *value, struct plan_range range, int64_t *out)
{
    if (json_kind(value) != JSON_KIND_INTEGER) {
        plan_reader_wrong_type(reader, path, "integer", value);
        return false;
    }
    int64_t number = json_i64(value, 0);
    if ((double)number < range.min || (double)number > range.max) {
        complain_range(reader, path, value, range);
        return false;
    }
    *out = number;
    return true;
}

bool plan_reader_number(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value, struct plan_range range, double *out)
{
    double number = json_number(value, NAN);
    if (isnan(number)) {
        plan_reader_wrong_type(reader, path, "number", value);
        return false;
    }
    if (number < range.min || number > range.max) {
        complain_range(reader, path, value, range);
        return false;
    }
    *out = number;
    return true;
}
