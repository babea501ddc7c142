/*
 * json.c - JSON trees: their memory, reading their values, and writing them.
 */
#include "json.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_internal.h"
#include "str.h"
#include "utf8.h"
#include "xalloc.h"

enum {
    REAL_DIGITS = 15,      /* digits that every double preserves */
    REAL_DIGITS_MOST = 17, /* digits that identify every double */
    REAL_TEXT_MAX = 40,    /* bytes of a formatted double */
};

/*
 * Trees. All parts of a tree are in blocks that json_free() frees together.
 */

enum {
    PART_ALIGN = 8,
    BLOCK_BYTES_MIN = 512, /* size of the first block; each further block is twice as large */
    /* A larger part gets a block of its size. malloc() takes blocks of more than 128 KiB from
     * mmap(), and returns them at once when they are freed. */
    BLOCK_BYTES_MAX = 64 * 1024,
    INDEX_FROM = 16, /* members of an object that has an index */
};

static_assert(alignof(struct json_member) <= PART_ALIGN && alignof(double) <= PART_ALIGN,
              "parts are aligned");

struct block {
    alignas(PART_ALIGN) struct block *next;
};

struct json_tree *json_tree_new(void)
{
    struct json_tree *tree = xcalloc(1, sizeof(*tree));
    tree->block_bytes = BLOCK_BYTES_MIN;
    return tree;
}

