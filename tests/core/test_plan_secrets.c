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

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_secrets");
    tcase_add_test(test_case(suite, "plans"), test_marks_in_a_plan_become_values);
    return suite;
}
