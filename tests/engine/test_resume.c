#define _GNU_SOURCE /* setsid and subreaper beside POSIX, fork beside POSIX */

#include "engine_try.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "event.h"
#include "loop.h"
#include "proc.h"
#include "test_main.h"

enum { NOBODY_MS = 60000, STRANGERS_START = 1 };

static char run_mark[PATH_MAX]; /* ours alone: others may run the same test now */
static struct plan *plan;
static struct run_state state;
static struct recovery recovery;
static struct str ended, left;

static void apply_event(int64_t seq, enum event_kind kind, int task)
{
    struct event event = event_new(kind);
    struct err err = {0};
    event.seq = seq;
    event.at = (struct moment){.at_ms = 1000 + seq, .mono_ms = 1000 + seq};
    event.task = task;
    event.step = task < 0 ? -1 : 0;
    if (kind == EVENT_RUN_STARTED)
        event.run_started.jobs = 2;
    if (task >= 0)
        event.round = event.grant = event.attempt = 1;
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
}

/* Two tasks, both in flight when their devs died. */
static void open_dead_run(void)
{
    static const char text[] = "{\"version\":1,\"idempotent\":true,\"tasks\":["
                               "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]}]},"
                               "{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"]}]}]}";
    struct violations violations = {0};
    (void)snprintf(run_mark, sizeof(run_mark), "DEVS_RUN=%s", test_tmpdir());
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    run_state_init(&state, plan, 1);
    apply_event(1, EVENT_RUN_STARTED, -1);
    apply_event(2, EVENT_ATTEMPT_STARTED, 0);
    apply_event(3, EVENT_ATTEMPT_STARTED, 1);
    recovery_init(&recovery, 2);
}

static void close_dead_run(void)
{
    recovery_done(&recovery);
    run_state_done(&state);
    plan_free(plan);
    str_done(&ended);
    str_done(&left);
}

/* A process that sleeps in a session of its own, with this environment. */
static pid_t start_sleeper(const char *const *environment)
{
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char *const argv[] = {(char *)(uintptr_t) "sleep", (char *)(uintptr_t) "600", NULL};
        (void)setsid();
        (void)close(ready[0]);
        (void)dup2(ready[1], STDOUT_FILENO);
        (void)execve("/bin/sleep", argv, (char *const *)(uintptr_t)environment);
        _exit(127);
    }
    (void)close(ready[1]);
    struct proc_facts facts;
    bool runs = false; /* the program, not we any more */
    for (int i = 0; !runs && i < NOBODY_MS; i++) {
        runs = proc_read(pid, &facts) && strcmp(facts.name, "sleep") == 0;
        (void)poll(NULL, 0, runs ? 0 : 1);
    }
    ck_assert(runs);
    (void)close(ready[0]);
    return pid;
}

static int64_t start_of(pid_t pid)
{
    struct proc_facts facts;
    ck_assert(proc_read(pid, &facts));
    return facts.start;
}

/* What attempt_running says of it. */
static void record(int task, pid_t pid, int64_t start)
{
    const struct event event = {.kind = EVENT_ATTEMPT_RUNNING,
                                .task = task,
                                .step = 0,
                                .running = {.pid = pid, .pid_start = start}};
    recovery_see(&recovery, &event);
}

static void sweep(void)
{
    recovery_sweep(&recovery, &state, run_mark, &ended, &left);
}

static bool is_unreaped(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) == 0;
}

static void end_process(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
}

START_TEST(test_nothing_is_left)
{
    sweep();
    ck_assert_uint_eq(ended.len, 0);
    ck_assert_uint_eq(left.len, 0);
}
END_TEST

START_TEST(test_process_with_the_mark_is_ended)
{
    const char *const marked[] = {"A=1", run_mark, NULL};
    pid_t pid = start_sleeper(marked);
    char name[64];
    (void)snprintf(name, sizeof(name), "sleep (pid %d)", (int)pid);
    sweep();
    ck_assert(!is_unreaped(pid));
    ck_assert_str_eq(str_text(&ended), name);
    ck_assert_uint_eq(left.len, 0);
}
END_TEST

