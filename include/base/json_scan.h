/*
 * json_scan.h - reads and copies JSON text without building a tree, for event texts: a log can have
 * a million. Allocates nothing except when appending to a str. Use json.h for everything else. Any
 * thread.
 */
#ifndef DEVS_JSON_SCAN_H
#define DEVS_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

/* The text of a value: a slice of the text that was searched. */
struct json_piece {
    const char *text; /* borrowed; NULL if not found */
    size_t len;       /* bytes */
};

/* Finds the member with this name in the object; the first one if there are duplicates. `key` is
 * plain ASCII. If the text is not valid JSON the result is unspecified, but no byte beyond `len` is
 * read. */
struct json_piece json_scan_get(const char *text, size_t len, const char *key);
/* Appends the contents of a string, without quotes and with escapes decoded. Returns false if the
 * piece is not a string. Bytes that are not UTF-8 are copied unchanged. */
bool json_scan_text(struct json_piece piece, struct str *out);
/* Returns the integer, or `otherwise`. */
int64_t json_scan_i64(struct json_piece piece, int64_t otherwise);

enum { JSON_LINE_DEPTH_MAX = 2048 }; /* nested objects and arrays; the same limit as in json.h */

/* Checks that the text is one JSON value (RFC 8259) and appends it byte for byte, without the
 * whitespace between tokens. Returns false and appends nothing if it is not, or if it is nested
 * deeper than JSON_LINE_DEPTH_MAX. Duplicate keys are allowed. */
ATTR_MUST_USE bool json_line_add(const char *text, size_t len, struct str *out);

#endif
