#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "plan_internal.h"
#include "row_file.h"
#include "str.h"
#include "test_main.h"

static struct settings settings;
static struct violations violations;
static struct str shown;
static struct rows refused;

static void setup(void)
{
    settings = (struct settings){0};
    violations = (struct violations){0};
    shown = (struct str){0};
}

static void teardown(void)
{
    settings_done(&settings);
    violations_done(&violations);
    str_done(&shown);
}

static bool parse(const char *text)
{
    bool ok = settings_parse(text, strlen(text), &settings, &violations);
    violations_display(&violations, &shown);
    ck_assert(ok == (violations.count == 0));
    return ok;
}

static const struct policy *find(const char *name)
{
    return settings_policy(&settings, name);
}

START_TEST(test_bad_settings)
{
    const struct row *row = &refused.items[_i];
    ck_assert_msg(!parse(row->input), "%s", row->input);
    row_check(row, str_text(&shown));
    ck_assert_ptr_null(settings.policies);
}
END_TEST

START_TEST(test_nothing_is_set)
{
    ck_assert(parse("{\"//\": \"nothing\", \"$schema\": \"x\"}"));
    ck_assert_int_eq(settings.policy_count, 0);
    ck_assert_ptr_null(settings.rules);
    ck_assert_ptr_eq(find("research"), policy_named("research"));
    ck_assert_ptr_null(find("mine"));
}
END_TEST

START_TEST(test_ui_is_read)
{
    ck_assert(parse("{\"ui\": {\"theme\": \"cb\", \"ascii\": true, \"mouse\": false, \"time\": "
                    "\"utc\", \"notify\": [\"ended\", \"needs-you\"], \"notify_command\": "
                    "[\"notify-send\", \"devs\"], \"// why\": 1}}"));
    ck_assert_str_eq(settings.ui.theme, "cb");
    ck_assert(settings.ui.ascii && settings.ui.leaves_mouse);
    ck_assert_int_eq(settings.ui.times, SHOWN_TIMES_UTC);
    ck_assert_uint_eq(settings.ui.notify, NOTIFY_NEEDS_YOU | NOTIFY_ENDED);
    ck_assert_str_eq(settings.ui.notify_command[1], "devs");
    ck_assert_ptr_null(settings.ui.notify_command[2]);
}
END_TEST

START_TEST(test_an_empty_ui_turns_nothing_on)
{
    ck_assert(parse("{\"ui\": {}}"));
    ck_assert_ptr_null(settings.ui.theme);
    ck_assert_ptr_null(settings.ui.notify_command);
    ck_assert(!settings.ui.ascii && !settings.ui.leaves_mouse);
    ck_assert_int_eq(settings.ui.times, SHOWN_TIMES_AGO);
    ck_assert_uint_eq(settings.ui.notify, 0);
}
END_TEST

static const struct {
    const char *names;
    bool is_right;
    unsigned want;
} notify_cases[] = {
    {"needs-you", true, NOTIFY_NEEDS_YOU},
    {"stuck budget,gave-up", true, NOTIFY_STUCK | NOTIFY_BUDGET | NOTIFY_GAVE_UP},
    {"gave-up, ended", true, NOTIFY_GAVE_UP | NOTIFY_ENDED},
    {" ended,needs-you ", true, NOTIFY_ENDED | NOTIFY_NEEDS_YOU},
    {"off", true, 0},
    {"", true, 0},
    {"needs", false, 0},
    {"needs-you-and-more-than-fits", false, 0},
};

START_TEST(test_notify_by_name)
{
    unsigned flags = 99;
    ck_assert(ui_notify_parse(notify_cases[_i].names, &flags) == notify_cases[_i].is_right);
    ck_assert_uint_eq(flags, notify_cases[_i].is_right ? notify_cases[_i].want : 99);
}
END_TEST

