/* The published schemas of plans and settings, and the examples of both in the documentation. */
#include "plan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "classify.h"
#include "entropy_limits.h"
#include "json_pointer.h"
#include "outcome.h"
#include "policy.h"
#include "settings.h"
#include "str.h"
#include "test_main.h"

static struct json *plan, *settings;

static struct json *parse(const char *text)
{
    struct json *json = NULL;
    struct err err = {0};
    ck_assert_msg(json_parse(text, strlen(text), &json, NULL, &err), "%s", err.message);
    return json;
}

static void setup(void)
{
    plan = parse(plan_schema_text());
    settings = parse(settings_schema_text());
}

static void teardown(void)
{
    json_free(plan);
    json_free(settings);
}

/* Members of an object or words of an array as "a b c". */
static char *words_at(const struct json *root, const char *pointer)
{
    const struct json *value = json_pointer_find(root, pointer);
    struct str words = {0};
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    ck_assert_msg(value != NULL, "%s", pointer);
    while (json_kind(value) == JSON_KIND_OBJECT && json_next(value, &iter, &key, &member))
        str_addf(&words, "%s ", key);
    for (size_t i = 0; json_kind(value) == JSON_KIND_ARRAY && i < json_count(value); i++)
        str_addf(&words, "%s ", json_text(json_at(value, i), "?"));
    char *copy = strdup(str_text(&words));
    str_done(&words);
    return copy;
}

static void check_words(const char *pointer, const struct str *want)
{
    char *got = words_at(plan, pointer);
    ck_assert_str_eq(got, str_text(want));
    free(got);
}

START_TEST(test_both_are_parsed_once)
{
    ck_assert_ptr_nonnull(plan_schema());
    ck_assert_ptr_eq(plan_schema(), plan_schema());
    ck_assert_ptr_eq(settings_schema(), settings_schema());
    ck_assert_ptr_ne(plan_schema(), settings_schema());
}
END_TEST

START_TEST(test_they_are_the_published_files)
{
    char *text = test_read_file(test_source_path("assets/plan.schema.json"));
    ck_assert(strcmp(text, plan_schema_text()) == 0);
    free(text);
    text = test_read_file(test_source_path("assets/config.schema.json"));
    ck_assert(strcmp(text, settings_schema_text()) == 0);
    free(text);
}
END_TEST

/* An editor reads one file, so both schemas have the parts that they share. */
START_TEST(test_both_have_the_same_shared_parts)
{
    void *iter = NULL;
    const char *name;
    const struct json *of_settings;
    int shared = 0;
    while (json_next(json_get(settings, "$defs"), &iter, &name, &of_settings)) {
        const struct json *of_plan = json_get(json_get(plan, "$defs"), name);
        if (!of_plan || strcmp(name, "sandbox") == 0)
            continue;
        char *want = json_brief(of_plan, SIZE_MAX);
        char *have = json_brief(of_settings, SIZE_MAX);
        ck_assert_str_eq(have, want);
        free(want);
        free(have);
        shared++;
    }
    ck_assert_int_ge(shared, 14);
}
END_TEST

START_TEST(test_presets_of_loops_are_complete)
{
    struct str want = {0};
    for (int preset = ENTROPY_PRESET_NONE + 1; preset < ENTROPY_PRESET_COUNT; preset++)
        str_addf(&want, "%s ", entropy_preset_name((enum entropy_preset)preset));
    check_words("/$defs/loops/then/enum", &want);
    check_words("/$defs/loops/properties/preset/enum", &want);
    str_done(&want);
}
END_TEST

/* A sandbox or workspace can be its kind alone. */
START_TEST(test_a_kind_alone_has_the_same_words)
{
    char *sandbox = words_at(plan, "/$defs/sandbox/properties/kind/enum");
    char *workspace = words_at(plan, "/$defs/workspace/properties/kind/enum");
    char *only_sandbox = words_at(plan, "/$defs/sandbox/then/enum");
    char *only_workspace = words_at(plan, "/$defs/workspace/then/enum");
    ck_assert_str_eq(only_sandbox, sandbox);
    ck_assert_str_eq(only_workspace, workspace);
    free(sandbox);
    free(workspace);
    free(only_sandbox);
    free(only_workspace);
}
END_TEST

