/*
 * json_repair.h - repairs JSON that programs print, for strict parsers. Pure.
 */
#ifndef DEVS_JSON_REPAIR_H
#define DEVS_JSON_REPAIR_H

#include <stddef.h>

#include "str.h"

/* Appends the text, replacing sequences that strict parsers reject and no program prints on
 * purpose: the escape of U+0000 with that of U+0001, a lone surrogate with U+FFFD, and invalid
 * UTF-8 with '?'. */
void json_repair(struct str *out, const char *text, size_t len);

#endif
