/* policy_change.c - reads a change of policies and applies it to a plan.
 *
 * The values are checked like settings, and the errors then get their positions in the file. A
 * changed built-in policy is added to the plan. */
#include "what_if.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "plan_internal.h"
#include "settings.h"
#include "shown.h"
#include "xalloc.h"

struct policy_change {
    struct json *root;        /* owned */
    const struct json *every; /* the change for every step, an object; NULL = none */
    struct json *made;        /* owned; if `every` is a name: the object made from it */
    const struct json *named; /* the changes by policy name, an object; NULL = none */
    struct settings of_every; /* `every` read as settings, with inherited values; `by_name`: the
                                 same for `named` */
    struct settings by_name;
};

/* Appends a numeric field of a policy as text; nothing if `key` is not in the table. */
static void add_number(const char *key, const struct json *value, struct str *out)
{
    static const struct {
        const char *key, *before, *behind, *behind_one, *none;
        bool is_time;
    } rows[] = {
        {"max_attempts", "", " tries", " try", NULL, false},
        {"base_delay_ms", "base ", "", NULL, NULL, true},
        {"multiplier", "x", "", NULL, NULL, false},
        {"cap_ms", "cap ", "", NULL, NULL, true},
        {"window", "stops after ", " equal results", NULL, "ignores equal results", false},
        {"same_stops", "stops after ", " equal results", NULL, "ignores equal results", false},
        {"unchanged_stops", "stops after ", " equal results on an unchanged tree", NULL,
         "ignores equal results on an unchanged tree", false},
        {"retry_after_cap_ms", "waits up to ", " for a server", NULL, "ignores the server's hints",
         true},
        {"deadline_ms", "within ", "", NULL, "no deadline", true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].key, key) != 0)
            continue;
        const double number = json_number(value, 0);
        if (number == 0 && rows[i].none) {
            str_add(out, rows[i].none);
            return;
        }
        str_add(out, rows[i].before);
        if (rows[i].is_time)
            shown_seconds((int64_t)number, out);
        else
            str_add_number(out, number);
        str_add(out, number == 1 && rows[i].behind_one ? rows[i].behind_one : rows[i].behind);
    }
}

static void add_list(const char *before, const struct json *list, struct str *out)
{
    str_add(out, before);
    for (size_t i = 0; i < json_count(list); i++)
        str_addf(out, "%s%s", i > 0 ? " or " : " ", json_text(json_at(list, i), ""));
    str_add(out, json_count(list) == 0 ? " nothing" : "");
}

static void add_field(const char *key, const struct json *value, struct str *out)
{
    const char *word = json_text(value, NULL);
    if (strcmp(key, "like") == 0)
        str_addf(out, "like %s", json_text(value, ""));
    else if (strcmp(key, "retry_on") == 0)
        add_list("retries on", value, out);
    else if (strcmp(key, "phases") == 0)
        add_list("retries in", value, out);
    else if (strcmp(key, "retry_timeouts") == 0)
        str_add(out, json_bool(value, false) ? "retries after a timeout"
                                             : "does not retry after a timeout");
    else if (strcmp(key, "exhausted") == 0)
        str_addf(out, "used up: %s", json_text(value, ""));
    else if (strcmp(key, "jitter") == 0 && word)
        str_addf(out, "jitter %s", word);
    else if (strcmp(key, "jitter") == 0)
        str_addf(out, "jitter %.3g", json_number(value, 0));
    else
        add_number(key, value, out);
}

static void add_policy(const struct json *policy, struct str *out)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    bool any = false;
    while (json_next(policy, &iter, &key, &value)) {
        if (field_is_comment(key))
            continue;
        str_add(out, any ? ", " : "");
        add_field(key, value, out);
        any = true;
    }
    str_add(out, any ? "" : "unchanged");
}

