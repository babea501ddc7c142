
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "str.h"
#include "test_main.h"

#define TASKS "\"tasks\": [{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"], \"idempotent\": true}]}]"

static struct plan *plan;
static struct settings settings;
static struct violations violations;
static struct str text, shown;

static void setup(void)
{
    plan = NULL;
    settings = (struct settings){0};
    violations = (struct violations){0};
    text = shown = (struct str){0};
}

static void teardown(void)
{
    plan_free(plan);
    settings_done(&settings);
    violations_done(&violations);
    str_done(&text);
    str_done(&shown);
}

static void set(const char *json)
{
    bool ok = settings_parse(json, strlen(json), &settings, &violations);
    violations_display(&violations, &shown);
    ck_assert_msg(ok, "%s", str_text(&shown));
}

/* A plan with these members before its tasks. */
static bool parse(const char *members)
{
    const struct plan_context context = {.settings = &settings};
    str_addf(&text, "{\"version\": 1, %s " TASKS "}", members);
    bool ok = plan_parse_with(text.data, text.len, &context, &plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

static void check_equal(const struct entropy_limits *got, const struct entropy_limits *want)
{
    const struct entropy_limit *limit;
    for (size_t i = 0; (limit = entropy_limit(i)) != NULL; i++)
        ck_assert_msg(entropy_limit_get(got, limit) == entropy_limit_get(want, limit), "%s: %d",
                      limit->name, entropy_limit_get(got, limit));
}

START_TEST(test_a_plan_that_says_nothing_has_the_defaults)
{
    const struct entropy_limits initial = entropy_limits_new();
    ck_assert(parse(""));
    ck_assert(!plan->has_loops);
    check_equal(&plan->loops, &initial);
}
END_TEST

START_TEST(test_a_plan_says_its_own)
{
    struct entropy_limits want = entropy_limits_new();
    want.repeat_stop = 12;
    want.barren_stop = 0;
    ck_assert(parse("\"loops\": {\"repeat_stop\": 12, \"//\": 1, \"barren_stop\": 0.0},"));
    ck_assert(plan->has_loops);
    check_equal(&plan->loops, &want);
}
END_TEST

START_TEST(test_plan_before_settings_before_defaults)
{
    struct entropy_limits want = entropy_limits_new();
    want.repeat_stop = 12;
    want.poll_stop = 30;
    set("{\"loops\": {\"repeat_stop\": 7, \"poll_stop\": 30}}");
    ck_assert(parse("\"loops\": {\"repeat_stop\": 12},"));
    check_equal(&plan->loops, &want);
}
END_TEST

/* Who runs the text of a log again gets the same, whatever the settings say by then. */
START_TEST(test_the_written_plan_says_every_limit)
{
    struct str written = {0};
    struct plan *again = NULL;
    const struct settings *later = &settings;
    set("{\"loops\": {\"repeat_stop\": 7}}");
    ck_assert(parse(""));
    ck_assert(plan_has_more(plan));
    plan_write(plan, &written);
    settings.loops.repeat_stop = 99;
    settings.loops.poll_stop = 98;
    const struct plan_context context = {.settings = later};
    ck_assert(plan_parse_with(written.data, written.len, &context, &again, &violations));
    check_equal(&again->loops, &plan->loops);
    ck_assert_int_eq(again->loops.repeat_stop, 7);
    plan_free(again);
    str_done(&written);
}
END_TEST

START_TEST(test_settings_that_say_nothing_leave_the_text_alone)
{
    set("{\"rules\": []}");
    ck_assert(parse("\"loops\": {\"repeat_stop\": 12},"));
    ck_assert(!plan_has_more(plan));
}
END_TEST

START_TEST(test_a_command_has_the_limits_of_the_settings)
{
    static char word[] = "make";
    char *argv[] = {word, NULL};
    set("{\"loops\": {\"repeat_stop\": 7}}");
    struct plan_exec exec = {.argv = argv,
                             .phase = PHASE_VERIFY,
                             .policy = policy_named(POLICY_DEFAULT),
                             .settings = &settings};
    ck_assert(plan_for_command(&exec, &plan, NULL));
    ck_assert_int_eq(plan->loops.repeat_stop, 7);
    ck_assert_int_eq(plan->loops.poll_stop, entropy_limits_new().poll_stop);
}
END_TEST

/* 0, which is off, and from the table's smallest to its largest. */
START_TEST(test_the_range_of_a_limit)
{
    const struct entropy_limit *limit = entropy_limit((size_t)_i);
    char members[100];
    const int below = limit->min > 1 ? limit->min - 1 : -1;
    const int values[] = {0, limit->min, limit->max, limit->max + 1, below};
    for (int i = 0; i < TABLE_LEN(values); i++) {
        teardown();
        setup();
        (void)snprintf(members, sizeof(members), "\"loops\": {\"%s\": %d},", limit->name,
                       values[i]);
        bool ok = parse(members);
        ck_assert_msg(ok == (i < 3), "%s: %s", members, str_text(&shown));
        if (ok)
            ck_assert_int_eq(entropy_limit_get(&plan->loops, limit), values[i]);
        else
            ck_assert_ptr_nonnull(strstr(str_text(&shown), limit->name));
    }
}
END_TEST

START_TEST(test_a_limit_that_nobody_knows)
{
    ck_assert(!parse("\"loops\": {\"repeat_stp\": 5},"));
    ck_assert_str_eq(
        str_text(&shown),
        "[INVALID_VALUE] /loops/repeat_stp: unknown key, did you mean \"repeat_stop\"?\n");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_loops");
    TCase *tcase = test_case(suite, "loops");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_plan_that_says_nothing_has_the_defaults);
    tcase_add_test(tcase, test_a_plan_says_its_own);
    tcase_add_test(tcase, test_plan_before_settings_before_defaults);
    tcase_add_test(tcase, test_the_written_plan_says_every_limit);
    tcase_add_test(tcase, test_settings_that_say_nothing_leave_the_text_alone);
    tcase_add_test(tcase, test_a_command_has_the_limits_of_the_settings);
    int limits = 0;
    while (entropy_limit((size_t)limits))
        limits++;
    tcase_add_loop_test(tcase, test_the_range_of_a_limit, 0, limits);
    tcase_add_test(tcase, test_a_limit_that_nobody_knows);
    return suite;
}