static const struct {
    const char *pointer;
    int64_t want;
} numbers[] = {
    {"/properties/tasks/maxItems", PLAN_TASKS_MAX},
    {"/$defs/task/properties/needs/maxItems", PLAN_NEEDS_MAX},
    {"/$defs/task/properties/steps/maxItems", PLAN_STEPS_MAX},
    {"/$defs/step/properties/run/maxItems", PLAN_ARGS_MAX},
    {"/$defs/step/properties/run/maxLength", PLAN_TEXT_MAX},
    {"/$defs/step/properties/run/items/maxLength", PLAN_TEXT_MAX},
    {"/$defs/step/properties/env/maxProperties", PLAN_ENV_MAX},
    {"/$defs/ownPolicy/maxLength", POLICY_NAME_MAX - 1},
    {"/$defs/policy/properties/like/maxLength", POLICY_NAME_MAX - 1},
    {"/$defs/agents/maxProperties", ADAPTERS_MAX},
    {"/$defs/executors/maxProperties", PLAN_EXECUTORS_MAX},
    {"/$defs/machines/properties/hosts/maxItems", PLAN_HOSTS_MAX},
    {"/$defs/adapter/properties/env/maxProperties", ADAPTER_ARGS_MAX},
    {"/$defs/adapter/properties/events/maxItems", ADAPTER_RULES_MAX},
    {"/$defs/adapter/properties/like/maxLength", ADAPTER_NAME_MAX},
};

START_TEST(test_numbers_match_the_program)
{
    const struct json *number = json_pointer_find(plan, numbers[_i].pointer);
    ck_assert_msg(json_i64(number, -1) == numbers[_i].want, "%s", numbers[_i].pointer);
}
END_TEST

/* Every key says what it is, for editors that show this. */
static void check_described(const struct json *schema, const char *name)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *member = NULL;
    const struct json *fields = json_get(schema, "properties");
    while (json_next(fields, &iter, &key, &member)) {
        bool is_described =
            json_get(member, "description") || json_get(member, "$ref") || strcmp(key, "kind") == 0;
        ck_assert_msg(is_described, "%s: %s", name, key);
        check_described(member, key);
    }
}

START_TEST(test_every_key_is_described)
{
    const struct json *const roots[] = {plan, settings};
    for (int i = 0; i < TABLE_LEN(roots); i++) {
        void *iter = NULL;
        const char *key = NULL;
        const struct json *member = NULL;
        check_described(roots[i], "root");
        while (json_next(json_get(roots[i], "$defs"), &iter, &key, &member)) {
            ck_assert_msg(json_get(member, "description") != NULL, "%s", key);
            check_described(member, key);
        }
    }
}
END_TEST

/* Plans and settings that people and agents are shown. */

static void check_settings(const char *text, size_t len)
{
    struct settings read = {0};
    struct violations wrong = {0};
    struct classifier *classifier = NULL;
    ck_assert_msg(settings_parse(text, len, &read, &wrong) &&
                      classifier_open(&classifier, read.rules, NULL),
                  "%.*s", (int)len, text);
    classifier_close(classifier);
    settings_done(&read);
    violations_done(&wrong);
}

static void check_plan(const char *text, size_t len)
{
    struct plan *made = NULL;
    struct violations wrong = {0};
    struct str shown = {0};
    bool ok = plan_parse(text, len, &made, &wrong);
    violations_display(&wrong, &shown);
    ck_assert_msg(ok, "%.*s\n%s", (int)len, text, str_text(&shown));
    plan_free(made);
    violations_done(&wrong);
    str_done(&shown);
}

