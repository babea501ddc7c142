/* field.c - reads and writes the members of JSON objects from tables.
 *
 * The schema has already reported invalid values, so the readers here skip them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    MS_PER_S = 1000,
    SHOWN_MAX = 60, /* bytes of a value shown in a message */
};

void field_reader_add(struct field_reader *reader, enum violation_code code,
                      const struct json_pointer *path, const char *message, const char *expected,
                      const char *actual)
{
    struct str place = {0};
    json_pointer_add(&place, path, FIELD_POINTER_MAX);
    violations_add(reader->violations, code, str_text(&place), message, expected, actual);
    str_done(&place);
}

void field_reader_invalid(struct field_reader *reader, const struct json_pointer *path,
                          const char *message, const char *expected, const struct json *value)
{
    char *shown = json_brief(value, SHOWN_MAX);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, message, expected, shown);
    free(shown);
}

bool field_reader_is_full(const struct field_reader *reader)
{
    return reader->violations->count == VIOLATIONS_MAX;
}

bool field_reader_is_sound(const struct field_reader *reader, const struct json_pointer *path)
{
    if (!reader->shape || reader->shape->count == 0)
        return true;
    struct str place = {0};
    bool is_sound = true;
    json_pointer_add(&place, path, FIELD_POINTER_MAX);
    for (size_t i = 0; is_sound && i < reader->shape->count; i++) {
        const char *wrong = reader->shape->items[i].path;
        bool is_within = strncmp(wrong, str_text(&place), place.len) == 0;
        is_sound = !is_within || (wrong[place.len] != '\0' && wrong[place.len] != '/');
    }
    str_done(&place);
    return is_sound;
}

bool field_is_comment(const char *key)
{
    return strncmp(key, "//", 2) == 0;
}

void field_read_number(const struct json *value, int64_t min, int64_t max, int64_t *out)
{
    const double beyond = 9223372036854775808.0; /* 2^63 */
    const double real = json_number(value, NAN);
    int64_t number = *out;
    if (json_kind(value) == JSON_KIND_INTEGER)
        number = json_i64(value, 0);
    else if (real >= -beyond && real < beyond && floor(real) == real)
        number = (int64_t)real;
    if (number >= min && number <= max)
        *out = number;
}

void field_reader_text(struct field_reader *reader, const struct json_pointer *path,
                       const struct json *value, char **out)
{
    const char *text = json_text(value, NULL);
    if (!text)
        return;
    free(*out);
    *out = xstrdup(text);
    size_t len = strlen(text);
    if (len <= FIELD_TEXT_MAX || !field_reader_is_sound(reader, path))
        return;
    struct str expected = {0};
    struct str actual = {0};
    str_addf(&expected, "at most %d bytes", FIELD_TEXT_MAX);
    str_addf(&actual, "%zu", len);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too long", str_text(&expected),
                     str_text(&actual));
    str_done(&expected);
    str_done(&actual);
}

void field_list_forget(char ***list)
{
    text_list_free(*list);
    *list = NULL;
}

/* Copies the array into *out, which is freed first; NULL if empty. Returns false for anything but
 * an array of at most `max` strings. */
static bool read_list(struct field_reader *reader, const struct json_pointer *path,
                      const struct json *value, size_t max, char ***out)
{
    const size_t count = json_count(value);
    if (json_kind(value) != JSON_KIND_ARRAY || count > max)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!json_text(json_at(value, i), NULL))
            return false;
    }
    text_list_free(*out);
    *out = count > 0 ? xcalloc(count + 1, sizeof(**out)) : NULL;
    for (size_t i = 0; i < count; i++) {
        const struct json_pointer place = {.up = path, .index = i};
        field_reader_text(reader, &place, json_at(value, i), &(*out)[i]);
    }
    return true;
}

/* Copies the object into *out, which is freed first, as NAME=value strings. Returns false for
 * anything but an object of at most `max` members. */
