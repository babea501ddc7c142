/*
 * json_text.h - the letters of a JSON string that stand for themselves, found eight at a time.
 * Private to base.
 */
#ifndef DEVS_JSON_TEXT_H
#define DEVS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes, from the first on, are printing ASCII and stand for themselves within a string.
 */
size_t json_text_plain(const char *bytes, size_t len);
/* Do all of them? */
bool json_text_is_plain(const char *bytes, size_t len);

#endif
