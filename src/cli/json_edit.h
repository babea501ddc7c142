/*
 * json_edit.h - changes to a JSON text that leave all else in it as it is written.
 *
 * The text must be valid JSON whose root is an object: json_parse() has seen it. Pure.
 */
#ifndef DEVS_JSON_EDIT_H
#define DEVS_JSON_EDIT_H

#include <stdbool.h>
#include <stddef.h>

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
/* Member `index` of the object at `object`; false past the last. */
bool json_edit_member_at(const char *text, struct json_span object, size_t index,
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

#endif
