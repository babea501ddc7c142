/* plan_policies.c - the policies of a plan and of the settings. */
#include "plan_policy.h"

#include <assert.h>
#include <string.h>

#include "plan_surroundings.h"
#include "policy_list.h"

void plan_take_settings(struct plan *plan, const struct settings *settings)
{
    assert(plan->policy_count == 0);
    assert(settings->policy_count <= SETTINGS_POLICIES_MAX);
    for (int i = 0; i < settings->policy_count; i++)
        plan->policies[i] = settings->policies[i];
    plan->setting_count = settings->policy_count;
    plan->policy_count = settings->policy_count;
    if (settings->has_loops)
        plan->loops = settings->loops;
    plan->has_loops = settings->has_loops;
    plan_surroundings_take(plan, settings);
    plan->has_settings = settings->policy_count > 0 || settings->has_loops || settings->said != 0;
}

/* Others are refused by the schema. */
static bool name_has_room(const char *name)
{
    return strlen(name) < POLICY_NAME_MAX;
}

/* A plan may set what starts of sandboxes get, and define new ones. */
static bool name_is_free(const struct plan_reader *reader, const char *name)
{
    return reader->builtin_may_change || !policy_named(name) || strcmp(name, "infrastructure") == 0;
}

/* The name that an inner policy is like, said or not. */
static const char *name_of_base(const struct plan_reader *reader, const struct json *object,
                                const char *name)
{
    const char *like = json_text(json_get(json_get(object, name), "like"), NULL);
    if (like)
        return like;
    return policy_list_find_outer(&reader->policies, name) ? name : POLICY_DEFAULT;
}

/* The inner policy that this inner one begins as, -1 if that is an outer one. */
static int inner_base(const struct plan_reader *reader, const struct json *object, int member)
{
    const char *name = reader->policies.items[member].name;
    const char *base = name_of_base(reader, object, name);
    return strcmp(base, name) == 0 ? -1 : policy_list_inner(&reader->policies, base);
}

static void fill_policy(struct plan_reader *reader, const struct json *object, int member)
{
    static const struct json_pointer nowhere = {0};
    struct policy_list *list = &reader->policies;
    struct policy *policy = &list->items[member];
    char name[POLICY_NAME_MAX + 1];
    memcpy(name, policy->name, sizeof(name));

    int inner = inner_base(reader, object, member);
    const char *base_name = name_of_base(reader, object, name);
    const struct policy *base =
        inner >= 0 ? &list->items[inner] : policy_list_find_outer(list, base_name);
    *policy = base ? *base : *policy_named(POLICY_DEFAULT);
    policy_rename(policy, name);
    reader->policy = policy;
    reader->policy_name = policy->name;
    plan_policy_read_fields(reader, &nowhere, json_get(object, name));
}

/* Each after the one that it is like, wherever that one stands. What is in a circle
 * stays as it is: such a document is refused. */
static void fill_policies(struct plan_reader *reader, const struct json *object)
{
    struct policy_list *list = &reader->policies;
    bool filled[PLAN_POLICIES_MAX] = {false};
    bool progress = true;
    while (progress) {
        progress = false;
        for (int i = list->inner; i < list->count; i++) {
            int base = inner_base(reader, object, i);
            bool may_be_filled = base < 0 || filled[base - list->inner];
            if (filled[i - list->inner] || !may_be_filled)
                continue;
            fill_policy(reader, object, i);
            filled[i - list->inner] = true;
            progress = true;
        }
    }
}

void plan_policies_load(struct plan_reader *reader, const struct json *value)
{
    struct policy_list *list = &reader->policies;
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;

    list->inner = list->count;
    if (json_kind(value) != JSON_KIND_OBJECT)
        return;
    while (json_next(value, &iter, &key, &member)) {
        bool is_policy =
            !plan_reader_is_comment(key) && name_has_room(key) && name_is_free(reader, key);
        if (!is_policy || list->count - list->inner == PLAN_POLICIES_MAX)
            continue;
        list->items[list->count] = *policy_named(POLICY_DEFAULT);
        policy_rename(&list->items[list->count++], key);
    }
    reader->violations = &unsaid; /* plan_policies_check() says it in its place */
    fill_policies(reader, value);
    reader->violations = said;
    violations_done(&unsaid);
}

/* Is it the first of the policies that are like each other in a circle? */
static bool starts_circle(const struct plan_reader *reader, const struct json *object, int member)
{
    int count = reader->policies.count - reader->policies.inner;
    int at = inner_base(reader, object, member);
    for (int i = 0; i < count && at > member; i++)
        at = inner_base(reader, object, at);
    return at == member;
}

static void complain_circle(struct plan_reader *reader, const struct json_pointer *path,
                            const struct json *object, int member)
{
    const struct policy *items = reader->policies.items;
    struct json_pointer place = {.up = path, .key = "like"};
    struct str message = {0};
    str_addf(&message, "policies are like each other in a circle: %s", items[member].name);
    int at = member;
    do {
        at = inner_base(reader, object, at);
        str_addf(&message, " -> %s", items[at].name);
    } while (at != member);
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL, NULL);
    str_done(&message);
}

static void check_policy(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *object, const struct json *value)
{
    struct policy scratch = *policy_named(POLICY_DEFAULT); /* the values were loaded before */
    reader->policy = &scratch;
    reader->policy_name = path->key;
    plan_policy_read_fields(reader, path, value);

    int member = policy_list_inner(&reader->policies, path->key);
    if (member >= 0 && starts_circle(reader, object, member))
        complain_circle(reader, path, object, member);
}

void plan_policies_check(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    int room = PLAN_POLICIES_MAX;
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    while (json_next(value, &iter, &key, &member)) {
        struct json_pointer place = {.up = path, .key = key};
        if (plan_reader_is_comment(key))
            continue;
        if (!name_is_free(reader, key)) {
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place,
                            "a built-in policy has this name: choose another and say \"like\"",
                            NULL, NULL);
            continue;
        }
        if (policy_new_name(key)) {
            struct str message = {0};
            str_addf(&message, "this policy is called \"%s\" now", policy_new_name(key));
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, &place, str_text(&message), NULL,
                            NULL);
            str_done(&message);
            continue;
        }
        if (room-- == 0) {
            plan_reader_add(reader, VIOLATION_INVALID_VALUE, path, "too many", "at most 64",
                            "more");
            return;
        }
        check_policy(reader, &place, value, member);
    }
}
