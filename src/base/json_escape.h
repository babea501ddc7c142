/*
 * json_escape.h - finds characters that need no escape in a JSON string. Private to base.
 */
#ifndef DEVS_JSON_ESCAPE_H
#define DEVS_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of leading bytes that are printable ASCII and need no escape in a string. */
size_t json_plain_len(const char *bytes, size_t len);
/* Returns true if all bytes are printable ASCII and need no escape. */
bool json_is_plain(const char *bytes, size_t len);

#endif
