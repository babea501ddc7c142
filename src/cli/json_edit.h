/*
 * json_edit.h - changes to the text of JSON, or of JSON with comments, that leave everything else
 * in it as it was written.
 *
 * The text must be valid JSON whose root is an object: json_parse() has seen it. Pure.
 */
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

/* The root: an object. */
struct json_span json_edit_root(const char *text);
/* The value of the root's member `key`; false if there is none. */
bool json_edit_member(const char *text, const char *key, struct json_span *out);
/* Member `key` of the object at `object`: its name and its value. */
struct json_member {
    struct json_span name, value;
};
/* False if it has no such member; the first one where several are called so. */
bool json_edit_member_of(const char *text, struct json_span object, const char *key,
                         struct json_member *out);
/* Element `index` of the list at `list`; false past the last. */
bool json_edit_element(const char *text, struct json_span list, size_t index,
                       struct json_span *out);

/* Put `value` in the place of a part of the text. */
void json_edit_replace(struct str *text, struct json_span part, const char *value);
/* Add `value` at the end of the list at `list`, on a line of its own where the last
 * element has one. */
void json_edit_append(struct str *text, struct json_span list, const char *value);
/* Add a member at the end of the root. */
void json_edit_add_member(struct str *text, const char *key, const char *value);

struct json;

/* A text and the same one with blanks for what JSON does not know: places in one are places in
 * the other. All zero before jsonc_open(). */
struct jsonc {
    struct str text;   /* owned */
    struct str plain;  /* owned */
    struct json *tree; /* owned; of both */
};

/* Text with nothing in it becomes an empty object. ERR_INVALID: no JSON, or no object. The caller
 * ends *out with jsonc_close(), also after a failure. */
ATTR_MUST_USE bool jsonc_open(struct jsonc *out, const struct str *text, struct err *err);
void jsonc_close(struct jsonc *jsonc);

/* Put an item at the end of the list or object at `container`, on lines of its own where the
 * text has lines: in `item` a line feed begins a line and a tab is one step of indent. The tree
 * is that of the new text. */
void jsonc_add(struct jsonc *jsonc, struct json_span container, const char *item);
/* Take the item at `item` (of an object: from its name to its value) out of the list or object
 * at `container`, with the comma that it needed. Comments stay. */
void jsonc_remove(struct jsonc *jsonc, struct json_span container, struct json_span item);

#endif
