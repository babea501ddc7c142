#include "policy_list.h"

#include <stdio.h>
#include <string.h>

/* The last one of that name among the first `count`: an inner one comes later. */
static int find_among(const struct policy_list *list, int count, const char *name)
{
    for (int i = count - 1; i >= 0; i--) {
        if (strcmp(list->items[i].name, name) == 0)
            return i;
    }
    return -1;
}

const struct policy *policy_list_find(const struct policy_list *list, const char *name)
{
    int found = find_among(list, list->count, name);
    return found >= 0 ? &list->items[found] : policy_named(name);
}

const struct policy *policy_list_find_outer(const struct policy_list *list, const char *name)
{
    int found = find_among(list, list->inner, name);
    return found >= 0 ? &list->items[found] : policy_named(name);
}

int policy_list_inner(const struct policy_list *list, const char *name)
{
    int found = find_among(list, list->count, name);
    return found >= list->inner ? found : -1;
}

void policy_list_names(const struct policy_list *list, const char *except, struct str *out)
{
    const struct policy *builtin;
    for (size_t i = 0; (builtin = policy_builtin(i)) != NULL; i++)
        str_addf(out, "%s%s", i > 0 ? ", " : "", builtin->name);
    int named = 0;
    for (int i = list->count - 1; i >= 0 && named < POLICY_LIST_NAMED; i--) {
        const char *name = list->items[i].name;
        if (policy_named(name) || (except && strcmp(name, except) == 0))
            continue;
        str_addf(out, ", %s", name);
        named++;
    }
    str_add(out, named == POLICY_LIST_NAMED ? ", ..." : "");
}

void policy_rename(struct policy *policy, const char *name)
{
    memset(policy->name, 0, sizeof(policy->name));
    (void)snprintf(policy->name, sizeof(policy->name), "%s", name); /* cut where it is too long */
}
