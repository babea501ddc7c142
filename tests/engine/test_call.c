#include "attempt_internal.h"

#include <string.h>

#include "contract.h"
#include "test_main.h"

static char path[] = "PATH=/bin";
static char home[] = "HOME=/root";
static char homestead[] = "HOMESTEAD=far";
static char stale_run[] = "DEVS_RUN=stale";
static char stale_step[] = "DEVS_STEP=stale";
static char *const inherited[] = {path, home, stale_run, homestead, stale_step, NULL};

static struct plan *plan;
static struct call_setting setting;
static struct call call;

static void setup(void)
{
    static const char text[] =
        "{\"version\":1,\"name\":\"t\",\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":["
        "{\"run\":[\"true\"]},"
        "{\"run\":[\"true\"],\"cwd\":\"sub\",\"stdin\":\"in.txt\",\"env\":{\"HOME\":\"/own\"}},"
        "{\"run\":[\"true\"],\"cwd\":\"/abs\",\"stdin\":\"/abs/in\"}]}]}";
    struct violations violations = {0};
    bool ok = plan_parse(text, sizeof(text) - 1, &plan, &violations);
    violations_done(&violations);
    ck_assert(ok);
    setting = (struct call_setting){
        .plan = plan, .run_dir = "/run", .environment = inherited, .run_mark = "DEVS_RUN=u"};
}

static void teardown(void)
{
    call_done(&call);
    plan_free(plan);
}

static int count_named(const char *name)
{
    int count = 0;
    for (size_t i = 0; call.environment[i]; i++)
        count += strncmp(call.environment[i], name, strlen(name)) == 0;
    return count;
}

static bool has_entry(const char *entry)
{
    for (size_t i = 0; call.environment[i]; i++) {
        if (strcmp(call.environment[i], entry) == 0)
            return true;
    }
    return false;
}

START_TEST(test_plain_step_gets_the_environment_and_our_marks)
{
    call_init(&call, &setting, 0, 0);
    ck_assert_str_eq(call.cwd, "/run");
    ck_assert_ptr_null(call.stdin_path);
    ck_assert(has_entry("DEVS_RUN=u"));
    ck_assert(has_entry("DEVS_STEP=a/1"));
    ck_assert_int_eq(count_named("DEVS_RUN="), 1);
    ck_assert_int_eq(count_named("DEVS_STEP="), 1);
    ck_assert(has_entry("PATH=/bin"));
    ck_assert(has_entry("HOME=/root"));
}
END_TEST

START_TEST(test_own_entries_win_and_paths_are_the_runs)
{
    call_init(&call, &setting, 0, 1);
    ck_assert_str_eq(call.cwd, "/run/sub");
    ck_assert_str_eq(call.stdin_path, "/run/in.txt");
    ck_assert(has_entry("HOME=/own"));
    ck_assert_int_eq(count_named("HOME="), 1);
    ck_assert(has_entry("HOMESTEAD=far"));
    ck_assert(has_entry("DEVS_STEP=a/2"));
}
END_TEST

START_TEST(test_absolute_paths_stay)
{
    call_init(&call, &setting, 0, 2);
    ck_assert_str_eq(call.cwd, "/abs");
    ck_assert_str_eq(call.stdin_path, "/abs/in");
}
END_TEST

START_TEST(test_no_environment_at_all)
{
    static char *const none[] = {NULL};
    setting.environment = none;
    call_init(&call, &setting, 0, 0);
    ck_assert_str_eq(call.environment[0], "DEVS_RUN=u");
    ck_assert_str_eq(call.environment[1], "DEVS_STEP=a/1");
    ck_assert_ptr_null(call.environment[2]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("call");
    TCase *tcase = test_case(suite, "call");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_plain_step_gets_the_environment_and_our_marks);
    tcase_add_test(tcase, test_own_entries_win_and_paths_are_the_runs);
    tcase_add_test(tcase, test_absolute_paths_stay);
    tcase_add_test(tcase, test_no_environment_at_all);
    return suite;
}