START_TEST(test_a_notify_command_is_enough)
{
    ck_assert(parse("{\"ui\": {\"notify_command\": [\"x\"]}}"));
    ck_assert_uint_eq(settings.ui.notify, NOTIFY_DEFAULT);
    settings_done(&settings);
    ck_assert(parse("{\"ui\": {\"notify\": [], \"notify_command\": [\"x\"]}}"));
    ck_assert_uint_eq(settings.ui.notify, 0);
    ck_assert_str_eq(ui_notify_name(NOTIFY_BUDGET), "budget");
}
END_TEST

START_TEST(test_too_large)
{
    size_t len = SETTINGS_BYTES_MAX + 1;
    char *text = malloc(len);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', len);
    ck_assert(!settings_parse(text, len, &settings, &violations));
    ck_assert_str_eq(violations.items[0].expected, "at most 1 MiB");
    free(text);
}
END_TEST

START_TEST(test_C5_attempts_and_window_are_settings)
{
    ck_assert(parse("{\"retry_limit\": 5, \"policies\": {\"research\": {\"window\": 4}}}"));
    ck_assert_int_eq(find("research")->max_attempts, 5);
    ck_assert_int_eq(find("research")->window, 4);
    ck_assert_int_eq(find("research")->base_delay_ms, 1000);
    ck_assert_int_eq(settings.policy_count, 1);
}
END_TEST

START_TEST(test_C5_the_limit_alone)
{
    ck_assert(parse("{\"retry_limit\": 1}"));
    ck_assert_int_eq(find("research")->max_attempts, 1);
    ck_assert_int_eq(find("research")->window, 3);
}
END_TEST

START_TEST(test_B7_transient_retries_are_a_setting)
{
    ck_assert(parse("{\"sandbox\": {\"transientRetries\": 0}}"));
    ck_assert_int_eq(find("infrastructure")->max_attempts, 1);
    ck_assert_int_eq(find(POLICY_DEFAULT)->max_attempts, 3);
    settings_done(&settings);
    ck_assert(parse("{\"sandbox\": {\"transientRetries\": 99}}"));
    ck_assert_int_eq(find("infrastructure")->max_attempts, 100);
}
END_TEST

START_TEST(test_a_policy_wins_over_the_short_keys)
{
    ck_assert(parse("{\"policies\": {\"research\": {\"max_attempts\": 7}, \"infrastructure\": "
                    "{\"max_attempts\": 8}}, \"retry_limit\": 5, \"sandbox\": "
                    "{\"transientRetries\": 1}}"));
    ck_assert_int_eq(find("research")->max_attempts, 7);
    ck_assert_int_eq(find("infrastructure")->max_attempts, 8);
    ck_assert_int_eq(settings.policy_count, 2);
}
END_TEST

START_TEST(test_A9_options_are_settings)
{
    ck_assert(parse("{\"policies\": {\"default\": {\"max_attempts\": 5, \"base_delay_ms\": 70, "
                    "\"multiplier\": 3}}}"));
    const struct policy *standard = find(POLICY_DEFAULT);
    ck_assert_int_eq(standard->max_attempts, 5);
    ck_assert_int_eq(policy_delay(standard, 1, 0, -1).delay_ms, 70);
    ck_assert_int_eq(policy_delay(standard, 3, 0, -1).delay_ms, 630);
    ck_assert_uint_eq(standard->phases, policy_named(POLICY_DEFAULT)->phases);
}
END_TEST

START_TEST(test_like_takes_the_changed_policy_wherever_it_is)
{
    ck_assert(parse("{\"policies\": {\"b\": {\"like\": \"a\", \"window\": 9}, \"a\": {}, "
                    "\"c\": {\"like\": \"research\"}, \"default\": {\"max_attempts\": 6}}, "
                    "\"retry_limit\": 8}"));
    ck_assert_int_eq(find("a")->max_attempts, 6);
    ck_assert_int_eq(find("b")->max_attempts, 6);
    ck_assert_int_eq(find("b")->window, 9);
    ck_assert_int_eq(find("c")->max_attempts, 8);
    ck_assert_str_eq(find("c")->name, "c");
}
END_TEST

