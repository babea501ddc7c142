/*
 * rule_list.h - a person's rules as JSON text: the list that classifier_open() takes.
 * Pure; any thread.
 */
#ifndef DEVS_RULE_LIST_H
#define DEVS_RULE_LIST_H

#include "attr.h"
#include "err.h"
#include "str.h"

enum { RULE_LIST_BYTES_MAX = 1024 * 1024 };

/* Append to *out the list `rules` (NULL: an empty one) with `rule`, the text of one rule
 * or of a list of them. A rule of a name that is there already takes its place, a new one
 * comes last. ERR_INVALID if one of the texts is no such thing; what a rule says is for
 * classifier_open() to check. */
ATTR_MUST_USE bool rule_list_add(const char *rules, const char *rule, struct str *out,
                                 struct err *err);

struct json;
/* What a rule is called; "" if it has no name. Owned by the rule. */
const char *rule_list_name(const struct json *rule);

#endif
