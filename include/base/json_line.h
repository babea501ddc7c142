/*
 * json_line.h - JSON text of others checked and put into a line of ours, without a tree. Any
 * thread.
 */
#ifndef DEVS_JSON_LINE_H
#define DEVS_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "str.h"

enum { JSON_LINE_DEPTH_MAX = 2048 }; /* objects and arrays within one another, as json.h has it */

/* Append the one JSON value that the text is (RFC 8259), byte for byte but for the blanks between
 * its tokens. False: it is none, or nested deeper than JSON_LINE_DEPTH_MAX, and nothing is
 * appended. Keys may come twice. */
ATTR_MUST_USE bool json_line_add(const char *text, size_t len, struct str *out);

#endif