START_TEST(test_a_builtin_policy_may_become_like_another)
{
    ck_assert(parse("{\"policies\": {\"default\": {\"like\": \"transport\"}}}"));
    ck_assert_int_eq(find(POLICY_DEFAULT)->base_delay_ms, 2000);
    ck_assert_str_eq(find(POLICY_DEFAULT)->name, POLICY_DEFAULT);
}
END_TEST

START_TEST(test_rules_are_kept_as_text)
{
    ck_assert(parse("{\"rules\": [ {\"id\": \"x\", \"pattern\": \"\\\\bno\\u00e9\"} ]}"));
    ck_assert_str_eq(settings.rules, "[{\"id\":\"x\",\"pattern\":\"\\\\bno\303\251\"}]");
    settings_done(&settings);
    ck_assert(parse("{\"rules\": []}"));
    ck_assert_ptr_null(settings.rules);
}
END_TEST

START_TEST(test_names)
{
    struct str names = {0};
    ck_assert(parse("{\"policies\": {\"mine\": {}, \"default\": {}}}"));
    settings_names(&settings, &names);
    ck_assert_str_eq(str_text(&names),
                     "default, infrastructure, research, transport, careful, mine");
    str_done(&names);
}
END_TEST

START_TEST(test_as_many_policies_as_may_be)
{
    struct str text = {0};
    str_add(&text, "{\"retry_limit\": 2, \"sandbox\": {\"transientRetries\": 2}, \"policies\": {");
    for (int i = 0; i < PLAN_POLICIES_MAX - 2 + _i; i++)
        str_addf(&text, "%s\"p%d\": {}", i > 0 ? "," : "", i);
    str_add(&text, "}}");
    bool ok = parse(str_text(&text));
    str_done(&text);
    ck_assert(ok == (_i == 0));
    if (!ok)
        ck_assert_ptr_nonnull(strstr(str_text(&shown), "[INVALID_VALUE] /policies: too many"));
}
END_TEST

START_TEST(test_secrets_are_read)
{
    static const char text[] =
        "{\"secrets\": {\"names\": [\"PIN\", \"CORP_*\"], \"keep\": [\"jwt\"], \"// why\": \"x\","
        " \"patterns\": [{\"name\": \"badge\", \"regex\": \"B-[0-9]+\"}]}}";
    ck_assert(parse(text));
    ck_assert_str_eq(settings.secrets.names[0], "PIN");
    ck_assert_str_eq(settings.secrets.names[1], "CORP_*");
    ck_assert_ptr_null(settings.secrets.names[2]);
    ck_assert_str_eq(settings.secrets.keep[0], "jwt");
    ck_assert_uint_eq(settings.secrets.pattern_count, 1);
    ck_assert_str_eq(settings.secrets.patterns[0].name, "badge");
    ck_assert_str_eq(settings.secrets.patterns[0].regex, "B-[0-9]+");
    settings_done(&settings);
    ck_assert_ptr_null(settings.secrets.patterns);
}
END_TEST

START_TEST(test_workflows_have_an_agent_and_a_folder)
{
    ck_assert(parse("{\"agent\": \"codex\", \"workflows\": \"prompts\"}"));
    ck_assert_str_eq(settings.agent, "codex");
    ck_assert_str_eq(settings.workflows, "prompts");
    settings_done(&settings);
    ck_assert(!parse("{\"agent\": \"\", \"workflows\": 7}"));
    ck_assert_uint_eq(violations.count, 2);
    ck_assert_ptr_null(settings.workflows);
}
END_TEST

START_TEST(test_the_projects_tests_are_a_command)
{
    ck_assert(parse("{\"tests\": {\"run\": [\"make\", \"test\"]}}"));
    ck_assert_str_eq(settings.tests[0], "make");
    ck_assert_str_eq(settings.tests[1], "test");
    ck_assert_ptr_null(settings.tests[2]);
    settings_done(&settings);
    ck_assert(!parse("{\"tests\": {\"run\": []}}"));
    ck_assert_str_eq(violations.items[0].path, "/tests/run");
    ck_assert_ptr_null(settings.tests);
}
END_TEST

