/* docs/reliability.md says what the code does: types, reasons, policies, draws. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy.h"
#include "protocol.h"
#include "str.h"
#include "test_main.h"
#include "verdict.h"

static char *doc;

static void setup(void)
{
    doc = test_read_file(test_source_path("docs/reliability.md"));
    ck_assert_ptr_nonnull(doc);
}

static void teardown(void)
{
    free(doc);
    doc = NULL;
}

static void says(const char *words)
{
    ck_assert_msg(strstr(doc, words) != NULL, "docs/reliability.md does not say: %s", words);
}

static void add_seconds(struct str *out, int64_t ms)
{
    if (ms % 1000 == 0)
        str_addf(out, "%lld s", (long long)(ms / 1000));
    else
        str_addf(out, "%.1f s", (double)ms / 1000);
}

/* The row of a policy's numbers as the table has it. */
START_TEST(test_A13_policies_schedule_and_phases_are_documented)
{
    const struct policy *policy = policy_builtin((size_t)_i);
    struct str row = {0};
    str_addf(&row, "| `%s` | %d | ", policy->name, policy->max_attempts);
    add_seconds(&row, policy->base_delay_ms);
    str_addf(&row, " | %g | ", policy->multiplier);
    add_seconds(&row, policy->cap_ms);
    says(str_text(&row));
    str_done(&row);

    says("| GREEN, VERIFY |"); /* the phases of sandbox */
    says("entropy");
}
END_TEST

START_TEST(test_A13_every_decision_is_documented)
{
    for (int kind = DECISION_FAILED; kind < DECISION_KIND_COUNT; kind++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "`%s`", decision_kind_name((enum decision_kind)kind));
        says(name);
    }
}
END_TEST

START_TEST(test_B9_every_type_is_documented)
{
    for (int type = TRANSIENT_NONE + 1; type < TRANSIENT_TYPE_COUNT; type++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "`%s`", transient_type_name((enum transient_type)type));
        says(name);
    }
}
END_TEST

/* The patterns that name the types first of all, no entropy, and the configuration. */
START_TEST(test_B9_patterns_entropy_and_configuration_are_documented)
{
    static const char *const words[] = {
        "ETIMEDOUT",
        "ECONNRESET",
        "EHOSTUNREACH",
        "ENOTFOUND",
        "docker.sock",
        "137",
        "429",
        "Sandbox start exceeded",
        "leaves no trace",
        "sandbox.transientRetries",
    };
    for (size_t i = 0; i < TABLE_LEN(words); i++)
        says(words[i]);
}
END_TEST

START_TEST(test_C8_heuristic_policy_and_backoff_are_documented)
{
    says("| `research` |");
    says("the last results are equal");
    says("`entropy detected`");
    says("`retry_limit`");
    says("multiplier^(n-1)");
}
END_TEST

START_TEST(test_reasons_are_documented)
{
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
        says(reason_name((enum reason)reason));
}
END_TEST

static const struct draw_key keys[] = {
    {.seed = 0, .task = 0, .step = 0, .round = 1, .attempt = 1},
    {.seed = 1, .task = 0, .step = 0, .round = 1, .attempt = 1},
    {.seed = 1, .task = 2, .step = 3, .round = 1, .attempt = 4},
};

START_TEST(test_draws_are_as_documented)
{
    const struct draw_key *key = &keys[_i];
    char row[128];
    (void)snprintf(row, sizeof(row), "| %llu; %d, %d, %d, %d | %llu |",
                   (unsigned long long)key->seed, key->task, key->step, key->round, key->attempt,
                   (unsigned long long)policy_draw(key));
    says(row);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("reliability");
    TCase *tcase = test_case(suite, "documents");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_A13_policies_schedule_and_phases_are_documented, 0, 4);
    tcase_add_test(tcase, test_A13_every_decision_is_documented);
    tcase_add_test(tcase, test_B9_every_type_is_documented);
    tcase_add_test(tcase, test_B9_patterns_entropy_and_configuration_are_documented);
    tcase_add_test(tcase, test_C8_heuristic_policy_and_backoff_are_documented);
    tcase_add_test(tcase, test_reasons_are_documented);
    tcase_add_loop_test(tcase, test_draws_are_as_documented, 0, TABLE_LEN(keys));
    return suite;
}
