/*
 * schema_words.h - describes one of our own schemas for people: each key with its kind, its limits
 * and its meaning. Any thread.
 */
#ifndef DEVS_SCHEMA_WORDS_H
#define DEVS_SCHEMA_WORDS_H

#include "str.h"

/* Appends a paragraph for each key, separated by blank lines: the key ("policies.NAME.like";
 * NAME is any name, [] each value of a list), then indented lines with its kind and its
 * description. `schema` is the text of a valid schema. Definitions shared by several keys are
 * described once. */
void schema_words(const char *schema, struct str *out);

#endif