START_TEST(test_retention_is_read)
{
    ck_assert(parse("{\"retention\": {\"days\": 30, \"mib\": 512, \"automatic\": true}}"));
    ck_assert_int_eq(settings.retention.days, 30);
    ck_assert_int_eq(settings.retention.runs, 0);
    ck_assert_int_eq(settings.retention.mib, 512);
    ck_assert(settings.retention.automatic);
    settings_done(&settings);
    ck_assert(parse("{}"));
    ck_assert_int_eq(settings.retention.days, 0);
    ck_assert(!settings.retention.automatic);
    ck_assert(!parse("{\"retention\": {\"runs\": 0}}"));
}
END_TEST

static struct json *parse_json(const char *text)
{
    struct json *root = NULL;
    ck_assert_msg(json_parse(text, strlen(text), &root, NULL, NULL), "%s", text);
    return root;
}

static void add_key(void *ctx, const struct settings_trust_key *found)
{
    struct str *keys = ctx;
    ck_assert_ptr_nonnull(found->value);
    str_addf(keys, "%s%s (%s)", keys->len > 0 ? ", " : "", found->key, found->why);
}

/* Settings of a repository, the keys that wait for trust, and what is used until then. */
static const struct {
    const char *settings, *waits, *kept;
} trusted[] = {
    {"{}", "", "{}"},
    {"[1]", "", "{}"},
    {"{\"ui\":{\"ascii\":true,\"notify_command\":[\"x\"],\"//\":1}}",
     "ui.notify_command (runs a command)", "{\"ui\":{\"ascii\":true,\"//\":1}}"},
    {"{\"agents\":{\"a\":{}},\"agent\":\"a\",\"tests\":{\"run\":[\"x\"]}}",
     "agents (runs a command), tests (runs a command)", "{\"agent\":\"a\"}"},
    {"{\"sandbox\":\"bwrap\",\"workspace\":\"copy\"}", "",
     "{\"sandbox\":\"bwrap\",\"workspace\":\"copy\"}"},
    {"{\"sandbox\":{\"network\":false,\"read_only\":true,\"best_effort\":false,\"pids\":9}}", "",
     "{\"sandbox\":{\"network\":false,\"read_only\":true,\"best_effort\":false,\"pids\":9}}"},
    {"{\"sandbox\":{\"network\":true,\"read_only\":false,\"best_effort\":true}}",
     "sandbox.network (loosens the sandbox), sandbox.read_only (loosens the sandbox), "
     "sandbox.best_effort (loosens the sandbox)",
     "{\"sandbox\":{}}"},
    {"{\"sandbox\":{\"network\":1,\"read_only\":null}}",
     "sandbox.network (loosens the sandbox), sandbox.read_only (loosens the sandbox)",
     "{\"sandbox\":{}}"},
    /* No part of a container stays that would be wrong without the rest. */
    {"{\"sandbox\":{\"kind\":\"podman\",\"image\":\"x\",\"start_timeout_ms\":9,\"pids\":9}}",
     "sandbox.kind (chooses the programs in the sandbox), "
     "sandbox.image (chooses the programs in the sandbox), "
     "sandbox.start_timeout_ms (applies to a container image)",
     "{\"sandbox\":{\"pids\":9}}"},
    {"{\"sandbox\":{\"kind\":\"none\"}}", "", "{\"sandbox\":{\"kind\":\"none\"}}"},
    {"{\"sandbox\":{\"kind\":\"bwrap\"}}", "", "{\"sandbox\":{\"kind\":\"bwrap\"}}"},
    {"{\"workspace\":{\"copy\":[\".env\"],\"kind\":\"copy\"}}",
     "workspace.copy (copies ignored files, which may contain secrets, into workspaces)",
     "{\"workspace\":{\"kind\":\"copy\"}}"},
    {"{\"secrets\":{\"names\":[\"A\"],\"keep\":[\"B\"]}}", "secrets.keep (shows secrets)",
     "{\"secrets\":{\"names\":[\"A\"]}}"},
    /* What may be a misspelled name of a secret stays, so that it is reported. */
    {"{\"secret\":1,\"secrets\":{\"nmaes\":[]}}",
     "secret (is unknown to devs), secrets.nmaes (is unknown to devs)",
     "{\"secret\":1,\"secrets\":{\"nmaes\":[]}}"},
    {"{\"//agents\":{\"a\":1},\"workspace\":{\"kind\":\"copy\",\"setup\":[\"x\"]}}",
     "workspace.setup (runs a command)",
     "{\"//agents\":{\"a\":1},\"workspace\":{\"kind\":\"copy\"}}"},
};