static bool read_env(struct field_reader *reader, const struct json_pointer *path,
                     const struct json *value, size_t max, char ***out)
{
    const size_t count = json_count(value);
    size_t used = 0;
    void *iter = NULL;
    const char *key;
    const struct json *member;
    if (json_kind(value) != JSON_KIND_OBJECT || count > max)
        return false;
    text_list_free(*out);
    *out = xcalloc(count + 1, sizeof(**out));
    while (json_next(value, &iter, &key, &member)) {
        const struct json_pointer place = {.up = path, .key = key};
        const char *text = json_text(member, NULL);
        struct str variable = {0};
        if (!text || field_is_comment(key))
            continue;
        str_addf(&variable, "%s=%s", key, text);
        if (variable.len > FIELD_TEXT_MAX && field_reader_is_sound(reader, &place))
            field_reader_add(reader, VIOLATION_INVALID_VALUE, &place, "too long", NULL, NULL);
        (*out)[used++] = variable.data;
    }
    return true;
}

/* Returns the number of the word, searching from `first` on, or first - 1 if there is none. */
static int find_word(const struct field *field, int first, const char *text)
{
    int i = (int)field->most - 1;
    while (i >= first && strcmp(field->word(i), text) != 0)
        i--;
    return i;
}

static bool is_length_between(const char *text, int64_t least, int64_t most)
{
    int64_t count = 0;
    for (; *text; text++)
        count += utf8_is_inner(*text) ? 0 : 1;
    return count >= least && count <= most;
}

/* Reads a value by the type of its field. Returns false if the field cannot have this value. */
static bool read_by_type(struct field_reader *reader, const struct field *field,
                         const struct json_pointer *path, const struct json *value, void *object)
{
    assert(object);
    void *to = (char *)object + field->offset;
    const enum json_kind kind = json_kind(value);
    const bool is_bool = kind == JSON_KIND_TRUE || kind == JSON_KIND_FALSE;
    const char *text = json_text(value, NULL);
    const double real = json_number(value, NAN);
    int64_t whole = field->least - 1;
    int word;
    bool fits = false;
    switch (field->type) {
    case FIELD_OTHER:
        return true;
    case FIELD_BOOL:
        *(bool *)to = json_bool(value, *(bool *)to);
        return is_bool;
    case FIELD_SWITCH:
        if (is_bool)
            *(int *)to = json_bool(value, false) ? 1 : 2;
        return is_bool;
    case FIELD_INT:
    case FIELD_I64:
        field_read_number(value, field->least, field->most, &whole);
        fits = whole >= field->least;
        if (fits && field->type == FIELD_INT)
            *(int *)to = (int)whole;
        else if (fits)
            *(int64_t *)to = whole;
        return fits;
    case FIELD_REAL:
        fits = real >= (double)field->least && real <= (double)field->most;
        if (fits)
            *(double *)to = real;
        return fits;
    case FIELD_SECONDS:
        fits = real * MS_PER_S >= (double)field->least && real * MS_PER_S <= (double)field->most;
        if (fits)
            *(int64_t *)to = llround(real * MS_PER_S);
        return fits;
    case FIELD_TEXT:
        field_reader_text(reader, path, value, to);
        return text && is_length_between(text, field->least, field->most);
    case FIELD_CHARS:
        fits = text && strlen(text) >= (size_t)field->least && strlen(text) <= (size_t)field->most;
        if (fits)
            memcpy(to, text, strlen(text) + 1);
        return fits;
    case FIELD_LIST:
        return read_list(reader, path, value, (size_t)field->most, to) &&
               json_count(value) >= (size_t)field->least;
    case FIELD_ENV:
        return read_env(reader, path, value, (size_t)field->most, to);
    case FIELD_WORD:
        word = find_word(field, (int)field->least, text ? text : "");
        if (word >= field->least)
            *(int *)to = word;
        return word >= field->least;
    case FIELD_WORDS:
        if (kind == JSON_KIND_ARRAY)
            *(unsigned *)to = 0;
        fits = kind == JSON_KIND_ARRAY && json_count(value) >= (size_t)field->least;
        for (size_t i = 0; kind == JSON_KIND_ARRAY && i < json_count(value); i++) {
            word = find_word(field, 0, json_text(json_at(value, i), ""));
            if (word >= 0)
                *(unsigned *)to |= 1U << word;
            fits = fits && word >= 0;
        }
        return fits;
    case FIELD_OBJECT:
        fields_read(reader, path, value, field->members, to);
        return kind == JSON_KIND_OBJECT;
    }
    return true;
}

