/*
 * json.h - reading JSON; the one wrapper of jansson.
 *
 * A tree is owned by who parsed it (json_free); every `const struct json *`
 * that a function returns is borrowed from that tree. Functions that look
 * into a value take NULL and answer "nothing", so look-ups can be nested.
 * JSON text is written with str.h.
 */
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

/* Where a syntax error is: the first character of a token that is wrong, the last
 * one that was read where something within it is. Both count from 1, the column
 * in characters, not bytes. */
struct json_place {
    int line;
    int column;
};

/* Parse one JSON value; anything but blanks after it is an error, and so are
 * duplicate keys; the text may be NULL if it is empty. ERR_INVALID: *place (may be NULL) says
 * where, the message says why without the place. The caller ends *out with json_free(). */
ATTR_MUST_USE bool json_parse(const char *text, size_t len, struct json **out,
                              struct json_place *place, struct err *err);
/* The same for JSON that others write: strings may hold U+0000 (read them with json_bytes()),
 * and a number may be of any size: an integer out of int64 is read as the real nearest to it,
 * what is beyond DBL_MAX as DBL_MAX. */
ATTR_MUST_USE bool json_parse_data(const char *text, size_t len, struct json **out,
                                   struct json_place *place, struct err *err);
/* Does a value begin at text[0], whatever comes behind it? *read gets how many bytes of it
 * were read, also when it turned out to be none. */
bool json_begins(const char *text, size_t len, size_t *read);
/* How many values a text of JSON has at the most, as its commas and brackets say; no fewer than
 * `enough` where it stops to count. A text of nothing but brackets takes a hundred times its size
 * once it is parsed: ask before parsing what others wrote. */
size_t json_values_at_most(const char *text, size_t len, size_t enough);
/* Where the character is whose byte is text[offset]. */
struct json_place json_place_at(const char *text, size_t offset);

/* A tree of its own with the same value; NULL of NULL. The caller frees. */
ATTR_MUST_USE struct json *json_clone(const struct json *json);
/* Free a tree that is owned, with all that it holds. NULL is allowed. */
void json_free(struct json *json);

/* JSON_KIND_NONE of NULL. */
enum json_kind json_kind(const struct json *json);
/* "object", "array", "string", "integer", "number", "boolean", "null", "nothing". */
const char *json_kind_name(const struct json *json);

/* Member of an object, NULL if there is none (or `json` is no object). */
const struct json *json_get(const struct json *json, const char *key);
/* Element of an array. */
const struct json *json_at(const struct json *json, size_t index);
/* Elements of an array or members of an object; 0 for anything else. */
size_t json_count(const struct json *json);

/* Walk the members of an object in document order: start with *iter NULL,
 * returns false after the last. Key and value are borrowed. */
bool json_next(const struct json *object, void **iter, const char **key, const struct json **value);

/* The text of a string (NUL-terminated; JSON strings with U+0000 are refused
 * by json_parse), or `otherwise`. */
const char *json_text(const struct json *json, const char *otherwise);
/* The text of a string with its length in bytes, U+0000 and all; NULL and 0 of anything else. */
const char *json_bytes(const struct json *json, size_t *len);
/* A string of its own with this text, which is UTF-8. The caller frees. */
ATTR_MUST_USE struct json *json_new_text(const char *text);
/* The integer, or `otherwise`. */
int64_t json_i64(const struct json *json, int64_t otherwise);
/* An integer or real as double, or `otherwise`. */
double json_number(const struct json *json, double otherwise);
/* True or false, or `otherwise` for anything else. */
bool json_bool(const struct json *json, bool otherwise);

/* Append the compact text of a value; json_parse() of it gives the same value. */
void json_write(struct str *out, const struct json *json);
/* The same for people: members on lines of their own, and a line feed at the end. */
void json_write_indented(struct str *out, const struct json *json);

/* Compact text of a value, at most about `max` bytes and then "...", for messages; reals in it
 * with 15 digits. No more of the value is looked at than is shown. The caller frees. */
ATTR_MUST_USE char *json_brief(const struct json *json, size_t max);

#endif
