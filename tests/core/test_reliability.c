/*
 * The pages about failures say what the code does: reliability.md, classification.md and
 * policies.md have the types, reasons, policies, decisions and draws.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy.h"
#include "protocol.h"
#include "str.h"
#include "test_main.h"
#include "verdict.h"

enum page { RELIABILITY, CLASSIFICATION, POLICIES, PAGE_COUNT };

static const char *const names[] = {
    [RELIABILITY] = "docs/reliability.md",
    [CLASSIFICATION] = "docs/classification.md",
    [POLICIES] = "docs/policies.md",
};
static_assert(TABLE_LEN(names) == PAGE_COUNT, "each page has its name");

static char *pages[PAGE_COUNT];

static void setup(void)
{
    for (int page = 0; page < PAGE_COUNT; page++) {
        pages[page] = test_read_file(test_source_path(names[page]));
        ck_assert_ptr_nonnull(pages[page]);
    }
}

static void teardown(void)
{
    for (int page = 0; page < PAGE_COUNT; page++) {
        free(pages[page]);
        pages[page] = NULL;
    }
}

static void says(enum page page, const char *words)
{
    ck_assert_msg(strstr(pages[page], words) != NULL, "%s does not say: %s", names[page], words);
}

static void add_seconds(struct str *out, int64_t ms)
{
    if (ms % 1000 == 0)
        str_addf(out, "%lld s", (long long)(ms / 1000));
    else
        str_addf(out, "%.1f s", (double)ms / 1000);
}

/* The row of a policy: its tries and the waits between them, without jitter. */
START_TEST(test_A13_policies_schedule_and_phases_are_documented)
{
    const struct policy *builtin = policy_builtin((size_t)_i);
    struct policy policy = *builtin;
    policy.jitter = 0;
    struct str row = {0};
    str_addf(&row, "| `%s` | %d | ", policy.name, policy.max_attempts);
    for (int n = 1; n < policy.max_attempts; n++) {
        if (n > 1)
            str_add(&row, ", ");
        add_seconds(&row, policy_delay(&policy, n, 0, -1).delay_ms);
    }
    says(POLICIES, str_text(&row));
    str_done(&row);

    says(POLICIES, "| GREEN, VERIFY |"); /* the phases of sandbox */
    says(POLICIES, "entropy");
}
END_TEST

START_TEST(test_A13_every_decision_is_documented)
{
    for (int kind = DECISION_FAILED; kind < DECISION_KIND_COUNT; kind++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "`%s`", decision_kind_name((enum decision_kind)kind));
        says(POLICIES, name);
    }
}
END_TEST

START_TEST(test_B9_every_type_is_documented)
{
    for (int type = TRANSIENT_NONE + 1; type < TRANSIENT_TYPE_COUNT; type++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "`%s`", transient_type_name((enum transient_type)type));
        says(RELIABILITY, name);
        says(CLASSIFICATION, name);
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
        "## Transient Error Classification",
    };
    for (size_t i = 0; i < TABLE_LEN(words); i++)
        says(RELIABILITY, words[i]);
}
END_TEST

START_TEST(test_C8_heuristic_policy_and_backoff_are_documented)
{
    says(POLICIES, "| `research` |");
    says(POLICIES, "the last results are equal");
    says(POLICIES, "`entropy detected`");
    says(POLICIES, "`retry_limit`");
    says(POLICIES, "multiplier^(n-1)");
}
END_TEST

START_TEST(test_reasons_are_documented)
{
    for (int reason = REASON_NONE + 1; reason < REASON_COUNT; reason++)
        says(CLASSIFICATION, reason_name((enum reason)reason));
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
    says(POLICIES, row);
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