const struct field *fields_find(const struct fields *fields, const char *key)
{
    const struct field *field = NULL;
    for (size_t i = 0; i < fields->count; i++) {
        const char *other = fields->rows[i].key;
        if (other[0] == key[0] && strcmp(other, key) == 0) /* most differ in the first letter */
            return &fields->rows[i];
    }
    for (size_t i = 0; i < ARRAY_LEN(fields->also) && fields->also[i] && !field; i++)
        field = fields_find(fields->also[i], key);
    return field;
}

static void add_words(const struct field *field, int first, const char *quote, struct str *out)
{
    for (int i = first; i < (int)field->most; i++)
        str_addf(out, "%s%s%s%s", i > first ? ", " : "", quote, field->word(i), quote);
}

void field_add_grouped(struct str *out, int64_t number)
{
    char digits[24];
    const int len = snprintf(digits, sizeof(digits), "%lld", (long long)number);
    for (int i = 0; i < len; i++)
        str_addf(out, "%s%c", i > 0 && (len - i) % 3 == 0 ? "," : "", digits[i]);
}

static void add_range(struct str *out, int64_t least, int64_t most, const char *unit)
{
    if (least > 0 || unit[0] == '\0') {
        field_add_grouped(out, least);
        str_add(out, " to ");
    } else {
        str_add(out, "at most ");
    }
    field_add_grouped(out, most);
    str_add(out, unit);
}

void field_values(const struct field *field, const char *quote, struct str *out)
{
    switch (field->type) {
    case FIELD_OTHER:
        break;
    case FIELD_BOOL:
    case FIELD_SWITCH:
        str_addf(out, "%strue%s or %sfalse%s", quote, quote, quote, quote);
        break;
    case FIELD_INT:
    case FIELD_I64:
    case FIELD_REAL:
        str_add(out, field->not_one ? "0, or " : "");
        add_range(out, field->not_one ? 2 : field->least, field->most, "");
        break;
    case FIELD_SECONDS:
        str_add_number(out, (double)field->least / MS_PER_S);
        str_add(out, " to ");
        field_add_grouped(out, field->most / MS_PER_S);
        break;
    case FIELD_TEXT:
        add_range(out, field->least, field->most, " characters");
        break;
    case FIELD_CHARS:
        add_range(out, field->least, field->most, " bytes");
        break;
    case FIELD_LIST:
        str_add(out, "array of ");
        add_range(out, field->least, field->most, " strings");
        break;
    case FIELD_ENV:
        str_add(out, "object of ");
        add_range(out, 0, field->most, " strings");
        break;
    case FIELD_WORD:
        add_words(field, (int)field->least, quote, out);
        break;
    case FIELD_WORDS:
        str_add(out, "any of ");
        add_words(field, 0, quote, out);
        break;
    case FIELD_OBJECT:
        str_add(out, "object");
        break;
    }
}

