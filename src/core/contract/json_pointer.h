/*
 * json_pointer.h - a position in a JSON document, and its text as in RFC 6901. Pure.
 */
#ifndef DEVS_JSON_POINTER_H
#define DEVS_JSON_POINTER_H

#include <stddef.h>

#include "json.h"
#include "str.h"

/* One level of the path; on the stack of the walk. */
struct json_pointer {
    const struct json_pointer *up; /* borrowed; NULL for the whole document */
    const char *key;               /* borrowed; NULL for an element of an array */
    size_t index;                  /* index of the element, or of the member within its object */
};

/* Appends "/tasks/0/steps", or "" for the whole document; about `max` bytes at most. Recurses as
 * deep as the document is nested. */
void json_pointer_add(struct str *out, const struct json_pointer *pointer, size_t max);

/* Returns the value at the pointer within `root`, or NULL if there is none or the pointer is
 * invalid. */
const struct json *json_pointer_find(const struct json *root, const char *text);

#endif
