#include "json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

enum { BLOCK_LEAST = 256, ALIGNMENT = 8, INDEXED_FROM = 16 };

struct json_block {
    struct json_block *next; /* owned */
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

/* What json_free() gets. */
struct rooted {
    struct json root; /* first */
    struct json_block *first;
};

static struct json_block *new_block(size_t size)
{
    struct json_block *block = xcheck(malloc(sizeof(*block) + size));
    block->next = NULL;
    block->used = 0;
    block->size = size;
    return block;
}

static void *take(struct json_tree *tree, size_t size)
{
    const size_t wanted = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct json_block *block = tree->last;
    if (block->size - block->used < wanted) {
        const size_t twice = 2 * block->size;
        block->next = new_block(wanted > twice ? wanted : twice);
        block = tree->last = block->next;
    }
    void *taken = block->bytes + block->used;
    block->used += wanted;
    return taken;
}

void json_tree_begin(struct json_tree *tree, size_t bytes)
{
    const size_t size = bytes > BLOCK_LEAST ? bytes : BLOCK_LEAST;
    tree->first = tree->last = new_block(size + sizeof(struct rooted));
}

static void free_blocks(struct json_block *block)
{
    while (block) {
        struct json_block *next = block->next;
        free(block);
        block = next;
    }
}

void json_tree_drop(struct json_tree *tree)
{
    free_blocks(tree->first);
    *tree = (struct json_tree){0};
}

struct json *json_tree_root(struct json_tree *tree, const struct json *root)
{
    struct rooted *rooted = take(tree, sizeof(*rooted));
    *rooted = (struct rooted){.root = *root, .first = tree->first};
    *tree = (struct json_tree){0};
    return &rooted->root;
}

void json_free(struct json *json)
{
    if (json)
        free_blocks(((struct rooted *)(void *)json)->first);
}

const char *json_tree_text(struct json_tree *tree, const char *bytes, size_t len)
{
    char *text = take(tree, len + 1);
    if (len > 0)
        memcpy(text, bytes, len);
    text[len] = '\0';
    return text;
}

static int compare_keys(const void *a, const void *b)
{
    const struct json_member *const *left = a;
    const struct json_member *const *right = b;
    return strcmp((*left)->key, (*right)->key);
}

/* Pointers to the members in the order of their keys, behind the members. */
static const struct json_member *const *index_of(const struct json *object)
{
    return (const struct json_member *const *)(const void *)(object->is.members + object->count);
}

static bool make_index(const struct json_member **index, const struct json_member *members,
                       size_t count)
{
    bool differ = true;
    for (size_t i = 0; i < count; i++)
        index[i] = &members[i];
    qsort((void *)index, count, sizeof(struct json_member *), compare_keys);
    for (size_t i = 1; differ && i < count; i++)
        differ = strcmp(index[i - 1]->key, index[i]->key) != 0;
    return differ;
}

static bool few_differ(const struct json_member *members, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (members[i].key[0] == members[k].key[0] &&
                strcmp(members[i].key, members[k].key) == 0)
                return false;
        }
    }
    return true;
}

bool json_tree_object(struct json_tree *tree, const struct json_member *members, size_t count,
                      struct json *out)
{
    const bool is_large = count >= INDEXED_FROM;
    const size_t size = count * sizeof(*members);
    *out = (struct json){.kind = JSON_KIND_OBJECT, .count = (uint32_t)count};
    struct json_member *own =
        take(tree, size + (is_large ? count * sizeof(struct json_member *) : 0));
    if (count > 0)
        memcpy(own, members, size);
    out->is.members = own;
    if (!is_large)
        return few_differ(own, count);
    return make_index((const struct json_member **)(void *)(own + count), own, count);
}

struct json json_tree_array(struct json_tree *tree, const struct json_member *elements,
                            size_t count)
{
    struct json *own = take(tree, count * sizeof(*own));
    for (size_t i = 0; i < count; i++)
        own[i] = elements[i].value;
    return (struct json){
        .kind = JSON_KIND_ARRAY, .count = (uint32_t)count, .is = {.elements = own}};
}

static struct json copy_object(struct json_tree *tree, const struct json *json)
{
    struct json copy;
    struct json_member *members = xcalloc((size_t)json->count + 1, sizeof(*members));
    for (uint32_t i = 0; i < json->count; i++) {
        const struct json_member *from = &json->is.members[i];
        members[i].key = json_tree_text(tree, from->key, strlen(from->key));
        members[i].value = json_tree_copy(tree, &from->value);
    }
    (void)!json_tree_object(tree, members, json->count, &copy); /* its keys differ already */
    free(members);
    return copy;
}

struct json json_tree_copy(struct json_tree *tree, const struct json *json)
{
    struct json copy = *json;
    if (json->kind == JSON_KIND_OBJECT)
        return copy_object(tree, json);
    if (json->kind == JSON_KIND_STRING)
        copy.is.text = json_tree_text(tree, json->is.text, json->count);
    if (json->kind != JSON_KIND_ARRAY)
        return copy;
    struct json *own = take(tree, (size_t)json->count * sizeof(*own));
    for (uint32_t i = 0; i < json->count; i++)
        own[i] = json_tree_copy(tree, &json->is.elements[i]);
    copy.is.elements = own;
    return copy;
}

const struct json *json_tree_find(const struct json *object, const char *key)
{
    if (object->count < INDEXED_FROM) {
        for (uint32_t i = 0; i < object->count; i++) {
            const struct json_member *member = &object->is.members[i];
            if (member->key[0] == key[0] && strcmp(member->key, key) == 0)
                return &member->value;
        }
        return NULL;
    }
    const struct json_member wanted = {.key = key};
    const struct json_member *pointer = &wanted;
    const struct json_member *const *found =
        bsearch((const void *)&pointer, (const void *)index_of(object), object->count,
                sizeof(struct json_member *), compare_keys);
    return found ? &(*found)->value : NULL;
}