START_TEST(test_other_runs_are_left_alone)
{
    char longer[PATH_MAX + 2];
    char within[PATH_MAX + 2];
    (void)snprintf(longer, sizeof(longer), "%sg", run_mark);
    (void)snprintf(within, sizeof(within), "X=%s", run_mark);
    const char *const other[] = {longer, within, NULL};
    pid_t pid = start_sleeper(other);
    sweep();
    ck_assert(is_unreaped(pid));
    ck_assert_uint_eq(ended.len, 0);
    end_process(pid);
}
END_TEST

/* Its environment says nothing: it threw it away. */
START_TEST(test_session_of_a_recorded_process_is_ended)
{
    const char *const none[] = {NULL};
    pid_t pid = start_sleeper(none);
    record(0, pid, start_of(pid));
    sweep();
    ck_assert(!is_unreaped(pid));
}
END_TEST

/* The number is another process's by now. */
START_TEST(test_a_reused_pid_is_left_alone)
{
    const char *const none[] = {NULL};
    pid_t pid = start_sleeper(none);
    record(0, pid, start_of(pid) - STRANGERS_START);
    sweep();
    ck_assert(is_unreaped(pid));
    end_process(pid);
}
END_TEST

/* What a shell with the mark starts without it, in a session of its own. The second ignores
 * the request to end; its parent, by which it could be found, has exited by then. */
static const char *const child_cases[] = {
    "env -i setsid sleep 600 & echo $!; wait",
    "env -i setsid sh -c 'trap \"\" TERM; echo $$; sleep 600' & wait",
};

START_TEST(test_children_go_too)
{
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                              (char *)(uintptr_t)child_cases[_i], NULL};
        char *const environment[] = {(char *)(uintptr_t)run_mark,
                                     (char *)(uintptr_t) "PATH=/usr/bin:/bin", NULL};
        (void)dup2(ready[1], STDOUT_FILENO);
        (void)setsid();
        (void)execve("/bin/sh", argv, environment);
        _exit(127);
    }
    (void)close(ready[1]);
    char line[32] = "";
    ck_assert_int_gt(read(ready[0], line, sizeof(line) - 1), 0);
    pid_t child = (pid_t)strtol(line, NULL, 10);
    ck_assert_int_gt(child, 0);
    sweep();
    struct proc_facts facts;
    ck_assert(!is_unreaped(pid));
    ck_assert(!proc_read(child, &facts) || proc_is_over(&facts));
    (void)close(ready[0]);
}
END_TEST

START_TEST(test_what_ignores_term_is_killed)
{
    const char *const marked[] = {run_mark, NULL};
    int64_t from_ms = clock_now().mono_ms;
    (void)signal(SIGTERM, SIG_IGN); /* which the sleeper inherits */
    pid_t pid = start_sleeper(marked);
    (void)signal(SIGTERM, SIG_DFL);
    sweep();
    ck_assert(!is_unreaped(pid));
    ck_assert_int_ge(clock_now().mono_ms - from_ms, RECOVERY_TERM_MS);
}
END_TEST

START_TEST(test_a_stopped_process_is_ended)
{
    const char *const marked[] = {run_mark, NULL};
    pid_t pid = start_sleeper(marked);
    ck_assert_int_eq(kill(pid, SIGSTOP), 0);
    sweep();
    ck_assert(!is_unreaped(pid));
}
END_TEST

/* We stand in for somebody who may not signal it. */
START_TEST(test_a_step_with_a_leftover_process_does_not_start)
{
    const char *const none[] = {NULL};
    struct err err = {0};
    pid_t pid = start_sleeper(none);
    struct recovery_left *kept = &recovery.left[recovery.left_count++];
    kept->task = 1;
    kept->forbidden = true;
    ck_assert(proc_read(pid, &kept->facts));

    ck_assert(!recovery_refuses(&recovery, 0, &err));
    ck_assert(recovery_refuses(&recovery, 1, &err));
    ck_assert_ptr_nonnull(strstr(err.message, "sleep (pid "));
    ck_assert_ptr_nonnull(strstr(err.message, "this user may not kill it"));
    kept->task = RECOVERY_ANYBODYS;
    ck_assert(recovery_refuses(&recovery, 0, &err));
    end_process(pid);
    ck_assert(!recovery_refuses(&recovery, 0, &err));
    ck_assert(!recovery_refuses(&recovery, 1, &err));
}
END_TEST

