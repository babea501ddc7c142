#include "plan_secrets.h"

#include <string.h>

#include "test_main.h"

static const char text[] =
    "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", \"steps\": ["
    "{\"run\": [\"curl\", \"-u\", \"me:[cut:A_TOKEN]\"], \"cwd\": \"[cut:A_TOKEN]\","
    " \"stdin\": \"in-[cut:A_TOKEN]\", \"env\": {\"X\": \"[cut:A_TOKEN]\"}},"
    "{\"run\": [\"true\", \"[cut:GONE_TOKEN]\"]},"
    "{\"run\": [\"true\", \"[cut:DATABASE_URL]\"]},"
    "{\"run\": [\"true\"]}]}]}";

START_TEST(test_marks_in_a_plan_become_values)
{
    char token[] = "A_TOKEN=tok-tok-tok", url[] = "DATABASE_URL=pg://me:pass-pass-1@host/db";
    char *const environment[] = {token, url, NULL};
    const struct redact_setting setting = {.environment = environment};
    struct redactor *redactor = NULL;
    struct plan *plan = NULL;
    struct violations wrong = {0};
    struct err err = {0};
    char name[REDACT_NAME_MAX + 1] = "";
    ck_assert(redactor_open(&redactor, &setting, &err));
    ck_assert(plan_parse(text, strlen(text), &plan, &wrong));

    plan_restore_secrets(plan, redactor, environment);

    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_str_eq(steps[0].argv[2], "me:tok-tok-tok");
    ck_assert_str_eq(steps[0].cwd, "tok-tok-tok");
    ck_assert_str_eq(steps[0].stdin_path, "in-tok-tok-tok");
    ck_assert_str_eq(steps[0].env[0], "X=tok-tok-tok");
    ck_assert(!plan_step_lacks(&steps[0], name));
    ck_assert(plan_step_lacks(&steps[1], name));
    ck_assert_str_eq(name, "GONE_TOKEN");
    /* Only its password was cut: the whole URL in its place would be another call. */
    ck_assert(plan_step_lacks(&steps[2], name));
    ck_assert_str_eq(name, "DATABASE_URL");
    ck_assert(!plan_step_lacks(&steps[3], name));
    plan_free(plan);
    redactor_close(redactor);
}
END_TEST

static const char with_setup[] =
    "{\"version\": 1, \"workspace\": {\"kind\": \"copy\", \"setup\": [\"login\", "
    "\"[cut:A_TOKEN]\"]}, \"tasks\": ["
    "{\"id\": \"a\", \"steps\": [{\"run\": [\"true\"]}]},"
    "{\"id\": \"b\", \"workspace\": {\"kind\": \"copy\", \"setup\": [\"[cut:A_TOKEN]\"]},"
    " \"steps\": [{\"run\": [\"true\"]}]},"
    "{\"id\": \"c\", \"workspace\": {\"kind\": \"copy\", \"setup\": [\"[cut:GONE_TOKEN]\"]},"
    " \"steps\": [{\"run\": [\"true\"]}]}]}";

START_TEST(test_marks_in_a_setup_become_values)
{
    char token[] = "A_TOKEN=tok-tok-tok";
    char *const environment[] = {token, NULL};
    const struct redact_setting setting = {.environment = environment};
    struct redactor *redactor = NULL;
    struct plan *plan = NULL;
    struct violations wrong = {0};
    struct err err = {0};
    char name[REDACT_NAME_MAX + 1] = "";
    ck_assert(redactor_open(&redactor, &setting, &err));
    ck_assert(plan_parse(with_setup, strlen(with_setup), &plan, &wrong));
    ck_assert(plan_setup_lacks(&plan->tasks[0], name));
    ck_assert_str_eq(name, "A_TOKEN");

    plan_restore_secrets(plan, redactor, environment);

    ck_assert_str_eq(plan->tasks[0].workspace->setup[1], "tok-tok-tok");
    ck_assert_str_eq(plan->tasks[1].workspace->setup[0], "tok-tok-tok");
    ck_assert(!plan_setup_lacks(&plan->tasks[0], name));
    ck_assert(!plan_setup_lacks(&plan->tasks[1], name));
    ck_assert(plan_setup_lacks(&plan->tasks[2], name));
    ck_assert_str_eq(name, "GONE_TOKEN");
    plan_free(plan);
    redactor_close(redactor);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_secrets");
    TCase *plans = test_case(suite, "plans");
    tcase_add_test(plans, test_marks_in_a_plan_become_values);
    tcase_add_test(plans, test_marks_in_a_setup_become_values);
    return suite;
}