START_TEST(test_keys_that_need_trust)
{
    struct json *root = parse_json(trusted[_i].settings);
    struct str waits = {0}, kept = {0};
    settings_trust_each(root, add_key, &waits);
    settings_trust_strip(root, &kept);
    ck_assert_str_eq(str_text(&waits), trusted[_i].waits);
    ck_assert_str_eq(str_text(&kept), trusted[_i].kept);
    json_free(root);
    str_done(&waits);
    str_done(&kept);
}
END_TEST

static int check_trust(const struct fields *fields, const char *of)
{
    int count = (int)fields->count;
    for (size_t i = 0; i < fields->count; i++) {
        const struct field *row = &fields->rows[i];
        const bool by_member = row->trust == FIELD_TRUST_BY_MEMBER;
        const bool needs = row->trust != FIELD_TRUST_NEVER && !by_member;
        ck_assert_msg(row->trust != FIELD_TRUST_UNKNOWN, "%s: does %s need trust?", of, row->key);
        ck_assert_msg(needs == (row->why != NULL), "%s: why does %s need trust?", of, row->key);
        if (by_member)
            count += check_trust(row->members, row->key);
    }
    return count;
}

/* A new key of the settings has to say whether it needs trust. */
START_TEST(test_every_key_says_whether_it_needs_trust)
{
    ck_assert_int_gt(check_trust(&settings_fields, "settings"), 40);
}
END_TEST

Suite *test_suite(void)
{
    refused = rows_read("settings/refused.txt");
    Suite *suite = suite_create("settings");
    TCase *tcase = test_case(suite, "settings");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_bad_settings, 0, refused.count);
    tcase_add_test(tcase, test_nothing_is_set);
    tcase_add_test(tcase, test_too_large);
    tcase_add_test(tcase, test_ui_is_read);
    tcase_add_test(tcase, test_an_empty_ui_turns_nothing_on);
    tcase_add_test(tcase, test_a_notify_command_is_enough);
    tcase_add_loop_test(tcase, test_notify_by_name, 0, TABLE_LEN(notify_cases));
    tcase_add_test(tcase, test_C5_attempts_and_window_are_settings);
    tcase_add_test(tcase, test_C5_the_limit_alone);
    tcase_add_test(tcase, test_B7_transient_retries_are_a_setting);
    tcase_add_test(tcase, test_a_policy_wins_over_the_short_keys);
    tcase_add_test(tcase, test_A9_options_are_settings);
    tcase_add_test(tcase, test_like_takes_the_changed_policy_wherever_it_is);
    tcase_add_test(tcase, test_a_builtin_policy_may_become_like_another);
    tcase_add_test(tcase, test_rules_are_kept_as_text);
    tcase_add_test(tcase, test_names);
    tcase_add_loop_test(tcase, test_as_many_policies_as_may_be, 0, 2);
    tcase_add_test(tcase, test_secrets_are_read);
    tcase_add_test(tcase, test_workflows_have_an_agent_and_a_folder);
    tcase_add_test(tcase, test_the_projects_tests_are_a_command);
    tcase_add_test(tcase, test_retention_is_read);
    TCase *trust = test_case(suite, "trust");
    tcase_add_loop_test(trust, test_keys_that_need_trust, 0, TABLE_LEN(trusted));
    tcase_add_test(trust, test_every_key_says_whether_it_needs_trust);
    return suite;
}
