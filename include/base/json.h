/*
 * json.h - JSON values; the only user of jansson.
 *
 * Whoever parsed a tree owns it (json_free); every `const struct json *` that a function returns is
 * borrowed from that tree. Functions that look into a value accept NULL and then answer "nothing",
 * so look-ups can be nested. A tree does not change: several threads may read it. New JSON text is
 * written with str.h.
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

/* Where a syntax error is: at the first character of a wrong token, or, if the error is within a
 * token, at the last character that was read. Both count from 1; columns are characters, not
 * bytes. */
struct json_place {
    int line;
    int column;
};

/* Parse one JSON value. Anything but blanks after it is an error, and so are duplicate keys. The
 * text may be NULL if it is empty. ERR_INVALID: *place (may be NULL) says where, the message says
 * why, without the place. The caller frees *out with json_free(). */
ATTR_MUST_USE bool json_parse(const char *text, size_t len, struct json **out,
                              struct json_place *place, struct err *err);
/* The same for JSON that others write: strings may contain U+0000 (read them with json_bytes()),
 * and an integer out of int64 is read as the nearest real. In a text that has one, reals without a
 * fraction, up to 2^53, are read as integers. */
ATTR_MUST_USE bool json_parse_data(const char *text, size_t len, struct json **out,
                                   struct json_place *place, struct err *err);
/* Does a value begin at text[0], whatever comes after it? *read gets the number of bytes that were
 * read, also if there is no value. */
bool json_begins(const char *text, size_t len, size_t *read);
/* An upper bound for the number of values in a JSON text, from its commas and brackets; stops
 * counting at `enough`. A text that is nothing but brackets takes a hundred times its size once it
 * is parsed: ask before parsing what others wrote. */
size_t json_values_at_most(const char *text, size_t len, size_t enough);
/* The place of the character that contains the byte text[offset]. */
struct json_place json_place_at(const char *text, size_t offset);

/* The same value, kept after its tree is freed; NULL for NULL. The caller frees. */
ATTR_MUST_USE struct json *json_clone(const struct json *json);
/* Free an owned tree. NULL is allowed. */
void json_free(struct json *json);

/* JSON_KIND_NONE for NULL. */
enum json_kind json_kind(const struct json *json);
/* "object", "array", "string", "integer", "number", "boolean", "null", "nothing". */
const char *json_kind_name(const struct json *json);

/* Member of an object, NULL if there is none (or `json` is not an object). */
const struct json *json_get(const struct json *json, const char *key);
/* Element of an array, NULL if there is none. */
const struct json *json_at(const struct json *json, size_t index);
/* Elements of an array or members of an object; 0 for anything else. */
size_t json_count(const struct json *json);

/* Walk the members of an object in document order: start with *iter NULL,
 * returns false after the last. Key and value are borrowed. */
bool json_next(const struct json *object, void **iter, const char **key, const struct json **value);

/* The text of a string, NUL-terminated, or `otherwise`. */
const char *json_text(const struct json *json, const char *otherwise);
/* The text of a string, which may contain U+0000, with its length in bytes; NULL and 0 for anything
 * else. */
const char *json_bytes(const struct json *json, size_t *len);
/* A string with a copy of this UTF-8 text. The caller frees. */
ATTR_MUST_USE struct json *json_new_text(const char *text);
/* The integer, or `otherwise`. */
int64_t json_i64(const struct json *json, int64_t otherwise);
/* An integer or real as double, or `otherwise`. */
double json_number(const struct json *json, double otherwise);
/* True or false, or `otherwise` for anything else. */
bool json_bool(const struct json *json, bool otherwise);

/* Append the compact text of a value; json_parse() reads the same value from it. */
void json_write(struct str *out, const struct json *json);
/* The same for people: each member on its own line, and a line feed at the end. */
void json_write_indented(struct str *out, const struct json *json);

/* Compact text of a value for messages: at most about `max` bytes and then "...", a real with 15
 * digits. Looks at no more of the value than it shows. The caller frees. */
ATTR_MUST_USE char *json_brief(const struct json *json, size_t max);

#endif
