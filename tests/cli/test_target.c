#include "target.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

static const struct {
    const char *word;
    bool ok;
    int64_t run;
    const char *task;
    bool is_newest;
} cases[] = {
    {"41", true, 41, "", false},
    {"#41", true, 41, "", false},
    {"41/tax", true, 41, "tax", false},
    {"#41/tax", true, 41, "tax", false},
    {"tax", true, 0, "tax", false},
    {"T-1.b_c", true, 0, "T-1.b_c", false},
    {"last/tax", true, 0, "tax", true},
    {"last", true, 0, "last", false}, /* a task may be called so */
    {"last/", false, 0, "", false},
    {"lasts/tax", false, 0, "", false},
    {"", false, 0, "", false},
    {"#", false, 0, "", false},
    {"41/", false, 0, "", false},
    {"/tax", false, 0, "", false},
    {"x/tax", false, 0, "", false},
    {"0", false, 0, "", false},
    {"99999999999999999999", false, 0, "", false},
};

START_TEST(test_target)
{
    struct target target = {0};
    struct err err = {0};
    bool ok = target_parse(cases[_i].word, &target, &err);
    ck_assert_msg(ok == cases[_i].ok, "%s: %s", cases[_i].word, err.message);
    if (!ok)
        return;
    ck_assert_int_eq(target.run, cases[_i].run);
    ck_assert_str_eq(target.task, cases[_i].task);
    ck_assert_int_eq(target.is_newest, cases[_i].is_newest);
}
END_TEST

static const struct {
    const char *word;
    bool ok;
    int64_t run;
} run_cases[] = {
    {NULL, true, 0},      {"last", true, 0}, {"41", true, 41}, {"#41", true, 41},
    {"41/tax", false, 0}, {"tax", false, 0}, {"", false, 0},   {"0", false, 0},
};

START_TEST(test_run)
{
    int64_t run = -1;
    struct err err = {0};
    bool ok = target_parse_run(run_cases[_i].word, "say 41", &run, &err);
    ck_assert_msg(ok == run_cases[_i].ok, "%s: %s", run_cases[_i].word, err.message);
    ck_assert_int_eq(run, ok ? run_cases[_i].run : -1);
    ck_assert(!run_cases[_i].word || target_names_run(run_cases[_i].word) == ok);
}
END_TEST

START_TEST(test_unknown_task_has_a_hint)
{
    static const char text[] =
        "{\"version\":1,\"tasks\":[{\"id\":\"tax\",\"steps\":[{\"phase\":\"RED\","
        "\"run\":[\"x\"]}]}]}";
    struct plan *plan = NULL;
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    struct target target = {.run = 1, .task = "tex"};
    struct err err = {0};
    int task = 0;
    ck_assert(!target_task(&target, plan, &task, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.hint, "tax"));
    plan_free(plan);
}
END_TEST

#define TASK(id) "{\"id\":\"" id "\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]}"

static const struct {
    const char *word, *tasks; /* JSON, between brackets */
    enum err_code code;
    int task; /* -1: none */
} only_cases[] = {
    {"1", TASK("tax"), ERR_NONE, 0},
    {"last", TASK("tax"), ERR_NONE, 0},
    {"last", TASK("tax") "," TASK("last"), ERR_NONE, 1},
    {"last", TASK("tax") "," TASK("net"), ERR_INVALID, -1},
    {"1/last", TASK("tax"), ERR_NOT_FOUND, -1},
    {"last/last", TASK("tax"), ERR_NOT_FOUND, -1},
    {"net", TASK("tax"), ERR_NOT_FOUND, -1},
};

START_TEST(test_a_run_of_one_task_needs_no_name_of_it)
{
    struct str text = {0};
    struct plan *plan = NULL;
    struct violations violations = {0};
    struct target target;
    struct err err = {0};
    int task = -1;
    str_addf(&text, "{\"version\":1,\"tasks\":[%s]}", only_cases[_i].tasks);
    ck_assert(plan_parse(str_text(&text), text.len, &plan, &violations));
    ck_assert(target_parse(only_cases[_i].word, &target, &err));
    const bool ok = target_only_task(&target, plan, "devs why", &task, &err);
    ck_assert_int_eq(ok, only_cases[_i].code == ERR_NONE);
    ck_assert_int_eq(err.code, only_cases[_i].code);
    ck_assert_int_eq(task, only_cases[_i].task);
    plan_free(plan);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("target");
    TCase *tcase = test_case(suite, "target");
    tcase_add_loop_test(tcase, test_target, 0, TABLE_LEN(cases));
    tcase_add_loop_test(tcase, test_run, 0, TABLE_LEN(run_cases));
    tcase_add_test(tcase, test_unknown_task_has_a_hint);
    tcase_add_loop_test(tcase, test_a_run_of_one_task_needs_no_name_of_it, 0,
                        TABLE_LEN(only_cases));
    return suite;
}