void policy_change_words(const struct policy_change *change, struct str *out)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    bool any = change->every != NULL;
    if (any)
        add_policy(change->every, out);
    while (json_next(change->named, &iter, &name, &value)) {
        if (field_is_comment(name))
            continue;
        str_addf(out, "%s%s: ", any ? "; " : "", name);
        add_policy(value, out);
        any = true;
    }
    str_add(out, any ? "" : "unchanged");
}

#define EVERY "every-step" /* name under which the change for every step is checked */

static const char starts[] = "infrastructure"; /* the policy for failed starts */

/* Returns the change as an object: {"like": NAME} if it is only a name. */
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
        change->made = NULL; /* the change then has no effect */
    str_done(&text);
    return change->made;
}

/* Adds the violations to `to` with their positions in the file: `instead` replaces `prefix`. */
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

/* Checks one policy, or an object of policies if `name` is NULL, like policies in settings. */
static bool check_policies(const struct json *value, const char *name, const char *place,
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

bool policy_change_read(const char *text, size_t len, struct policy_change **out,
                        struct violations *violations)
{
    struct policy_change *change = xcalloc(1, sizeof(*change));
    change->root = plan_reader_json(text, len, POLICY_CHANGE_BYTES_MAX, violations);
    bool ok = change->root != NULL;
    if (ok) {
        const struct json *policy = json_get(change->root, "policy");
        change->named = json_get(change->root, "policies");
        if (policy)
            change->every = object_of(change, policy);
        else if (!change->named)
            change->every = change->root;
        if (change->every)
            ok = check_policies(change->every, EVERY, policy ? "/policy" : "", &change->of_every,
                                violations);
        if (change->named)
            ok = check_policies(change->named, NULL, "/policies", &change->by_name, violations) &&
                 ok;
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

/* Applies the members of `value` to the policy. `whole` is the same change read as settings, with
 * everything that it inherits. */
static void change_policy(struct policy *policy, const struct json *value,
                          const struct policy *whole)
{
    char name[POLICY_NAME_MAX + 1];
    memcpy(name, policy->name, sizeof(name));
    if (json_get(value, "like"))
        *policy = *whole;
    else /* without "like", field_reader.doc is not needed */
        fields_take(value, &plan_policy_fields, policy);
    policy_rename(policy, name);
}

/* Returns the plan's policy of that name so that it can be changed; adds a built-in policy to the
 * plan first. Returns NULL if there is no such policy. */
static struct policy *policy_to_change(struct plan *plan, const char *name)
{
    for (int i = plan->policy_count - 1; i >= 0; i--) {
        if (strcmp(plan->policies[i].name, name) == 0)
            return &plan->policies[i];
    }
    const struct policy *builtin = policy_named(name);
    if (!builtin)
        return NULL;
    assert(plan->policy_count < PLAN_POLICY_ROOM); /* at most PLAN_POLICY_BUILTIN are added */
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

/* Returns the plan's own policy of the same name if `policy` is built-in and the plan has one;
 * otherwise returns `policy`. */
static const struct policy *policy_in_sight(const struct plan *plan, const struct policy *policy)
{
    return policy == policy_named(policy->name) ? plan_policy_find(plan, policy->name) : policy;
}

void policy_change_apply(const struct policy_change *change, struct plan *plan)
{
    void *iter = NULL;
    const char *name = NULL;
    const struct json *value = NULL;
    if (change->every)
        change_every(change, plan);
    while (json_next(change->named, &iter, &name, &value)) {
        struct policy *policy = field_is_comment(name) ? NULL : policy_to_change(plan, name);
        if (policy)
            change_policy(policy, value, settings_policy(&change->by_name, name));
    }
    plan->policy = policy_in_sight(plan, plan->policy);
    for (int i = 0; i < plan->task_count; i++) {
        for (int k = 0; k < plan->tasks[i].step_count; k++) {
            struct plan_step *step = &plan->tasks[i].steps[k];
            step->policy = policy_in_sight(plan, step->policy);
        }
    }
}
