/*
 * json_repair.h - JSON as programs print it, made fit for a strict reader. Pure.
 */
#ifndef DEVS_JSON_REPAIR_H
#define DEVS_JSON_REPAIR_H

#include <stddef.h>

#include "str.h"

/* Append the text with what a strict reader refuses, and no program means,
 * replaced: the escape of U+0000 by that of U+0001, half a surrogate pair by
 * U+FFFD, bytes that are not UTF-8 by '?'. */
void json_repair(struct str *out, const char *text, size_t len);

#endif
