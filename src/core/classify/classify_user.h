/*
 * classify_user.h - rules of a person, put among the built-in ones. Pure.
 */
#ifndef DEVS_CLASSIFY_USER_H
#define DEVS_CLASSIFY_USER_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum { USER_RULES_MAX = 200, USER_PATTERN_MAX = 1024 };

/* The text of the whole set, for rules_open(). `user` is a list of rules as
 * docs/classification.md has them, a whole set (an object), or NULL. ERR_INVALID names
 * the rule and what was expected. */
ATTR_MUST_USE bool user_rules_add(const char *built_in, size_t len, const char *user,
                                  struct str *out, struct err *err);

#endif