static void complain_unknown_key(struct field_reader *reader, const struct json_pointer *path,
                                 const struct fields *fields)
{
    struct near_word near = near_word_new(path->key);
    struct str message = {0};
    for (size_t i = 0; i < fields->count; i++)
        near_word_offer(&near, fields->rows[i].key);
    str_add(&message, "unknown key");
    if (near.nearest)
        str_addf(&message, ", did you mean \"%s\"?", near.nearest);
    field_reader_add(reader, VIOLATION_INVALID_VALUE, path, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void complain_value(struct field_reader *reader, const struct json_pointer *path,
                           const struct field *field, const struct json *value)
{
    struct str expected = {0};
    field_values(field, "", &expected);
    field_reader_invalid(reader, path, "invalid value", str_text(&expected), value);
    str_done(&expected);
}

void fields_read(struct field_reader *reader, const struct json_pointer *path,
                 const struct json *value, const struct fields *fields, void *object)
{
    void *iter = NULL;
    const char *key;
    const struct json *member;
    while (json_next(value, &iter, &key, &member)) {
        const struct json_pointer place = {.up = path, .key = key};
        const struct field *field = fields_find(fields, key);
        bool fits = true;
        if (!field) {
            if (!reader->shape)
                complain_unknown_key(reader, &place, fields);
            continue;
        }
        reader->at = object ? (char *)object + field->offset : NULL;
        if (field->read)
            field->read(reader, &place, member);
        else if (field->type != FIELD_OTHER && !field->elsewhere)
            fits = read_by_type(reader, field, &place, member, object);
        if (!fits && !reader->shape)
            complain_value(reader, &place, field, member);
        if (field->check)
            field->check(reader, &place, member);
    }
}

void fields_take(const struct json *value, const struct fields *fields, void *object)
{
    static const struct json_pointer nowhere = {0};
    const struct violations shape = {0};
    struct violations unsaid = {0};
    struct field_reader reader = {.shape = &shape, .violations = &unsaid};
    fields_read(&reader, &nowhere, value, fields, object);
    violations_done(&unsaid);
}

static void write_words(const struct field *field, unsigned set, struct str *out)
{
    const char *before = "";
    str_json_key(out, field->key);
    str_add_char(out, '[');
    for (int i = 0; i < (int)field->most; i++) {
        if ((set & 1U << i) == 0)
            continue;
        str_add(out, before);
        str_add_json(out, field->word(i), strlen(field->word(i)));
        before = ",";
    }
    str_add_char(out, ']');
}

static void write_env(const char *key, char *const *env, struct str *out)
{
    str_json_key(out, key);
    str_add_char(out, '{');
    for (size_t i = 0; env[i]; i++) {
        const size_t name_len = strcspn(env[i], "=");
        str_add(out, i > 0 ? "," : "");
        str_add_json(out, env[i], name_len);
        str_add_char(out, ':');
        str_add_json(out, env[i] + name_len + 1, strlen(env[i] + name_len + 1));
    }
    str_add_char(out, '}');
}

void field_seconds_write(const char *key, int64_t ms, struct str *out)
{
    str_json_key(out, key);
    str_addf(out, "%lld.%03lld", (long long)(ms / MS_PER_S), (long long)(ms % MS_PER_S));
}

static void write_field(const struct field *field, const void *object, struct str *out)
{
    const void *from = (const char *)object + field->offset;
    if (field->write) {
        field->write(object, out);
        return;
    }
    switch (field->type) {
    case FIELD_OTHER:
        break;
    case FIELD_BOOL:
        str_json_bool(out, field->key, *(const bool *)from);
        break;
    case FIELD_SWITCH:
        if (*(const int *)from != 0)
            str_json_bool(out, field->key, *(const int *)from == 1);
        break;
    case FIELD_INT:
        if (*(const int *)from >= field->least)
            str_json_i64(out, field->key, *(const int *)from);
        break;
    case FIELD_I64:
        if (*(const int64_t *)from >= field->least)
            str_json_i64(out, field->key, *(const int64_t *)from);
        break;
    case FIELD_REAL:
        str_json_key(out, field->key);
        str_add_number(out, *(const double *)from);
        break;
    case FIELD_SECONDS:
        if (*(const int64_t *)from >= field->least)
            field_seconds_write(field->key, *(const int64_t *)from, out);
        break;
    case FIELD_TEXT:
        if (*(char *const *)from)
            str_json_text(out, field->key, *(char *const *)from);
        break;
    case FIELD_CHARS:
        if (*(const char *)from)
            str_json_text(out, field->key, from);
        break;
    case FIELD_LIST:
        text_list_write(out, field->key, *(char **const *)from);
        break;
    case FIELD_ENV:
        if (*(char **const *)from)
            write_env(field->key, *(char **const *)from, out);
        break;
    case FIELD_WORD:
        str_json_text(out, field->key, field->word(*(const int *)from));
        break;
    case FIELD_WORDS:
        if (*(const unsigned *)from != 0 || field->least == 0)
            write_words(field, *(const unsigned *)from, out);
        break;
    case FIELD_OBJECT:
        str_json_key(out, field->key);
        fields_write_object(field->members, from, out);
        break;
    }
}

void fields_write(const struct fields *fields, const void *object, struct str *out)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (!fields->rows[i].elsewhere)
            write_field(&fields->rows[i], object, out);
    }
}

void fields_write_object(const struct fields *fields, const void *object, struct str *out)
{
    str_add_char(out, '{');
    fields_write(fields, object, out);
    str_add_char(out, '}');
}
