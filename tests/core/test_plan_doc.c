/* Plans that are shown to people and to agents are plans. */
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "str.h"
#include "test_main.h"

enum { EXAMPLES_MIN = 8 }; /* of docs/agents.md: one for each agent, and the first */

/* Read `len` bytes as a plan; what is wrong is the message. */
static void check_plan(const char *text, size_t len)
{
    struct plan *plan = NULL;
    struct violations wrong = {0};
    struct str shown = {0};
    bool ok = plan_parse(text, len, &plan, &wrong);
    violations_display(&wrong, &shown);
    ck_assert_msg(ok, "%.*s\n%s", (int)len, text, str_text(&shown));
    plan_free(plan);
    violations_done(&wrong);
    str_done(&shown);
}

START_TEST(test_examples_of_agents_are_plans)
{
    static const char fence[] = "```json\n";
    char *text = test_read_file(test_source_path("docs/agents.md"));
    int count = 0;
    const char *at = text;
    while ((at = strstr(at, fence)) != NULL) {
        at += strlen(fence);
        const char *end = strstr(at, "\n```");
        ck_assert_ptr_nonnull(end);
        bool is_plan = strncmp(at, "{\"version\": 1", strlen("{\"version\": 1")) == 0;
        if (is_plan)
            check_plan(at, (size_t)(end - at));
        count += is_plan;
    }
    free(text);
    ck_assert_int_ge(count, EXAMPLES_MIN);
}
END_TEST

/* The one that an agent is shown, once its own name is in it. */
START_TEST(test_the_example_of_the_prompt_is_a_plan)
{
    static const char name[] = "{{agent}}";
    struct str plan = {0};
    char *text = test_read_file(test_source_path("assets/workflows/plan-phase.md"));
    const char *at = strstr(text, "\n{\"version\": 1");
    ck_assert_ptr_nonnull(at);
    const char *end = strstr(at, "\n\n");
    ck_assert_ptr_nonnull(end);
    while (at < end) {
        bool is_name = strncmp(at, name, strlen(name)) == 0;
        if (is_name)
            str_add(&plan, "claude");
        else
            str_add_char(&plan, *at);
        at += is_name ? strlen(name) : 1;
    }
    check_plan(plan.data, plan.len);
    str_done(&plan);
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_doc");
    TCase *tcase = test_case(suite, "examples");
    tcase_add_test(tcase, test_examples_of_agents_are_plans);
    tcase_add_test(tcase, test_the_example_of_the_prompt_is_a_plan);
    return suite;
}
