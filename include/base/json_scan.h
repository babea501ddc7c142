/*
 * json_scan.h - one member of a JSON object's text, without a tree: for the texts of events, of
 * which a log has a million. Nothing is allocated but what is appended to a str. To read anything
 * else there is json.h. Any thread.
 */
#ifndef DEVS_JSON_SCAN_H
#define DEVS_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

/* The text of a value, within the text that was searched. */
struct json_piece {
    const char *text; /* borrowed; NULL = there is none */
    size_t len;       /* bytes */
};

/* The member of the object that the text is; of two of one name the first. `key` is plain
 * ASCII. Of a text that is no JSON some answer is given, but no byte beyond `len` is read. */
struct json_piece json_scan_get(const char *text, size_t len, const char *key);
/* Append what a string says, without quotes and escapes; false if the piece is no string. What is
 * no UTF-8 stays as it is. */
bool json_scan_text(struct json_piece piece, struct str *out);
/* The integer, or `otherwise`. */
int64_t json_scan_i64(struct json_piece piece, int64_t otherwise);

#endif
