/* json_edit.h - changes the text of JSON, with or without comments, and leaves everything else
 * unchanged.
 *
 * The text must be valid JSON whose root is an object, checked by json_parse(). Pure. */
#ifndef DEVS_JSON_EDIT_H
#define DEVS_JSON_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* A part of the text: the bytes from start up to end. */
struct json_span {
    size_t start, end;
};

/* Returns the root, which is an object. */
struct json_span json_edit_root(const char *text);
/* Finds the value of the root's member `key`. Returns false if there is none. */
bool json_edit_member(const char *text, const char *key, struct json_span *out);
/* A member of an object: its name and its value. */
struct json_member {
    struct json_span name, value;
};
/* Finds member `key` of the object at `object`, the first one if there are several. Returns
 * false if there is none. */
bool json_edit_member_of(const char *text, struct json_span object, const char *key,
                         struct json_member *out);
/* Finds element `index` of the list at `list`. Returns false past the last. */
bool json_edit_element(const char *text, struct json_span list, size_t index,
                       struct json_span *out);

/* Replaces a part of the text by `value`. */
void json_edit_replace(struct str *text, struct json_span part, const char *value);
/* Adds `value` at the end of the list at `list`, on a line of its own if the last element has
 * one. */
void json_edit_append(struct str *text, struct json_span list, const char *value);
/* Adds a member at the end of the root. */
void json_edit_add_member(struct str *text, const char *key, const char *value);

struct json;

/* JSON text with comments, and the same text with blanks in place of everything that is not JSON:
 * positions are the same in both. All zero before jsonc_open(). */
struct jsonc {
    struct str text;   /* owned */
    struct str plain;  /* owned */
    struct json *tree; /* owned; the parsed text */
};

/* Opens the text; blank text becomes an empty object. Fails with ERR_INVALID if the text is not
 * JSON or not an object. The caller ends *out with jsonc_close(), also after an error. */
ATTR_MUST_USE bool jsonc_open(struct jsonc *out, const struct str *text, struct err *err);
void jsonc_close(struct jsonc *jsonc);

/* Adds an item at the end of the list or object at `container`, on lines of its own if the text has
 * several lines. In `item` a line feed starts a line, and a tab is one level of indentation. The
 * tree is updated. */
void jsonc_add(struct jsonc *jsonc, struct json_span container, const char *item);
/* Removes the item at `item` (for an object: from its name to its value) from the list or object
 * at `container`, with its comma. Comments stay. */
void jsonc_remove(struct jsonc *jsonc, struct json_span container, struct json_span item);

#endif