void json_tree_free(struct json_tree *tree)
{
    for (struct block *block = tree->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(tree);
}

static void *add_block(struct json_tree *tree, size_t bytes)
{
    struct block *block = xcheck(malloc(sizeof(*block) + bytes));
    block->next = tree->blocks;
    tree->blocks = block;
    return block + 1;
}

void *json_tree_part(struct json_tree *tree, size_t count, size_t size)
{
    assert(count <= SIZE_MAX / 2 / size);
    const size_t bytes = (count * size + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
    if (bytes > tree->block_bytes)
        return add_block(tree, bytes);
    if (bytes > tree->left || !tree->part) {
        tree->part = add_block(tree, tree->block_bytes);
        tree->left = tree->block_bytes;
        if (tree->block_bytes < BLOCK_BYTES_MAX)
            tree->block_bytes *= 2;
    }
    void *part = tree->part;
    tree->part += bytes;
    tree->left -= bytes;
    return part;
}

static int compare_members(const void *a, const void *b)
{
    const struct json_member *const *left = a;
    const struct json_member *const *right = b;
    return strcmp((*left)->key, (*right)->key);
}

/* Returns the members of an object with an index, in the order of their keys. */
static const struct json_member *const *index_of(const struct json *object)
{
    return (const struct json_member *const *)(const void *)(object->is.members + object->count);
}

static bool have_equal_keys(const struct json_member *a, const struct json_member *b)
{
    return a->key[0] == b->key[0] && strcmp(a->key, b->key) == 0;
}

bool json_tree_object(struct json_tree *tree, const struct json_member *members, size_t count,
                      struct json *out)
{
    const bool has_index = count >= INDEX_FROM;
    const size_t size = sizeof(*members) + (has_index ? sizeof(struct json_member *) : 0);
    struct json_member *own = json_tree_part(tree, count, size);
    if (count > 0)
        memcpy(own, members, count * sizeof(*members));
    *out = (struct json){.kind = JSON_KIND_OBJECT, .count = (uint32_t)count, .is.members = own};
    if (!has_index) {
        for (size_t i = 1; i < count; i++) {
            for (size_t k = 0; k < i; k++) {
                if (have_equal_keys(&own[i], &own[k]))
                    return false;
            }
        }
        return true;
    }
    const struct json_member **index = (const struct json_member **)(void *)(own + count);
    for (size_t i = 0; i < count; i++)
        index[i] = &own[i];
    qsort((void *)index, count, sizeof(struct json_member *), compare_members);
    for (size_t i = 1; i < count; i++) {
        if (have_equal_keys(index[i - 1], index[i]))
            return false;
    }
    return true;
}

static const char *copy_text(struct json_tree *tree, const char *text, size_t len)
{
    char *copy = json_tree_part(tree, len + 1, 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

/* Recurses as deep as the parser allows. */
static struct json copy_value(struct json_tree *tree, const struct json *json)
{
    struct json copy = *json;
    if (json->kind == JSON_KIND_STRING) {
        copy.is.text = copy_text(tree, json->is.text, json->count);
    } else if (json->kind == JSON_KIND_ARRAY) {
        struct json *elements = json_tree_part(tree, json->count, sizeof(*elements));
        for (uint32_t i = 0; i < json->count; i++)
            elements[i] = copy_value(tree, &json->is.elements[i]);
        copy.is.elements = elements;
    } else if (json->kind == JSON_KIND_OBJECT) {
        struct json_member *members = xcalloc(json->count, sizeof(*members));
        for (uint32_t i = 0; i < json->count; i++) {
            const struct json_member *from = &json->is.members[i];
            members[i].key = copy_text(tree, from->key, strlen(from->key));
            members[i].value = copy_value(tree, &from->value);
        }
        const bool differ = json_tree_object(tree, members, json->count, &copy);
        assert(differ);
        free(members);
    }
    return copy;
}

struct json *json_clone(const struct json *json)
{
    if (!json)
        return NULL;
    struct json_tree *tree = json_tree_new();
    tree->root = copy_value(tree, json);
    return &tree->root;
}

struct json *json_new_text(const char *text)
{
    struct json_tree *tree = json_tree_new();
    const size_t len = strlen(text);
    assert(len <= UINT32_MAX);
    tree->root = (struct json){
        .kind = JSON_KIND_STRING, .count = (uint32_t)len, .is.text = copy_text(tree, text, len)};
    return &tree->root;
}

void json_free(struct json *json)
{
    if (json)
        json_tree_free((struct json_tree *)(void *)json);
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

static const struct json *find_in_index(const struct json *object, const char *key)
{
    const struct json_member wanted = {.key = key};
    const struct json_member *pointer = &wanted;
    const struct json_member *const *found =
        bsearch((const void *)&pointer, (const void *)index_of(object), object->count,
                sizeof(struct json_member *), compare_members);
    return found ? &(*found)->value : NULL;
}

const struct json *json_get(const struct json *json, const char *key)
{
    if (json_kind(json) != JSON_KIND_OBJECT)
        return NULL;
    if (json->count >= INDEX_FROM)
        return find_in_index(json, key);
    const struct json_member wanted = {.key = key};
    for (uint32_t i = 0; i < json->count; i++) {
        if (have_equal_keys(&json->is.members[i], &wanted))
            return &json->is.members[i].value;
    }
    return NULL;
}

const struct json *json_at(const struct json *json, size_t index)
{
    return json_kind(json) == JSON_KIND_ARRAY && index < json->count ? &json->is.elements[index]
                                                                     : NULL;
}

size_t json_count(const struct json *json)
{
    const enum json_kind kind = json_kind(json);
    return kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY ? json->count : 0;
}

bool json_next(const struct json *object, void **iter, const char **key, const struct json **value)
{
    if (json_kind(object) != JSON_KIND_OBJECT)
        return false;
    const struct json_member *next =
        *iter ? (const struct json_member *)*iter + 1 : object->is.members;
    if (next == object->is.members + object->count)
        return false;
    *iter = (void *)(uintptr_t)next;
    *key = next->key;
    *value = &next->value;
    return true;
}

const char *json_text(const struct json *json, const char *otherwise)
{
    return json_kind(json) == JSON_KIND_STRING ? json->is.text : otherwise;
}

const char *json_bytes(const struct json *json, size_t *len)
{
    const bool is_string = json_kind(json) == JSON_KIND_STRING;
    *len = is_string ? json->count : 0;
    return is_string ? json->is.text : NULL;
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

/*
 * Writing.
 */

/* Text being written, with a limit at which writing stops. */
struct writing {
    struct str *out;
    size_t max;
    int digits; /* of reals */
    int step;   /* columns per level; 0 = everything is on one line */
    int level;
};

static void write_real(double value, int digits, struct str *out)
{
    char text[REAL_TEXT_MAX];
    (void)snprintf(text, sizeof(text), "%.*g", digits, value);
    const size_t whole = strcspn(text, "e");
    str_add_n(out, text, whole);
    if (text[whole] == '\0') {
        if (!strchr(text, '.'))
            str_add(out, ".0");
        return;
    }
    /* Without "+" and leading zeros. */
    const char *exponent = text + whole + 1;
    str_add(out, *exponent == '-' ? "e-" : "e");
    exponent += strspn(exponent, "+-");
    str_add(out, exponent + strspn(exponent, "0"));
}

static void write_break(const struct writing *writing)
{
    if (writing->step > 0)
        str_addf(writing->out, "\n%*s", writing->step * writing->level, "");
}

static bool write_value(struct writing *writing, const struct json *json);

/* Returns false if the limit was reached. */
static bool write_values(struct writing *writing, const struct json *json)
{
    const bool has_keys = json->kind == JSON_KIND_OBJECT;
    str_add_char(writing->out, has_keys ? '{' : '[');
    writing->level++;
    for (uint32_t i = 0; i < json->count; i++) {
        str_add(writing->out, i > 0 ? "," : "");
        write_break(writing);
        if (has_keys) {
            const char *key = json->is.members[i].key;
            str_add_json(writing->out, key, strlen(key));
            str_add(writing->out, writing->step > 0 ? ": " : ":");
        }
        if (!write_value(writing, has_keys ? &json->is.members[i].value : &json->is.elements[i]))
            return false;
    }
    writing->level--;
    if (json->count > 0)
        write_break(writing);
    str_add_char(writing->out, has_keys ? '}' : ']');
    return writing->out->len <= writing->max;
}

static bool write_value(struct writing *writing, const struct json *json)
{
    struct str *out = writing->out;
    switch (json->kind) {
    case JSON_KIND_OBJECT:
    case JSON_KIND_ARRAY:
        return write_values(writing, json);
    case JSON_KIND_STRING:
        str_add_json(out, json->is.text, json->count);
        break;
    case JSON_KIND_INTEGER:
        str_add_i64(out, json->is.integer);
        break;
    case JSON_KIND_REAL:
        write_real(json->is.real, writing->digits, out);
        break;
    case JSON_KIND_TRUE:
    case JSON_KIND_FALSE:
        str_add(out, json->kind == JSON_KIND_TRUE ? "true" : "false");
        break;
    case JSON_KIND_NULL:
    case JSON_KIND_NONE:
    case JSON_KIND_COUNT:
        str_add(out, "null");
        break;
    }
    return out->len <= writing->max;
}

void json_write(struct str *out, const struct json *json)
{
    struct writing writing = {.out = out, .max = SIZE_MAX, .digits = REAL_DIGITS_MOST};
    (void)write_value(&writing, json);
}

void json_write_indented(struct str *out, const struct json *json)
{
    struct writing writing = {.out = out, .max = SIZE_MAX, .digits = REAL_DIGITS_MOST, .step = 2};
    (void)write_value(&writing, json);
    str_add_char(out, '\n');
}

char *json_brief(const struct json *json, size_t max)
{
    if (!json)
        return xstrdup("nothing");
    struct str brief = {0};
    struct writing writing = {.out = &brief, .max = max, .digits = REAL_DIGITS};
    if (json->kind == JSON_KIND_REAL) {
        /* Uses 15 digits, which are shorter, unless the real needs more. */
        char text[REAL_TEXT_MAX];
        (void)snprintf(text, sizeof(text), "%.*g", REAL_DIGITS, json->is.real);
        if (strtod(text, NULL) != json->is.real)
            writing.digits = REAL_DIGITS_MOST;
    }
    if (write_value(&writing, json))
        return brief.data;
    size_t len = max;
    while (len > 0 && utf8_is_inner(brief.data[len])) /* do not split a character */
        len--;
    str_cut(&brief, len);
    str_add(&brief, "...");
    return brief.data;
}
