#include "settings.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#include "adapter.h"
#include "json.h"
#include "plan_list.h"
#include "plan_loops.h"
#include "plan_policy.h"
#include "plan_reader.h"
#include "plan_schema.h"
#include "plan_shape.h"
#include "plan_surroundings.h"
#include "policy_list.h"
#include "settings_secrets.h"
#include "text_list.h"
#include "ui_settings_read.h"
#include "violation_order.h"
#include "xalloc.h"

/* Numbers were taken by load(), loops by settings_parse(). */
static const struct plan_field settings_rows[] = {{"policies", plan_policies_check}};
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
    int64_t limit = 0;
    int64_t retries = -1;
    plan_reader_whole(json_get(root, "retry_limit"), &limit);
    plan_reader_whole(json_get(json_get(root, "sandbox"), "transientRetries"), &retries);
    set_attempts(&reader->policies, "research", limit);
    if (retries < POLICY_ATTEMPTS_MAX)
        set_attempts(&reader->policies, "infrastructure", retries + 1);
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
static void complain_too_many(struct plan_reader *reader, const struct json_pointer *root)
{
    const struct json_pointer path = {.up = root, .key = "policies"};
    plan_reader_add(reader, VIOLATION_INVALID_VALUE, &path,
                    "too many, with those of retry_limit and transientRetries", "at most 64",
                    "more");
}

static void read_root(struct plan_reader *reader, const struct json *root)
{
    static const struct json_pointer path = {0};
    load(reader, root);
    plan_reader_walk(reader, &path, root, &settings_fields);
    reader->policies.count = drop_hidden(&reader->policies);
    if (reader->policies.count > PLAN_POLICIES_MAX)
        complain_too_many(reader, &path);
}

static char *written(const struct json *json)
{
    struct str text = {0};
    json_write(&text, json);
    return text.data;
}

static char *copy_text(const struct json *json)
{
    const char *text = json_text(json, NULL);
    return text ? xstrdup(text) : NULL;
}

/* An empty command was complained of by the schema. */
static void read_tests(struct plan_reader *reader, const struct json *tests,
                       struct settings *settings)
{
    const struct json_pointer root = {0};
    const struct json_pointer at = {.up = &root, .key = "tests"};
    const struct json_pointer path = {.up = &at, .key = "run"};
    plan_list_read(reader, &path, json_get(tests, "run"), PLAN_ARGS_MAX, &settings->tests);
}

/* The schema has the bounds. */
static int read_limit(const struct json *retention, const char *key)
{
    int64_t value = 0;
    plan_reader_whole(json_get(retention, key), &value);
    return value > 0 && value <= INT_MAX ? (int)value : 0;
}

static void read_retention(const struct json *retention, struct retention_settings *out)
{
    *out = (struct retention_settings){
        .days = read_limit(retention, "days"),
        .runs = read_limit(retention, "runs"),
        .mib = read_limit(retention, "mib"),
        .automatic = json_bool(json_get(retention, "automatic"), false),
    };
}

/* First the form, then what it means; all that is wrong comes in the order of the text. */
static bool read_document(const struct json *root, struct settings *settings,
                          struct violations *wrong)
{
    struct violations meaning = {0};
    struct plan_reader reader = {
        .shape = wrong, .violations = &meaning, .builtin_may_change = true};
    bool is_formed = plan_shape_check(settings_schema(), root, wrong);
    settings->policies = xcalloc(SETTINGS_POLICIES_MAX, sizeof(*settings->policies));
    reader.policies.items = settings->policies;
    read_root(&reader, root);
    settings->policy_count = reader.policies.count;
    settings->loops = entropy_limits_new();
    plan_loops_read(json_get(root, "loops"), &settings->loops, &settings->has_loops);
    plan_surroundings_read(&reader, root, settings);
    settings_secrets_read(&reader, json_get(root, "secrets"), &settings->secrets);
    ui_settings_read(&reader, json_get(root, "ui"), &settings->ui);
    read_retention(json_get(root, "retention"), &settings->retention);
    const struct json *agents = json_get(root, "agents");
    struct violations of_agents = {0};
    if (json_count(agents) > 0 && !adapters_read(NULL, agents, &of_agents, &settings->agents))
        settings->agents = NULL; /* what is wrong is said */
    violations_merge(&meaning, &of_agents, root);
    settings->agent = copy_text(json_get(root, "agent"));
    settings->workflows = copy_text(json_get(root, "workflows"));
    read_tests(&reader, json_get(root, "tests"), settings);
    const struct json *rules = json_get(root, "rules");
    if (json_count(rules) > 0)
        settings->rules = written(rules);

    bool ok = is_formed && meaning.count == 0;
    violations_merge(wrong, &meaning, root);
    return ok;
}

bool settings_parse(const char *text, size_t len, struct settings *out,
                    struct violations *violations)
{
    struct json *root = plan_reader_json(text, len, SETTINGS_BYTES_MAX, violations);
    if (!root)
        return false;
    struct settings settings = {0};
    struct violations wrong = {0};
    bool ok = read_document(root, &settings, &wrong);
    violations_merge(violations, &wrong, NULL);
    json_free(root);
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
    workspace_spec_done(&settings->workspace);
    sandbox_spec_done(&settings->sandbox);
    secret_settings_done(&settings->secrets);
    ui_settings_done(&settings->ui);
    free(settings->rules);
    adapters_free(settings->agents);
    text_list_free(settings->tests);
    free(settings->agent);
    free(settings->workflows);
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
