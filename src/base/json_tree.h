/*
 * json_tree.h - a JSON tree while it is built. Private to base.
 */
#ifndef DEVS_JSON_TREE_H
#define DEVS_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

struct json {
    enum json_kind kind;
    uint32_t count; /* bytes of a string, elements, members */
    union {
        const char *text;
        int64_t integer;
        double real;
        const struct json *elements;
        const struct json_member *members;
    } is;
};

struct json_member {
    const char *key;
    struct json value;
};

struct json_tree {
    struct json root; /* the first member, so that json_free() finds the tree */
    struct block *blocks;
    char *part;  /* start of the next part */
    size_t left; /* bytes after `part` */
    size_t block_bytes;
};

/* Returns a tree without a value. The caller frees it, or returns its root as a value that
 * json_free() frees. */
struct json_tree *json_tree_new(void);
void json_tree_free(struct json_tree *tree);
/* Returns uninitialized memory that the tree owns. */
void *json_tree_part(struct json_tree *tree, size_t count, size_t size);
/* Makes an object with a copy of the members, whose keys and values belong to the tree. Returns
 * false if two keys are equal. */
bool json_tree_object(struct json_tree *tree, const struct json_member *members, size_t count,
                      struct json *out);

#endif
