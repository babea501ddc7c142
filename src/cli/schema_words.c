/* schema_words.c - describes the keys of a schema as text.
 *
 * A definition that several keys share is described once; after that, only the key with the
 * description is named. */
#include "schema_words.h"

#include <assert.h>
#include <string.h>

#include "json.h"

enum { DEPTH_MAX = 12, SHARED_MAX = 64, PATH_KEPT_MAX = 96 };

/* A definition that has been described, and the key that has the description. */
struct described {
    const char *name; /* borrowed from the schema */
    char path[PATH_KEPT_MAX];
};

struct telling {
    const struct json *definitions;
    struct str *out;
    struct described described[SHARED_MAX];
    size_t described_count;
};

/* Returns the name in a reference: "policy" for "#/$defs/policy". Returns NULL if the schema has no
 * reference. */
static const char *reference_name(const struct json *schema)
{
    const char *text = json_text(json_get(schema, "$ref"), NULL);
    const char *slash = text ? strrchr(text, '/') : NULL;
    return slash ? slash + 1 : NULL;
}

static const struct json *resolve_reference(const struct telling *telling,
                                            const struct json *schema)
{
    const char *name = reference_name(schema);
    return name ? json_get(telling->definitions, name) : schema;
}

/* Appends a word of a list: commas in between, and "or" before the last word. */
static void add_choice(struct str *out, const char *word, size_t index, size_t count)
{
    const char *before = index == 0 ? "" : index + 1 == count ? " or " : ", ";
    str_addf(out, "%s%s", before, word);
}

static void add_values(struct str *out, const struct json *values)
{
    for (size_t i = 0; i < json_count(values); i++) {
        struct str word = {0};
        json_write(&word, json_at(values, i));
        add_choice(out, str_text(&word), i, json_count(values));
        str_done(&word);
    }
}

static void add_limit(struct str *out, const char *before, const struct json *limit,
                      const char *behind)
{
    if (limit) {
        str_add(out, before);
        str_add_number(out, json_number(limit, 0));
        str_add(out, behind);
    }
}

static void add_limits(struct str *out, const struct json *schema)
{
    const struct json *least = json_get(schema, "minimum");
    add_limit(out, ", ", least, "");
    add_limit(out, ", above ", json_get(schema, "exclusiveMinimum"), "");
    add_limit(out, least ? " to " : ", at most ", json_get(schema, "maximum"), "");
    add_limit(out, ", at most ", json_get(schema, "maxItems"), " values");
    add_limit(out, ", at most ", json_get(schema, "maxProperties"), " names");
    add_limit(out, ", at most ", json_get(schema, "maxLength"), " characters");
}

static bool has_keys(const struct json *schema)
{
    return json_get(schema, "properties") ||
           json_kind(json_get(schema, "additionalProperties")) == JSON_KIND_OBJECT ||
           json_get(schema, "items");
}

/* Appends "integer, 1 to 100", "array, at most 2 values, each "a" or "b"". */
static void add_kind(const struct telling *telling, const struct json *schema)
{
    struct str *out = telling->out;
    const struct json *values = json_get(schema, "enum");
    const struct json *texts = json_get(json_get(schema, "then"), "enum");
    const struct json *each = json_get(schema, "items");
    const struct json *type = json_get(schema, "type");
    if (values) {
        add_values(out, values);
        return;
    }
    if (json_get(schema, "anyOf")) {
        str_add(out, "one of several kinds");
    } else if (json_kind(type) != JSON_KIND_ARRAY) {
        str_add(out, json_text(type, "any value"));
    } else {
        for (size_t i = 0; i < json_count(type); i++)
            add_choice(out, json_text(json_at(type, i), ""), i, json_count(type));
    }
    add_limits(out, schema);
    if (texts) {
        str_add(out, "; a string is ");
        add_values(out, texts);
    }
    if (each && !has_keys(resolve_reference(telling, each))) {
        str_add(out, ", each ");
        add_kind(telling, resolve_reference(telling, each));
    }
}

static void tell_schema(struct telling *telling, const struct json *schema, struct str *path,
                        int depth);

static void tell_child(struct telling *telling, const struct json *schema, struct str *path,
                       const char *step, int depth)
{
    const size_t len = path->len;
    str_addf(path, "%s%s", len > 0 && step[0] != '[' ? "." : "", step);
    tell_schema(telling, schema, path, depth + 1);
    str_cut(path, len);
}

/* Describes the values of a list or map if their kind alone does not describe them. */
static void tell_values(struct telling *telling, const struct json *schema, struct str *path,
                        const char *step, int depth)
{
    const struct json *each = resolve_reference(telling, schema);
    if (has_keys(each))
        tell_child(telling, schema, path, step, depth);
}

static void tell_keys(struct telling *telling, const struct json *schema, struct str *path,
                      int depth)
{
    const struct json *more = json_get(schema, "additionalProperties");
    const struct json *value = NULL;
    const char *key = NULL;
    void *iter = NULL;
    while (json_next(json_get(schema, "properties"), &iter, &key, &value))
        tell_child(telling, value, path, key, depth);
    if (json_kind(more) == JSON_KIND_OBJECT)
        tell_values(telling, more, path, "NAME", depth);
    if (json_get(schema, "items"))
        tell_values(telling, json_get(schema, "items"), path, "[]", depth);
}

static void tell_schema(struct telling *telling, const struct json *schema, struct str *path,
                        int depth)
{
    const char *name = reference_name(schema);
    const struct json *meant = resolve_reference(telling, schema);
    const char *before = NULL; /* the key for which the definition has been described */
    for (size_t i = 0; name && !before && i < telling->described_count; i++) {
        if (strcmp(telling->described[i].name, name) == 0)
            before = telling->described[i].path;
    }
    struct str *out = telling->out;
    assert(depth < DEPTH_MAX);
    if (path->len > 0) {
        str_addf(out, "%s%s\n    ", out->len > 0 ? "\n" : "", str_text(path));
        add_kind(telling, meant);
        const struct json *otherwise = json_get(meant, "default");
        if (otherwise) {
            str_add(out, "; default ");
            json_write(out, otherwise);
        }
        str_addf(out, "\n    %s\n", json_text(json_get(meant, "description"), ""));
    }
    if (!has_keys(meant))
        return;
    if (before) {
        str_addf(out, "    It has the same keys as %s.\n", before);
        return;
    }
    if (name) {
        assert(telling->described_count < SHARED_MAX && path->len < PATH_KEPT_MAX);
        struct described *described = &telling->described[telling->described_count++];
        described->name = name;
        memcpy(described->path, str_text(path), path->len + 1);
    }
    tell_keys(telling, meant, path, depth);
}

void schema_words(const char *schema, struct str *out)
{
    struct json *root = NULL;
    struct str path = {0};
    const bool ok = json_parse(schema, strlen(schema), &root, NULL, NULL);
    assert(ok);
    (void)ok;
    struct telling telling = {.definitions = json_get(root, "$defs"), .out = out};
    tell_schema(&telling, root, &path, 0);
    str_done(&path);
    json_free(root);
}
