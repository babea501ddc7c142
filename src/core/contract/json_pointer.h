/*
 * json_pointer.h - a place in a JSON document, and its text as RFC 6901 has it. Pure.
 */
#ifndef DEVS_JSON_POINTER_H
#define DEVS_JSON_POINTER_H

#include <stddef.h>

#include "json.h"
#include "str.h"

/* A step on the way down; lives on the stack of who walks. */
struct json_pointer {
    const struct json_pointer *up; /* borrowed; NULL for the whole document */
    const char *key;               /* borrowed; NULL: an element of an array */
    size_t index;                  /* of the element, or of the member within its object */
};

/* Append "/tasks/0/steps", "" for the whole document; not much more than `max` bytes of it.
 * As deep a recursion as the document is nested. */
void json_pointer_add(struct str *out, const struct json_pointer *pointer, size_t max);

/* The value that the pointer's text names within `root`; NULL if there is none, or the text is
 * no pointer. */
const struct json *json_pointer_find(const struct json *root, const char *text);

#endif
