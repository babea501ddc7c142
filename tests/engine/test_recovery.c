#define _GNU_SOURCE /* setsid and subreaper beside POSIX */

#include "loop.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "event.h"
#include "test_main.h"

enum { NOBODY_MS = 60000, STRANGERS_START = 1 };

static char run_mark[PATH_MAX]; /* ours alone: others may run the same test now */
static struct plan *plan;
static struct run_state state;
static struct recovery recovery;
static struct str ended, left;

static void apply(int64_t seq, enum event_kind kind, int task)
{
    struct event event = {.seq = seq,
                          .at = {.at_ms = 1000 + seq, .mono_ms = 1000 + seq},
                          .kind = kind,
                          .task = task,
                          .step = task < 0 ? -1 : 0,
                          .a = kind == EVENT_RUN_STARTED ? 2 : 0};
    struct err err = {0};
    if (task >= 0)
        event.round = event.grant = event.attempt = 1;
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
}

/* Two tasks, both in flight when their devs died. */
static void setup(void)
{
    static const char text[] = "{\"version\":1,\"idempotent\":true,\"tasks\":["
                               "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]}]},"
                               "{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"]}]}]}";
    struct violations violations = {0};
    (void)snprintf(run_mark, sizeof(run_mark), "DEVS_RUN=%s", test_tmpdir());
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    run_state_init(&state, plan, 1);
    apply(1, EVENT_RUN_STARTED, -1);
    apply(2, EVENT_ATTEMPT_STARTED, 0);
    apply(3, EVENT_ATTEMPT_STARTED, 1);
    recovery_init(&recovery, 2);
}

static void teardown(void)
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
    const struct event event = {
        .kind = EVENT_ATTEMPT_RUNNING, .task = task, .step = 0, .a = pid, .b = start};
    recovery_see(&recovery, &event);
}

static void sweep(void)
{
    recovery_sweep(&recovery, &state, run_mark, &ended, &left);
}

static bool is_alive(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG) == 0;
}

static void end(pid_t pid)
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
    ck_assert(!is_alive(pid));
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
    ck_assert(is_alive(pid));
    ck_assert_uint_eq(ended.len, 0);
    end(pid);
}
END_TEST

/* Its environment says nothing: it threw it away. */
START_TEST(test_session_of_a_recorded_process_is_ended)
{
    const char *const none[] = {NULL};
    pid_t pid = start_sleeper(none);
    record(0, pid, start_of(pid));
    sweep();
    ck_assert(!is_alive(pid));
}
END_TEST

/* The number is another process's by now. */
START_TEST(test_pid_that_was_given_anew_is_left_alone)
{
    const char *const none[] = {NULL};
    pid_t pid = start_sleeper(none);
    record(0, pid, start_of(pid) - STRANGERS_START);
    sweep();
    ck_assert(is_alive(pid));
    end(pid);
}
END_TEST

/* What a shell with the mark starts without it, in a session of its own. The second stays when it
 * is told to end, and by then has no parent by which it is known. */
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
    ck_assert(!is_alive(pid));
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
    ck_assert(!is_alive(pid));
    ck_assert_int_ge(clock_now().mono_ms - from_ms, RECOVERY_TERM_MS);
}
END_TEST

START_TEST(test_what_stands_still_is_ended)
{
    const char *const marked[] = {run_mark, NULL};
    pid_t pid = start_sleeper(marked);
    ck_assert_int_eq(kill(pid, SIGSTOP), 0);
    sweep();
    ck_assert(!is_alive(pid));
}
END_TEST

/* We stand in for somebody who may not signal it. */
START_TEST(test_step_of_what_is_left_does_not_start)
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
    end(pid);
    ck_assert(!recovery_refuses(&recovery, 0, &err));
    ck_assert(!recovery_refuses(&recovery, 1, &err));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("recovery");
    TCase *tcase = test_case(suite, "recovery");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_nothing_is_left);
    tcase_add_test(tcase, test_process_with_the_mark_is_ended);
    tcase_add_test(tcase, test_other_runs_are_left_alone);
    tcase_add_test(tcase, test_session_of_a_recorded_process_is_ended);
    tcase_add_test(tcase, test_pid_that_was_given_anew_is_left_alone);
    tcase_add_loop_test(tcase, test_children_go_too, 0, TABLE_LEN(child_cases));
    tcase_add_test(tcase, test_what_ignores_term_is_killed);
    tcase_add_test(tcase, test_what_stands_still_is_ended);
    tcase_add_test(tcase, test_step_of_what_is_left_does_not_start);
    return suite;
}