/* Says that it is up, and what it is, and stays until it may go. */
#define STAYS "echo $$ >>pids; test -e go || { : >ready; sleep 600; }"

/* What its attempt's process wrote: the first pid. */
static pid_t first_pid(void)
{
    char line[32] = "";
    FILE *file = fopen(test_path(tried.dir, "pids"), "re");
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
    tried.options.jobs = 7;
    ck_assert_int_eq(go_on(tasks).exit_code, 0);
    ck_assert(!is_alive(pid));
    ck_assert_uint_eq(try_count(EVENT_RUN_STARTED, -1), 1);
    ck_assert_uint_eq(try_count(EVENT_RUN_RECOVERED, -1), 1);
    ck_assert_int_eq(try_find(EVENT_RUN_RECOVERED, -1)->recovered.rebooted, 0);
    ck_assert_int_eq(try_find(EVENT_RUN_RECOVERED, -1)->recovered.jobs, 7);
    ck_assert_int_eq(tried.state.jobs, 7);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_INTERRUPTED);
    ck_assert_ptr_nonnull(
        strstr(try_find(EVENT_NOTE, -1)->data, "killed processes left by the run"));
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
    ck_assert_int_eq(try_find(EVENT_RUN_RECOVERED, -1)->recovered.rebooted, 1);
    ck_assert_uint_eq(try_count(EVENT_NOTE, -1), 0);
    ck_assert(is_alive(pid));
    ck_assert_int_eq(kill(-pid, SIGKILL), 0);
}
END_TEST

/* What attempts wrote before counts for what is new afterwards. */
START_TEST(test_the_memory_of_output_survives)
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
    try_run(tasks, TRY_ANY_EXIT);
    ck_assert_int_eq(try_find(EVENT_CONTROL_ANSWERED, 1)->answered.done, 0);
    ck_assert_uint_eq(try_count(EVENT_RUN_ENDED, -1), 1);

    try_make_file("go");
    tried.options.take_up = TAKE_UP_FAILED;
    tried.options.asked_count = 0;
    try_run(tasks, 0);
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
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_NOTE, -1)->data, "the terminal is gone"));
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
START_TEST(test_an_engine_detached_after_the_end_notes_nothing)
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
    TCase *recovery_cases = test_case(suite, "recovery");
    tcase_add_checked_fixture(recovery_cases, open_dead_run, close_dead_run);
    tcase_add_test(recovery_cases, test_nothing_is_left);
    tcase_add_test(recovery_cases, test_process_with_the_mark_is_ended);
    tcase_add_test(recovery_cases, test_other_runs_are_left_alone);
    tcase_add_test(recovery_cases, test_session_of_a_recorded_process_is_ended);
    tcase_add_test(recovery_cases, test_a_reused_pid_is_left_alone);
    tcase_add_loop_test(recovery_cases, test_children_go_too, 0, TABLE_LEN(child_cases));
    tcase_add_test(recovery_cases, test_what_ignores_term_is_killed);
    tcase_add_test(recovery_cases, test_a_stopped_process_is_ended);
    tcase_add_test(recovery_cases, test_a_step_with_a_leftover_process_does_not_start);
    TCase *resume_cases = test_case(suite, "resume");
    tcase_add_checked_fixture(resume_cases, try_open, try_close);
    tcase_add_test(resume_cases, test_what_ran_is_ended_and_runs_again);
    tcase_add_test(resume_cases, test_success_in_the_log_is_not_run_again);
    tcase_add_test(resume_cases, test_after_a_reboot_no_process_is_touched);
    tcase_add_test(resume_cases, test_the_memory_of_output_survives);
    tcase_add_test(resume_cases, test_run_that_has_an_owner_is_left_alone);
    tcase_add_test(resume_cases, test_run_that_has_ended_is_refused);
    tcase_add_test(resume_cases, test_run_that_has_ended_is_taken_up);
    tcase_add_test(resume_cases, test_detached_engine_ends_by_itself);
    tcase_add_test(resume_cases, test_an_engine_detached_after_the_end_notes_nothing);
    tcase_add_test(resume_cases, test_engine_of_lines_ends_by_itself_and_notes_nothing);
    return suite;
}
