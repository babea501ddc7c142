#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
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

#define WITH_AGENT(value)                                                                          \
    "{\"version\": 1, \"agents\": {\"mine\": {\"env\": {\"A_TOKEN\": \"" value                     \
    "\"}}}, \"tasks\": ["                                                                          \
    "{\"id\": \"a\", \"workspace\": \"copy\", \"steps\": ["                                        \
    "{\"agent\": \"mine\", \"prompt\": \"do it\"}]}]}"

static struct plan *parse(const char *json)
{
    struct plan *plan = NULL;
    struct violations wrong = {0};
    ck_assert(plan_parse(json, strlen(json), &plan, &wrong));
    return plan;
}

static const char *agents_variable(const struct plan *plan)
{
    return adapter_env(plan->tasks[0].steps[0].agent->adapter)[0];
}

START_TEST(test_a_variable_of_an_agent_is_cut_from_the_plan)
{
    struct plan *plan = parse(WITH_AGENT("tok-tok-tok"));
    const struct redact_setting setting = {.plan = plan};
    struct redactor *redactor = NULL;
    struct err err = {0};
    struct str written = {0};
    ck_assert(redactor_open(&redactor, &setting, &err));
    plan_write(plan, &written);
    ck_assert_ptr_nonnull(strstr(str_text(&written), "tok-tok-tok"));
    char *cut = redact_string(redactor, str_text(&written), NULL);
    ck_assert_ptr_null(strstr(cut, "tok-tok-tok"));
    ck_assert_ptr_nonnull(strstr(cut, "[cut:A_TOKEN]"));
    free(cut);
    str_done(&written);
    redactor_close(redactor);
    plan_free(plan);
}
END_TEST

START_TEST(test_a_mark_in_a_variable_of_an_agent_becomes_its_value)
{
    char token[] = "A_TOKEN=tok-tok-tok";
    char *const environment[] = {token, NULL};
    char *const nothing[] = {NULL};
    const struct redact_setting setting = {.environment = environment};
    struct plan *plan = parse(WITH_AGENT("[cut:A_TOKEN]"));
    struct redactor *redactor = NULL;
    struct err err = {0};
    char name[REDACT_NAME_MAX + 1] = "";
    ck_assert(redactor_open(&redactor, &setting, &err));
    plan_restore_secrets(plan, redactor, nothing);
    ck_assert(plan_step_lacks(&plan->tasks[0].steps[0], name));
    ck_assert_str_eq(name, "A_TOKEN");
    plan_restore_secrets(plan, redactor, environment);
    ck_assert_str_eq(agents_variable(plan), "A_TOKEN=tok-tok-tok");
    ck_assert(!plan_step_lacks(&plan->tasks[0].steps[0], name));
    redactor_close(redactor);
    plan_free(plan);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_secrets");
    TCase *plans = test_case(suite, "plans");
    tcase_add_test(plans, test_marks_in_a_plan_become_values);
    tcase_add_test(plans, test_marks_in_a_setup_become_values);
    tcase_add_test(plans, test_a_variable_of_an_agent_is_cut_from_the_plan);
    tcase_add_test(plans, test_a_mark_in_a_variable_of_an_agent_becomes_its_value);
    return suite;
}
