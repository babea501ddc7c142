/*
 * canonical.h - the one text that JSON values with equal content have. Pure.
 *
 * Keys sorted by their bytes, no blanks; numbers by value: 1, 1.0 and 1e0 are "1", -0 is
 * "0", other reals are the first of 15, 16 and 17 significant digits that reads back to the
 * same double; strings as str_add_json() writes them. (RFC 8785 sorts keys by UTF-16 units
 * and writes some numbers in another way; nobody else has to make this text.) Size and depth
 * are bounded by what json_parse() takes.
 */
#ifndef DEVS_CANONICAL_H
#define DEVS_CANONICAL_H

#include "json.h"
#include "str.h"

enum { CANONICAL_HASH_BYTES = 32 };

/* Append the canonical text. NULL is written as null. */
void canonical_write(const struct json *json, struct str *out);

/* As canonical_write(), but each element and each member begins a line: for who looks at
 * lines. */
void canonical_write_lines(const struct json *json, struct str *out);

/* SHA-256 of the canonical text. */
void canonical_hash(const struct json *json, unsigned char out[CANONICAL_HASH_BYTES]);

#endif
