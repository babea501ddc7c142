/*
 * jsonc.h - JSON as people keep it in settings files, with comments and a comma behind the last
 * item: read, and changed in one place with all else as it was written. Pure.
 */
#ifndef DEVS_JSONC_H
#define DEVS_JSONC_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "json_edit.h"
#include "str.h"

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
