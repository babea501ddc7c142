/*
 * policy_list.h - the policies in sight of a document.
 *
 * An inner one hides an outer one of its name; the built-in ones are the outermost.
 */
#ifndef DEVS_POLICY_LIST_H
#define DEVS_POLICY_LIST_H

#include "policy.h"
#include "str.h"

enum { POLICY_LIST_NAMED = 12 };

struct policy_list {
    struct policy *items; /* whose, the user says */
    int count;
    int inner; /* the document's own begin here; before them are the outer ones */
};

/* The policy of that name, inner before outer before built-in; NULL = none. */
const struct policy *policy_list_find(const struct policy_list *list, const char *name);

/* Add their names, "a, b, c", the built-in ones first; of the others at most
 * POLICY_LIST_NAMED. `except` is left out (NULL: none). */
void policy_list_names(const struct policy_list *list, const char *except, struct str *out);

/* Give the policy a name, cut to POLICY_NAME_MAX bytes. */
void policy_rename(struct policy *policy, const char *name);

#endif
