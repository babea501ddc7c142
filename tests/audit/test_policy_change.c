#include "what_if.h"

#include <string.h>

#include "test_main.h"

static const char plan_text[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"mine\":{\"like\":\"default\","
    "\"max_attempts\":5}},\"tasks\":[{\"id\":\"a\",\"steps\":["
    "{\"phase\":\"GREEN\",\"run\":[\"x\"]},"
    "{\"phase\":\"GREEN\",\"run\":[\"x\"],\"policy\":\"mine\"},"
    "{\"phase\":\"GREEN\",\"run\":[\"x\"],\"policy\":{\"like\":\"mine\",\"cap_ms\":7}},"
    "{\"phase\":\"GREEN\",\"run\":[\"x\"],\"policy\":\"transport\"}]}]}";

enum { STEPS = 4 };

static struct policy_change *read_change(const char *text)
{
    struct policy_change *change = NULL;
    struct violations wrong = {0};
    ck_assert_msg(policy_change_read(text, strlen(text), &change, &wrong), "%s",
                  wrong.count > 0 ? wrong.items[0].message : "");
    violations_done(&wrong);
    return change;
}

/* The policies of the steps: built-in, of the plan, its own, built-in. */
static const struct row {
    const char *text;
    const char *words;
    int attempts[STEPS];
    int64_t cap_ms[STEPS];
} rows[] = {
    {"{}", "unchanged", {3, 5, 5, 4}, {30000, 30000, 7, 60000}},
    {"{\"cap_ms\":20000}", "cap 20 s", {3, 5, 5, 4}, {20000, 20000, 20000, 20000}},
    {"{\"policy\":{\"max_attempts\":2}}", "2 tries", {2, 2, 2, 2}, {30000, 30000, 7, 60000}},
    {"{\"policy\":\"transport\"}", "like transport", {4, 4, 4, 4}, {60000, 60000, 60000, 60000}},
    {"{\"policies\":{\"default\":{\"max_attempts\":9}}}",
     "default: 9 tries",
     {9, 5, 5, 4},
     {30000, 30000, 7, 60000}},
    {"{\"ui\":{},\"policies\":{\"mine\":{\"cap_ms\":1000},\"//\":1}}",
     "mine: cap 1 s",
     {3, 5, 5, 4},
     {30000, 1000, 7, 60000}},
    {"{\"policies\":{\"mine\":{\"like\":\"transport\"}},\"policy\":{\"max_attempts\":7}}",
     "7 tries; mine: like transport",
     {7, 4, 7, 7},
     {30000, 60000, 7, 60000}},
    {"{\"max_attempts\":1,\"deadline_ms\":0,\"retry_on\":[\"transient\"],\"jitter\":\"full\"}",
     "1 try, no deadline, retries on transient, jitter full",
     {1, 1, 1, 1},
     {30000, 30000, 7, 60000}},
    {"{\"policies\":{\"nobody\":{\"max_attempts\":7}}}",
     "nobody: 7 tries",
     {3, 5, 5, 4},
     {30000, 30000, 7, 60000}},
};

START_TEST(test_steps_get_the_policies_of_the_file)
{
    const struct row *row = &rows[_i];
    struct policy_change *change = read_change(row->text);
    struct violations wrong = {0};
    struct plan *plan = NULL;
    struct str words = {0};
    ck_assert(plan_parse(plan_text, strlen(plan_text), &plan, &wrong));
    policy_change_apply(change, plan);
    policy_change_words(change, &words);
    ck_assert_str_eq(str_text(&words), row->words);
    for (int i = 0; i < STEPS; i++) {
        const struct policy *policy = plan->tasks[0].steps[i].policy;
        ck_assert_msg(policy->max_attempts == row->attempts[i], "step %d: %d tries", i,
                      policy->max_attempts);
        ck_assert_msg(policy->cap_ms == row->cap_ms[i], "step %d: cap %lld", i,
                      (long long)policy->cap_ms);
    }
    ck_assert_int_eq(plan_policy_find(plan, "infrastructure")->max_attempts, 4);
    str_done(&words);
    plan_free(plan);
    policy_change_free(change);
}
END_TEST

START_TEST(test_names_do_not_change)
{
    struct policy_change *change = read_change("{\"policy\":\"research\"}");
    struct violations wrong = {0};
    struct plan *plan = NULL;
    ck_assert(plan_parse(plan_text, strlen(plan_text), &plan, &wrong));
    policy_change_apply(change, plan);
    ck_assert_str_eq(plan->tasks[0].steps[0].policy->name, POLICY_DEFAULT);
    ck_assert_str_eq(plan->tasks[0].steps[1].policy->name, "mine");
    ck_assert_str_eq(plan->tasks[0].steps[2].policy->name, "mine+");
    ck_assert_int_eq(plan->tasks[0].steps[2].policy->window, 3);
    ck_assert_int_eq(policy_named(POLICY_DEFAULT)->window, 0);
    plan_free(plan);
    policy_change_free(change);
}
END_TEST

static const struct {
    const char *text, *place;
} bad[] = {
    {"", ""},
    {"[]", ""},
    {"{\"cap\":1}", "/cap"},
    {"{\"max_attempts\":0}", "/max_attempts"},
    {"{\"policy\":{\"jitter\":2}}", "/policy/jitter"},
    {"{\"policy\":\"nobody\"}", "/policy/like"},
    {"{\"policies\":{\"mine\":{\"cap_ms\":\"1 s\"}}}", "/policies/mine/cap_ms"},
    {"{\"policies\":{\"mine\":{\"like\":\"nobody\"}}}", "/policies/mine/like"},
};

START_TEST(test_what_is_wrong_is_said_in_its_place)
{
    struct policy_change *change = NULL;
    struct violations wrong = {0};
    ck_assert(!policy_change_read(bad[_i].text, strlen(bad[_i].text), &change, &wrong));
    ck_assert_uint_eq(wrong.count, 1);
    ck_assert_str_eq(wrong.items[0].path, bad[_i].place);
    ck_assert_ptr_null(change);
    violations_done(&wrong);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("policy_change");
    TCase *tcase = test_case(suite, "policy_change");
    tcase_add_loop_test(tcase, test_steps_get_the_policies_of_the_file, 0, TABLE_LEN(rows));
    tcase_add_test(tcase, test_names_do_not_change);
    tcase_add_loop_test(tcase, test_what_is_wrong_is_said_in_its_place, 0, TABLE_LEN(bad));
    return suite;
}
