/*
 * json_tree.h - what a struct json is: a tree whose values lie in a few blocks of memory. Private
 * to base.
 */
#ifndef DEVS_JSON_TREE_H
#define DEVS_JSON_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "json.h"

struct json_member;

struct json {
    enum json_kind kind;
    uint32_t count; /* members, elements, bytes of a string */
    union {
        int64_t integer;
        double real;
        const char *text; /* NUL behind it */
        const struct json *elements;
        const struct json_member *members; /* many of them have an index behind them */
    } is;                                  /* all within the tree's own blocks */
};

struct json_member {
    const char *key; /* NULL: an element of an array that is not complete yet */
    struct json value;
};

enum { JSON_TREE_COUNT_MAX = INT32_MAX }; /* values of one object or array, bytes of one string */

/* A tree in the making; its root lies in the first block. */
struct json_block;
struct json_tree {
    struct json_block *first, *last; /* owned until json_tree_root() */
};

/* For about so many bytes; there may be more. */
void json_tree_begin(struct json_tree *tree, size_t bytes);
/* Give up. */
void json_tree_drop(struct json_tree *tree);
/* The tree with this value as its root: json_free() ends it. */
ATTR_MUST_USE struct json *json_tree_root(struct json_tree *tree, const struct json *root);

/* A copy of the bytes with a NUL behind, within the tree. */
ATTR_MUST_USE const char *json_tree_text(struct json_tree *tree, const char *bytes, size_t len);
/* A value of what it holds, copied into the tree; members also get their index. False: two members
 * have one key. */
ATTR_MUST_USE bool json_tree_object(struct json_tree *tree, const struct json_member *members,
                                    size_t count, struct json *out);
/* An array of the elements' values; their keys are not looked at. Cannot fail. */
struct json json_tree_array(struct json_tree *tree, const struct json_member *elements,
                            size_t count);
/* The same value within this tree. */
struct json json_tree_copy(struct json_tree *tree, const struct json *json);

/* Member of an object, NULL if there is none. O(log members). */
const struct json *json_tree_find(const struct json *object, const char *key);

/* Read plain JSON: false where it is none, or is unusual (real numbers with many digits, U+0000,
 * deep nesting): the library says what it is. */
ATTR_MUST_USE bool json_read(const char *text, size_t len, struct json **out);

#endif
