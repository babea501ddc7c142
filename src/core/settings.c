#include "settings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "plan_policy.h"
#include "plan_reader.h"
#include "policy_list.h"
#include "xalloc.h"

/* load() has taken the number; here it is only complained about. */
static void check_number(struct plan_reader *reader, const struct plan_path *path,
                         const struct json *value, struct plan_range range)
{
    int64_t number;
    bool is_good = plan_reader_i64(reader, path, value, range, &number);
    (void)is_good;
}

static void check_retries(struct plan_reader *reader, const struct plan_path *path,
                          const struct json *value)
{
    static const struct plan_range range = {0, SETTINGS_RETRIES_MAX};
    check_number(reader, path, value, range);
}

static const struct plan_field sandbox_rows[] = {{"transientRetries", check_retries, NULL}};
static const struct plan_fields sandbox_fields = {sandbox_rows, ARRAY_LEN(sandbox_rows)};

static void check_sandbox(struct plan_reader *reader, const struct plan_path *path,
                          const struct json *value)
{
    (void)plan_reader_object(reader, path, value, &sandbox_fields); /* has complained */
}

static void check_limit(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    static const struct plan_range range = {1, POLICY_ATTEMPTS_MAX};
    check_number(reader, path, value, range);
}

static void check_rules(struct plan_reader *reader, const struct plan_path *path,
                        const struct json *value)
{
    struct plan_range range = {0, SETTINGS_BYTES_MAX}; /* classifier_open() takes fewer */
    if (!plan_reader_array(reader, path, value, range))
        return;
    for (size_t i = 0; i < json_count(value); i++) {
        struct plan_path place = {.up = path, .index = i};
        if (json_kind(json_at(value, i)) != JSON_KIND_OBJECT)
            plan_reader_wrong_type(reader, &place, "object", json_at(value, i));
    }
}

static const struct plan_field settings_rows[] = {
    {"policies", plan_policies_check, NULL},
    {"retry_limit", check_limit, NULL},
    {"sandbox", check_sandbox, NULL},
    {"rules", check_rules, NULL},
};
static const struct plan_fields settings_fields = {settings_rows, ARRAY_LEN(settings_rows)};

/* A built-in policy with other attempts, if the number is one that may be. */
static void set_attempts(struct policy_list *list, const char *name, int64_t attempts)
{
    if (attempts < 1 || attempts > POLICY_ATTEMPTS_MAX)
        return;
    list->items[list->count] = *policy_named(name);
    list->items[list->count++].max_attempts = (int)attempts;
}

/* The short words first, so that "policies" has the last word. */
static void load(struct plan_reader *reader, const struct json *root)
{
    const struct json *retries = json_get(json_get(root, "sandbox"), "transientRetries");
    set_attempts(&reader->policies, "research", json_i64(json_get(root, "retry_limit"), 0));
    int64_t again = json_i64(retries, -1);
    if (again < POLICY_ATTEMPTS_MAX)
        set_attempts(&reader->policies, "infrastructure", again + 1);
    plan_policies_load(reader, json_get(root, "policies"));
}

/* Without those that others of the same name hide. */
static int drop_hidden(const struct policy_list *list)
{
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        bool is_hidden = policy_list_find(list, list->items[i].name) != &list->items[i];
        if (!is_hidden)
            list->items[kept++] = list->items[i];
    }
    return kept;
}

/* The two that have short words count too: a plan must have room for all. */
static void complain_too_many(struct plan_reader *reader, const struct plan_path *root)
{
    const struct plan_path path = {.up = root, .key = "policies"};
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, &path,
                    "too many, with those of retry_limit and transientRetries", "at most 64",
                    "more");
}

static void read_root(struct plan_reader *reader, const struct json *root)
{
    static const struct plan_path path = {0};
    if (json_kind(root) != JSON_KIND_OBJECT) {
        plan_reader_add(reader, VIOLATION_NOT_OBJECT, &path, "settings are an object", "object",
                        json_kind_name(root));
        return;
    }
    load(reader, root);
    (void)plan_reader_object(reader, &path, root, &settings_fields); /* it is an object */
    reader->policies.count = drop_hidden(&reader->policies);
    if (reader->policies.count > PLAN_POLICIES_MAX)
        complain_too_many(reader, &path);
}

bool settings_parse(const char *text, size_t len, struct settings *out,
                    struct violations *violations)
{
    size_t before = violations->count + violations->dropped;
    struct json *root = plan_reader_json(text, len, SETTINGS_BYTES_MAX, violations);
    if (!root)
        return false;

    struct plan_reader reader = {.violations = violations, .builtin_may_change = true};
    struct settings settings = {0};
    settings.policies = xcalloc(SETTINGS_POLICIES_MAX, sizeof(*settings.policies));
    reader.policies.items = settings.policies;
    read_root(&reader, root);
    settings.policy_count = reader.policies.count;
    const struct json *rules = json_get(root, "rules");
    if (json_count(rules) > 0)
        settings.rules = json_brief(rules, SIZE_MAX);
    json_free(root);

    bool ok = violations->count + violations->dropped == before;
    if (ok)
        *out = settings;
    else
        settings_done(&settings);
    return ok;
}

void settings_done(struct settings *settings)
{
    if (!settings)
        return;
    free(settings->policies);
    free(settings->rules);
    *settings = (struct settings){0};
}

const struct policy *settings_policy(const struct settings *settings, const char *name)
{
    const struct policy_list list = {.items = settings->policies, .count = settings->policy_count};
    return policy_list_find(&list, name);
}

void settings_names(const struct settings *settings, struct str *out)
{
    const struct policy_list list = {.items = settings->policies, .count = settings->policy_count};
    policy_list_names(&list, NULL, out);
}
