#define _GNU_SOURCE /* fork beside POSIX */

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine_try.h"
#include "proc.h"
#include "test_main.h"

/* Says that it is up, and what it is, and stays until it may go. */
#define STAYS "echo $$ >>pids; test -e go || { : >ready; sleep 600; }"

/* What its attempt's process wrote: the first pid. */
static pid_t first_pid(void)
{
    char path[PATH_MAX];
    char line[32] = "";
    (void)snprintf(path, sizeof(path), "%s/pids", tried.dir);
    FILE *file = fopen(path, "re");
    ck_assert_ptr_nonnull(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    ck_assert_int_eq(fclose(file), 0);
    return (pid_t)strtol(line, NULL, 10);
}

static bool is_running(void)
{
    try_read_log();
    return try_has_file("ready") && try_count(EVENT_ATTEMPT_RUNNING, 0) > 0;
}

static bool runs_twice(void)
{
    try_read_log();
    return try_has_file("ready") && try_count(EVENT_ATTEMPT_RUNNING, 0) > 1;
}

static bool runs_twice_and_other_is_over(void)
{
    return runs_twice() && try_count(EVENT_ATTEMPT_ENDED, 1) > 0;
}

/* Another process begins the run and is killed once `ready` says so. */
static void die(const char *tasks, bool (*ready)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        try_start(tasks);
        (void)try_await(ready);
        (void)kill(getpid(), SIGKILL);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFSIGNALED(status));
    ck_assert_int_eq(WTERMSIG(status), SIGKILL);
}

static struct engine_result go_on(const char *tasks)
{
    try_make_file("go");
    tried.options.resume = 1;
    try_start(tasks);
    struct engine_result result = try_finish();
    try_read_log();
    return result;
}

static bool is_alive(pid_t pid)
{
    struct proc_facts facts;
    return proc_read(pid, &facts) && !proc_is_over(&facts);
}

static void change_log(const char *sql)
{
    sqlite3 *base = NULL;
    ck_assert_int_eq(sqlite3_open(tried.place.db, &base), SQLITE_OK);
    ck_assert_int_eq(sqlite3_busy_timeout(base, TRY_DEADLINE_MS), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(base, sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(base), SQLITE_OK);
}

START_TEST(test_what_ran_is_ended_and_runs_again)
{
    static const char tasks[] = "{'id':'a','steps':[{'run':['sh','-c','" STAYS "']}]}";
    die(tasks, is_running);
    pid_t pid = first_pid();
    ck_assert_int_eq(go_on(tasks).exit_code, 0);
    ck_assert(!is_alive(pid));
    ck_assert_uint_eq(try_count(EVENT_RUN_STARTED, -1), 1);
    ck_assert_uint_eq(try_count(EVENT_RUN_RECOVERED, -1), 1);
    ck_assert_int_eq(try_find(EVENT_RUN_RECOVERED, -1)->a, 0);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->a, OUTCOME_INTERRUPTED);
    ck_assert_ptr_nonnull(
        strstr(try_find(EVENT_NOTE, -1)->text, "killed what was left of the run"));
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_uint_eq(tried.state.tasks[0].steps[0].attempt_count, 2);
}
END_TEST

START_TEST(test_success_in_the_log_is_not_run_again)
{
    static const char tasks[] =
        "{'id':'b','steps':[{'run':['true']},{'run':['sh','-c','" STAYS "']}]},"
        "{'id':'c','steps':[{'run':['true']}]}";
    die(tasks, runs_twice_and_other_is_over);
    ck_assert_int_eq(go_on(tasks).exit_code, 0);
    ck_assert_uint_eq(tried.state.tasks[0].steps[0].attempt_count, 1);
    ck_assert_uint_eq(tried.state.tasks[0].steps[1].attempt_count, 2);
    ck_assert_uint_eq(tried.state.tasks[1].steps[0].attempt_count, 1);
}
END_TEST

/* A pid of an earlier boot is anybody's: nothing is looked for. */
START_TEST(test_after_a_reboot_no_process_is_touched)
{
    static const char tasks[] = "{'id':'a','steps':[{'run':['sh','-c','" STAYS "']}]}";
    die(tasks, is_running);
    pid_t pid = first_pid();
    change_log("UPDATE run SET boot='of an earlier boot'");
    ck_assert_int_eq(go_on(tasks).exit_code, 0);
    ck_assert_int_eq(try_find(EVENT_RUN_RECOVERED, -1)->a, 1);
    ck_assert_uint_eq(try_count(EVENT_NOTE, -1), 0);
    ck_assert(is_alive(pid));
    ck_assert_int_eq(kill(-pid, SIGKILL), 0);
}
END_TEST

/* What attempts wrote before counts for what is new afterwards. */
START_TEST(test_memory_of_output_goes_on)
{
    static const char tasks[] =
        "{'id':'a','steps':[{'policy':'quick','run':['sh','-c','echo one and the same; test -e go"
        " && exit 1; test -e first || { : >first; exit 1; }; : >ready; sleep 600']}]}";
    die(tasks, runs_twice);
    ck_assert_int_eq(go_on(tasks).exit_code, 1);
    const struct step_state *step = &tried.state.tasks[0].steps[0];
    ck_assert_uint_ge(step->attempt_count, 3);
    ck_assert_int_eq(step->attempts[0].new_permille, 1000);
    ck_assert_int_eq(step->attempts[1].outcome.kind, OUTCOME_INTERRUPTED);
    ck_assert_int_eq(step->attempts[2].new_permille, 0);
}
END_TEST

