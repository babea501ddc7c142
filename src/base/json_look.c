/* json_look.c - values looked up in a tree, each with what stands for none. */
#include <assert.h>
#include <string.h>

#include "json.h"
#include "json_tree.h"

struct json *json_clone(const struct json *json)
{
    struct json_tree tree;
    if (!json)
        return NULL;
    json_tree_begin(&tree, 0);
    const struct json root = json_tree_copy(&tree, json);
    return json_tree_root(&tree, &root);
}

enum json_kind json_kind(const struct json *json)
{
    return json ? json->kind : JSON_KIND_NONE;
}

const char *json_kind_name(const struct json *json)
{
    static const char *const names[] = {
        [JSON_KIND_NONE] = "nothing",  [JSON_KIND_OBJECT] = "object",   [JSON_KIND_ARRAY] = "array",
        [JSON_KIND_STRING] = "string", [JSON_KIND_INTEGER] = "integer", [JSON_KIND_REAL] = "number",
        [JSON_KIND_TRUE] = "boolean",  [JSON_KIND_FALSE] = "boolean",   [JSON_KIND_NULL] = "null",
    };
    static_assert(ARRAY_LEN(names) == JSON_KIND_COUNT, "every kind has a name");
    return names[json_kind(json)];
}

const struct json *json_get(const struct json *json, const char *key)
{
    return json_kind(json) == JSON_KIND_OBJECT ? json_tree_find(json, key) : NULL;
}

const struct json *json_at(const struct json *json, size_t index)
{
    const bool is_there = json_kind(json) == JSON_KIND_ARRAY && index < json->count;
    return is_there ? &json->is.elements[index] : NULL;
}

size_t json_count(const struct json *json)
{
    const enum json_kind kind = json_kind(json);
    return kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY ? json->count : 0;
}

bool json_next(const struct json *object, void **iter, const char **key, const struct json **value)
{
    const struct json_member *before = *iter;
    if (json_kind(object) != JSON_KIND_OBJECT)
        return false;
    union {
        const struct json_member *ours;
        void *theirs;
    } next = {.ours = before ? before + 1 : object->is.members};
    if (next.ours == object->is.members + object->count)
        return false;
    *iter = next.theirs;
    *key = next.ours->key;
    *value = &next.ours->value;
    return true;
}

const char *json_text(const struct json *json, const char *otherwise)
{
    return json_kind(json) == JSON_KIND_STRING ? json->is.text : otherwise;
}

const char *json_bytes(const struct json *json, size_t *len)
{
    const bool is_text = json_kind(json) == JSON_KIND_STRING;
    *len = is_text ? json->count : 0;
    return is_text ? json->is.text : NULL;
}

struct json *json_new_text(const char *text)
{
    struct json_tree tree;
    const size_t len = strlen(text);
    json_tree_begin(&tree, len);
    const struct json root = {.kind = JSON_KIND_STRING,
                              .count = (uint32_t)len,
                              .is = {.text = json_tree_text(&tree, text, len)}};
    return json_tree_root(&tree, &root);
}

int64_t json_i64(const struct json *json, int64_t otherwise)
{
    return json_kind(json) == JSON_KIND_INTEGER ? json->is.integer : otherwise;
}

double json_number(const struct json *json, double otherwise)
{
    if (json_kind(json) == JSON_KIND_INTEGER)
        return (double)json->is.integer;
    return json_kind(json) == JSON_KIND_REAL ? json->is.real : otherwise;
}

bool json_bool(const struct json *json, bool otherwise)
{
    enum json_kind kind = json_kind(json);
    bool is_bool = kind == JSON_KIND_TRUE || kind == JSON_KIND_FALSE;
    return is_bool ? kind == JSON_KIND_TRUE : otherwise;
}
