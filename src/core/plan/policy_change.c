#include "policy_change.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "plan_policy.h"
#include "plan_reader.h"
#include "policy_change_parts.h"
#include "policy_list.h"
#include "xalloc.h"

#define EVERY "every-step" /* what the policy of every step is called while it is checked */

static const char starts[] = "infrastructure"; /* the policy of starts that fail */

/* {"like": NAME} for who says no more than a name. */
static const struct json *object_of(struct policy_change *change, const struct json *policy)
{
    const char *name = json_text(policy, NULL);
    struct str text = {0};
    if (!name)
        return policy;
    str_add_char(&text, '{');
    str_json_text(&text, "like", name);
    str_add_char(&text, '}');
    if (!json_parse(str_text(&text), text.len, &change->made, NULL, NULL))
        change->made = NULL; /* then nothing is said */
    str_done(&text);
    return change->made;
}

static void sort_out(struct policy_change *change)
{
    const struct json *root = change->root;
    const struct json *policy = json_get(root, "policy");
    change->named = json_get(root, "policies");
    if (policy)
        change->every = object_of(change, policy);
    else if (!change->named)
        change->every = root;
}

/* What is wrong, in the places of the file. */
static void move_violations(const struct violations *from, const char *prefix, const char *instead,
                            struct violations *to)
{
    const size_t len = strlen(prefix);
    for (size_t i = 0; i < from->count; i++) {
        const struct violation *one = &from->items[i];
        const bool has = strncmp(one->path, prefix, len) == 0;
        struct str path = {0};
        str_addf(&path, "%s%s", has ? instead : "", one->path + (has ? len : 0));
        violations_add(to, one->code, str_text(&path), one->message, one->expected, one->actual);
        str_done(&path);
    }
}

/* The values as settings say policies; `name` NULL: they are an object of policies. */
static bool check(const struct json *value, const char *name, const char *place,
                  struct settings *out, struct violations *violations)
{
    struct violations wrong = {0};
    struct str text = {0};
    struct str prefix = {0};
    str_add(&text, "{\"policies\":");
    str_add(&prefix, "/policies");
    if (name) {
        str_addf(&text, "{\"%s\":", name);
        str_addf(&prefix, "/%s", name);
    }
    json_write(&text, value);
    str_add(&text, name ? "}}" : "}");
    const bool ok = settings_parse(str_text(&text), text.len, out, &wrong);
    move_violations(&wrong, str_text(&prefix), place, violations);
    violations_done(&wrong);
    str_done(&prefix);
    str_done(&text);
    return ok;
}

static bool check_all(struct policy_change *change, struct violations *violations)
{
    const bool in_key = json_get(change->root, "policy") != NULL;
    bool ok = true;
    if (change->every)
        ok = check(change->every, EVERY, in_key ? "/policy" : "", &change->of_every, violations);
    if (change->named)
        ok = check(change->named, NULL, "/policies", &change->by_name, violations) && ok;
    return ok;
}

bool policy_change_read(const char *text, size_t len, struct policy_change **out,
                        struct violations *violations)
{
    struct policy_change *change = xcalloc(1, sizeof(*change));
    change->root = plan_reader_json(text, len, POLICY_CHANGE_BYTES_MAX, violations);
    bool ok = change->root != NULL;
    if (ok) {
        sort_out(change);
        ok = check_all(change, violations);
    }
    if (ok)
        *out = change;
    else
        policy_change_free(change);
    return ok;
}

void policy_change_free(struct policy_change *change)
{
    if (!change)
        return;
    settings_done(&change->of_every);
    settings_done(&change->by_name);
    json_free(change->made);
    json_free(change->root);
    free(change);
}

/* The policy as `value` has it; `whole`: the same as settings, with all that it is like. */
static void change_policy(struct policy *policy, const struct json *value,
                          const struct policy *whole)
{
    static const struct json_pointer nowhere = {0};
    const struct violations shape = {0};
    struct violations unsaid = {0};
    char name[POLICY_NAME_MAX + 1];
    memcpy(name, policy->name, sizeof(name));
    if (json_get(value, "like")) {
        *policy = *whole;
    } else {
        struct plan_reader reader = {.shape = &shape, .violations = &unsaid, .policy = policy};
        plan_policy_read_fields(&reader, &nowhere, value);
    }
    policy_rename(policy, name);
    violations_done(&unsaid);
}

/* The plan's policy of that name, to be changed; a built-in one as the plan's own from now. NULL:
 * there is none. */
static struct policy *policy_to_change(struct plan *plan, const char *name)
{
    for (int i = plan->policy_count - 1; i >= 0; i--) {
        if (strcmp(plan->policies[i].name, name) == 0)
            return &plan->policies[i];
    }
    const struct policy *builtin = policy_named(name);
    if (!builtin)
        return NULL;
    assert(plan->policy_count < PLAN_POLICY_ROOM); /* no more than PLAN_POLICY_BUILTIN of these */
    struct policy *own = &plan->policies[plan->policy_count++];
    *own = *builtin;
    return own;
}

static void change_every(const struct policy_change *change, struct plan *plan)
{
    const struct policy *whole = settings_policy(&change->of_every, EVERY);
    const struct policy *builtin;
    for (size_t i = 0; (builtin = policy_builtin(i)); i++)
        (void)policy_to_change(plan, builtin->name);
    for (int i = 0; i < plan->policy_count; i++) {
        if (strcmp(plan->policies[i].name, starts) != 0)
            change_policy(&plan->policies[i], change->every, whole);
    }
    if (plan->own_policy)
        change_policy(plan->own_policy, change->every, whole);
    for (int i = 0; i < plan->task_count; i++) {
        for (int k = 0; k < plan->tasks[i].step_count; k++) {
            struct policy *own = plan->tasks[i].steps[k].own_policy;
            if (own)
                change_policy(own, change->every, whole);
        }
    }
}

static void change_named(const struct policy_change *change, struct plan *plan)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    while (json_next(change->named, &iter, &name, &value)) {
        struct policy *policy = plan_reader_is_comment(name) ? NULL : policy_to_change(plan, name);
        if (policy)
            change_policy(policy, value, settings_policy(&change->by_name, name));
    }
}

/* What had a built-in policy has the plan's own of that name. */
static const struct policy *in_sight(const struct plan *plan, const struct policy *policy)
{
    return policy == policy_named(policy->name) ? plan_policy_find(plan, policy->name) : policy;
}

void policy_change_apply(const struct policy_change *change, struct plan *plan)
{
    if (change->every)
        change_every(change, plan);
    change_named(change, plan);
    plan->policy = in_sight(plan, plan->policy);
    for (int i = 0; i < plan->task_count; i++) {
        for (int k = 0; k < plan->tasks[i].step_count; k++) {
            struct plan_step *step = &plan->tasks[i].steps[k];
            step->policy = in_sight(plan, step->policy);
        }
    }
}
