/*
 * schema_words.h - what one of our own schemas says, for people: each key with its kind, its limits
 * and what it means. Any thread.
 */
#ifndef DEVS_SCHEMA_WORDS_H
#define DEVS_SCHEMA_WORDS_H

#include "str.h"

/* Append a paragraph for each key, an empty line between two: the key ("policies.NAME.like"; NAME
 * is any name, [] each value of a list), then indented lines: the kind, the words. `schema` is the
 * text of a schema that is known to be right. What several keys share is told once. */
void schema_words(const char *schema, struct str *out);

#endif
