/*
 * json_scan.h - JSON text read and copied without building a tree: for the texts of events, of
 * which a log has a million. Allocates nothing but what it appends to a str. For everything else
 * use json.h. Any thread.
 */
#ifndef DEVS_JSON_SCAN_H
#define DEVS_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "str.h"

/* The text of a value, a part of the text that was searched. */
struct json_piece {
    const char *text; /* borrowed; NULL = there is none */
    size_t len;       /* bytes */
};

/* The member of this name of the object in the text; the first one if there are two. `key` is plain
 * ASCII. If the text is not JSON the answer may be anything, but no byte beyond `len` is read. */
struct json_piece json_scan_get(const char *text, size_t len, const char *key);
/* Append the characters of a string, without quotes and with its escapes decoded; false if the
 * piece is not a string. Bytes that are not UTF-8 stay as they are. */
bool json_scan_text(struct json_piece piece, struct str *out);
/* The integer, or `otherwise`. */
int64_t json_scan_i64(struct json_piece piece, int64_t otherwise);

enum { JSON_LINE_DEPTH_MAX = 2048 }; /* of nested objects and arrays; json.h allows as many */

/* Check that the text is one JSON value (RFC 8259) and append it, byte for byte except for the
 * blanks between its tokens. False, and nothing is appended: it is not, or it is nested deeper than
 * JSON_LINE_DEPTH_MAX. Duplicate keys are allowed. */
ATTR_MUST_USE bool json_line_add(const char *text, size_t len, struct str *out);

#endif
