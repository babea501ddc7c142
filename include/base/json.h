/* json.h - JSON values (no other module uses jansson), and event data, which is read without
 * building a tree.
 *
 * Whoever parses a tree owns it and frees it with json_free(). Every `const struct json *` that a
 * function returns is borrowed from that tree. Functions that inspect a value accept NULL and treat
 * it as a missing value, so look-ups can be nested. Trees are immutable: several threads may read
 * one. Use str.h to write JSON. */
#ifndef DEVS_JSON_H
#define DEVS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

struct json;

enum json_kind {
    JSON_KIND_NONE, /* no value (a missing key) */
    JSON_KIND_OBJECT,
    JSON_KIND_ARRAY,
    JSON_KIND_STRING,
    JSON_KIND_INTEGER,
    JSON_KIND_REAL,
    JSON_KIND_TRUE,
    JSON_KIND_FALSE,
    JSON_KIND_NULL,
    JSON_KIND_COUNT,
};

/* Position of a syntax error: the first character of a wrong token or, if the error is within a
 * token, the last character read. Lines and columns count from 1; columns are characters, not
 * bytes. */
struct json_place {
    int line;
    int column;
};

/* Parses one JSON value. Only whitespace may follow it, and duplicate keys are errors. The text may
 * be NULL if it is empty. Fails with ERR_INVALID; the message gives the reason and *place (may be
 * NULL) the position. The caller frees *out with json_free(). */
ATTR_MUST_USE bool json_parse(const char *text, size_t len, struct json **out,
                              struct json_place *place, struct err *err);
/* Like json_parse(), for JSON from other programs: strings may contain U+0000 (read them with
 * json_bytes()), and an integer outside int64 is read as the nearest real. */
ATTR_MUST_USE bool json_parse_data(const char *text, size_t len, struct json **out,
                                   struct json_place *place, struct err *err);
/* Returns true if a JSON value begins at text[0], whatever follows it. Sets *read to the number of
 * bytes read, even if there is no value. */
bool json_begins(const char *text, size_t len, size_t *read);
/* Returns an upper bound for the number of values in a JSON text, based on its commas and brackets;
 * stops counting at `enough`. Deeply nested input can grow 100x when parsed. Check untrusted text
 * with this function first. */
size_t json_values_at_most(const char *text, size_t len, size_t enough);
/* Returns the position of the character that contains the byte text[offset]. */
struct json_place json_place_at(const char *text, size_t offset);

/* Returns a copy that does not depend on its tree; NULL for NULL. The caller frees. */
ATTR_MUST_USE struct json *json_clone(const struct json *json);
/* Frees an owned tree, which may be NULL. */
void json_free(struct json *json);

/* Returns the type of the value; JSON_KIND_NONE for NULL. */
enum json_kind json_kind(const struct json *json);
/* Returns "object", "array", "string", "integer", "number", "boolean", "null" or "nothing". */
const char *json_kind_name(const struct json *json);

/* Returns a member of an object, NULL if there is none or `json` is not an object. */
const struct json *json_get(const struct json *json, const char *key);
/* Returns an element of an array, NULL if there is none. */
const struct json *json_at(const struct json *json, size_t index);
/* Returns the number of array elements or object members; 0 for anything else. */
size_t json_count(const struct json *json);

/* Iterates over the members of an object in document order. Start with *iter set to NULL; returns
 * false after the last member. Key and value are borrowed. */
bool json_next(const struct json *object, void **iter, const char **key, const struct json **value);

/* Returns the NUL-terminated text of a string, or `otherwise`. */
const char *json_text(const struct json *json, const char *otherwise);
/* Returns the text of a string, which may contain U+0000, and sets *len to its length in bytes.
 * Returns NULL and sets *len to 0 for anything else. */
const char *json_bytes(const struct json *json, size_t *len);
/* Returns a new string value with a copy of this UTF-8 text. The caller frees. */
ATTR_MUST_USE struct json *json_new_text(const char *text);
/* Returns the integer, or `otherwise`. */
int64_t json_i64(const struct json *json, int64_t otherwise);
/* Returns an integer or real as double, or `otherwise`. */
double json_number(const struct json *json, double otherwise);
/* Returns a boolean, or `otherwise` for anything else. */
bool json_bool(const struct json *json, bool otherwise);

/* Appends the compact text of a value; json_parse() reads the same value from it. */
void json_write(struct str *out, const struct json *json);
/* Like json_write(), for people: one member per line, and a line feed at the end. */
void json_write_indented(struct str *out, const struct json *json);

/* Returns compact text of a value for messages: at most about `max` bytes, then "..."; reals have
 * 15 digits. Visits only the part of the value that is shown. The caller frees. */
ATTR_MUST_USE char *json_brief(const struct json *json, size_t max);

/* Reads and copies JSON text without building a tree, for event data: a log can have a million
 * events. Allocates nothing except when appending to a str. Use the functions above for everything
 * else. Any thread. */

/* The text of a value: a slice of the text that was searched. */
struct json_piece {
    const char *text; /* borrowed; NULL if not found */
    size_t len;       /* bytes */
};

/* Steps through the members of an object, or the items of an array. */
struct json_members {
    const char *text; /* borrowed */
    size_t len, at;
    bool is_over; /* the closing brace or bracket was reached */
};
/* Returns an iterator before the first member of the object, or the first item of the array. */
struct json_members json_members(const char *text, size_t len);
/* Finds the next member. The key is without its quotes and with escapes as they are; `value` is not
 * empty. Returns false after the last member, or if the text is not JSON; no byte beyond the text
 * is read. */
bool json_members_next(struct json_members *members, struct json_piece *key,
                       struct json_piece *value);
/* Like json_members_next(), for the items of an array. */
bool json_items_next(struct json_members *items, struct json_piece *value);
/* Returns true if the object or array has ended and is followed only by whitespace. */
bool json_members_are_over(const struct json_members *members);
/* Appends the contents of a string, without quotes and with escapes decoded. Returns false if the
 * piece is not a string. Bytes that are not UTF-8 are copied unchanged. */
bool json_scan_text(struct json_piece piece, struct str *out);
/* Returns the integer, or `otherwise`. */
int64_t json_scan_i64(struct json_piece piece, int64_t otherwise);

enum { JSON_LINE_DEPTH_MAX = 2048 }; /* nested objects and arrays; as in json_parse() */

/* Returns true if the text is one JSON value (RFC 8259), nested no deeper than JSON_LINE_DEPTH_MAX.
 * Duplicate keys are allowed. */
bool json_check(const char *text, size_t len);
/* Checks that the text is one JSON value (RFC 8259) and appends it byte for byte, without the
 * whitespace between tokens. Returns false and appends nothing if it is not, or if it is nested
 * deeper than JSON_LINE_DEPTH_MAX. Duplicate keys are allowed. */
ATTR_MUST_USE bool json_line_add(const char *text, size_t len, struct str *out);

#endif
