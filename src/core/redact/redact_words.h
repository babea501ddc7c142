/*
 * redact_words.h - which values are secrets, by their names and by what they look like.
 */
#ifndef DEVS_REDACT_WORDS_H
#define DEVS_REDACT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Is the name in the list? An entry that ends in '*' stands for all that begin so. NULL list:
 * no. */
bool redact_is_listed(char *const *list, const char *name);

/* May a value be a secret, whatever its name says? Not if it is shorter than REDACT_VALUE_MIN, a
 * path, a short number, a word that everybody has, one character or two again and again, or has
 * a mark where a secret was. */
bool redact_may_be_secret(const char *value, size_t len);

#endif