START_TEST(test_slots_may_be_others)
{
    static const char tasks[] = "{'id':'a','steps':[{'run':['sh','-c','" STAYS "']}]}";
    die(tasks, is_running);
    tried.options.jobs = 7;
    ck_assert_int_eq(go_on(tasks).exit_code, 0);
    ck_assert_int_eq(try_find(EVENT_RUN_RECOVERED, -1)->b, 7);
    ck_assert_int_eq(tried.state.jobs, 7);
}
END_TEST

START_TEST(test_run_that_has_an_owner_is_left_alone)
{
    static const char tasks[] = "{'id':'a','steps':[{'run':['sh','-c','" STAYS "']}]}";
    struct engine *other = NULL;
    struct err err = {0};
    int64_t number = 0;
    try_start(tasks);
    ck_assert(try_await(is_running));
    struct engine_options options = tried.options;
    options.resume = 1;
    ck_assert(!engine_start(&other, &options, &number, &err));
    ck_assert_int_eq(err.code, ERR_BUSY);
    ck_assert(is_alive(first_pid()));
    try_make_file("go");
    engine_cancel(tried.engine, "tester");
    (void)try_finish();
    try_read_log();
    ck_assert_uint_eq(try_count(EVENT_RUN_RECOVERED, -1), 0);
}
END_TEST

START_TEST(test_run_that_has_ended_is_refused)
{
    struct err err = {0};
    try_start("{'id':'a','steps':[{'run':['true']}]}");
    (void)try_finish();
    tried.options.resume = 1;
    ck_assert(!engine_start(&tried.engine, &tried.options, &tried.number, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

/* Unless it is to be taken up: only what failed is run, and an act that is refused runs nothing. */
START_TEST(test_run_that_has_ended_is_taken_up)
{
    static const char tasks[] = "{'id':'a','steps':[{'phase':'RED','run':['test','-e','go']}]},"
                                "{'id':'p','steps':[{'run':['true']}]}";
    try_start(tasks);
    (void)try_finish();
    const struct control of_passed = {.verb = CONTROL_RETRY, .task = 1, .step = -1, .by = "tester"};
    tried.options.resume = 1;
    tried.options.take_up = TAKE_UP_ASKED;
    tried.options.asked = &of_passed;
    tried.options.asked_count = 1;
    try_start(tasks);
    (void)try_finish();
    try_read_log();
    ck_assert_int_eq(try_find(EVENT_CONTROL_ANSWERED, 1)->b, 0);
    ck_assert_uint_eq(try_count(EVENT_RUN_ENDED, -1), 1);

    try_make_file("go");
    tried.options.take_up = TAKE_UP_FAILED;
    tried.options.asked_count = 0;
    try_start(tasks);
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 2);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 1), 1);
    ck_assert_uint_eq(try_count(EVENT_RUN_ENDED, -1), 2);
}
END_TEST

static bool is_noted(void)
{
    try_read_log();
    return try_count(EVENT_NOTE, -1) > 0;
}

/* One that stays for a person ends by itself once nobody watches. */
START_TEST(test_detached_engine_ends_by_itself)
{
    tried.options.at_end = ENGINE_LINGER;
    try_start("{'id':'a','steps':[{'run':['sh','-c','" STAYS "']}]}");
    ck_assert(try_await(is_running));
    engine_detach(tried.engine, "the terminal is gone");
    ck_assert(try_await(is_noted));
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_NOTE, -1)->text, "the terminal is gone"));
    engine_cancel(tried.engine, "tester");
    ck_assert_int_eq(try_finish().exit_code, 130);
}
END_TEST

static bool has_ended(void)
{
    try_read_log();
    return try_count(EVENT_RUN_ENDED, -1) > 0;
}

/* A run that has ended is no longer for going on without a terminal. */
START_TEST(test_engine_that_is_detached_behind_the_end_notes_nothing)
{
    tried.options.at_end = ENGINE_LINGER;
    try_start("{'id':'a','steps':[{'run':['true']}]}");
    ck_assert(try_await(has_ended));
    engine_detach(tried.engine, "the terminal is gone");
    ck_assert_int_eq(try_finish().exit_code, 0);
    ck_assert(!is_noted());
}
END_TEST

/* Likewise once a person reads lines: there is somebody, so there is nothing to note. */
START_TEST(test_engine_of_lines_ends_by_itself_and_notes_nothing)
{
    tried.options.at_end = ENGINE_LINGER;
    try_start("{'id':'a','steps':[{'run':['true']}]}");
    engine_detach(tried.engine, NULL);
    ck_assert_int_eq(try_finish().exit_code, 0);
    ck_assert(!is_noted());
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("resume");
    TCase *tcase = test_case(suite, "resume");
    tcase_add_checked_fixture(tcase, try_open, try_close);
    tcase_add_test(tcase, test_what_ran_is_ended_and_runs_again);
    tcase_add_test(tcase, test_success_in_the_log_is_not_run_again);
    tcase_add_test(tcase, test_after_a_reboot_no_process_is_touched);
    tcase_add_test(tcase, test_memory_of_output_goes_on);
    tcase_add_test(tcase, test_slots_may_be_others);
    tcase_add_test(tcase, test_run_that_has_an_owner_is_left_alone);
    tcase_add_test(tcase, test_run_that_has_ended_is_refused);
    tcase_add_test(tcase, test_run_that_has_ended_is_taken_up);
    tcase_add_test(tcase, test_detached_engine_ends_by_itself);
    tcase_add_test(tcase, test_engine_that_is_detached_behind_the_end_notes_nothing);
    tcase_add_test(tcase, test_engine_of_lines_ends_by_itself_and_notes_nothing);
    return suite;
}