static void check_example(const char *text, size_t len)
{
    struct json *json = NULL;
    struct str step = {0};
    ck_assert_msg(json_parse(text, len, &json, NULL, NULL), "%.*s", (int)len, text);
    if (json_get(json, "tasks")) {
        check_plan(text, len);
    } else if (json_get(json, "run")) {
        str_addf(&step,
                 "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", \"steps\": "
                 "[%.*s]}]}",
                 (int)len, text);
        check_plan(str_text(&step), step.len);
    } else {
        check_settings(text, len);
    }
    json_free(json);
    str_done(&step);
}

static const struct {
    const char *name;
    const char *begin; /* examples begin so; others are not checked */
    int least, most;
} pages[] = {
    {"docs/plan.md", "", 17, 17},
    {"docs/policies.md", "", 2, 2},
    {"docs/classification.md", "", 2, 2},
    {"docs/agents.md", "{\"version\": 1", 8, INT_MAX}, /* one for each agent, and the first */
};

START_TEST(test_documented_examples_are_right)
{
    static const char fence[] = "\n```json\n";
    const char *begin = pages[_i].begin;
    char *page = test_read_file(test_source_path(pages[_i].name));
    ck_assert_ptr_nonnull(page);
    int count = 0;
    for (const char *at = page; (at = strstr(at, fence)) != NULL;) {
        at += strlen(fence);
        const char *end = strstr(at, "\n```");
        ck_assert_ptr_nonnull(end);
        if (strncmp(at, begin, strlen(begin)) != 0)
            continue;
        check_example(at, (size_t)(end - at));
        count++;
    }
    ck_assert_int_ge(count, pages[_i].least);
    ck_assert_int_le(count, pages[_i].most);
    free(page);
}
END_TEST

static const char *const shipped[] = {
    "assets/demo/plan.json",
    "assets/demo/self.json",
    "assets/starter-plan.json",
};

START_TEST(test_shipped_plan_is_valid)
{
    char *json = test_read_file(test_source_path(shipped[_i]));
    ck_assert_msg(json != NULL, "%s is missing", shipped[_i]);
    check_plan(json, strlen(json));
    free(json);
}
END_TEST

/* The prompt has the name of the agent in its example. */
START_TEST(test_the_example_of_the_prompt_is_a_plan)
{
    static const char name[] = "{{agent}}";
    struct str example = {0};
    char *text = test_read_file(test_source_path("assets/workflows/plan-phase.md"));
    const char *at = strstr(text, "\n{\"version\": 1");
    ck_assert_ptr_nonnull(at);
    const char *end = strstr(at, "\n\n");
    ck_assert_ptr_nonnull(end);
    while (at < end) {
        bool is_name = strncmp(at, name, strlen(name)) == 0;
        if (is_name)
            str_add(&example, "claude");
        else
            str_add_char(&example, *at);
        at += is_name ? strlen(name) : 1;
    }
    check_plan(example.data, example.len);
    str_done(&example);
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_schema");
    TCase *tcase = test_case(suite, "schema");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_both_are_parsed_once);
    tcase_add_test(tcase, test_they_are_the_published_files);
    tcase_add_test(tcase, test_both_have_the_same_shared_parts);
    tcase_add_test(tcase, test_presets_of_loops_are_complete);
    tcase_add_test(tcase, test_a_kind_alone_has_the_same_words);
    tcase_add_loop_test(tcase, test_numbers_match_the_program, 0, TABLE_LEN(numbers));
    tcase_add_test(tcase, test_every_key_is_described);
    TCase *examples = test_case(suite, "examples");
    tcase_add_loop_test(examples, test_documented_examples_are_right, 0, TABLE_LEN(pages));
    tcase_add_loop_test(examples, test_shipped_plan_is_valid, 0, TABLE_LEN(shipped));
    tcase_add_test(examples, test_the_example_of_the_prompt_is_a_plan);
    return suite;
}
