#define _GNU_SOURCE /* environ */

#include "tool_run.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "proc.h"
#include "test_main.h"

enum { LONG_MS = 60000 }; /* no measure */

static struct tool_result result;
static struct err err;

static void clean_up(void)
{
    tool_result_done(&result);
}

static bool run_call(const char *script, struct tool_call call)
{
    char shell[] = "sh";
    char flag[] = "-c";
    char *text = strdup(script);
    char *const argv[] = {shell, flag, text, NULL};
    call.argv = argv;
    call.environment = environ;
    call.cwd = "/";
    const bool ok = tool_run(&call, &result, NULL, &err);
    free(text);
    return ok;
}

static bool run(const char *script)
{
    return run_call(script, (struct tool_call){0});
}

START_TEST(test_output_and_exit_code_are_returned)
{
    ck_assert(run("echo out; echo err >&2; pwd; exit 7"));
    ck_assert_str_eq(str_text(&result.out), "out\n/\n");
    ck_assert_str_eq(str_text(&result.err), "err\n");
    ck_assert_int_eq(result.exit_code, 7);
    ck_assert(!tool_succeeded(&result, "it", &err));
    ck_assert_str_eq(err.message, "it: err (exit 7)");
}
END_TEST

START_TEST(test_a_signal_is_an_exit_code)
{
    ck_assert(run("kill -KILL $$"));
    ck_assert_int_eq(result.exit_code, 128 + SIGKILL);
    ck_assert(!tool_succeeded(&result, "it", &err));
    ck_assert_str_eq(err.message, "it: exit 137");
}
END_TEST

static void note_pid(void *ctx, pid_t pid)
{
    *(pid_t *)ctx = pid;
}

static pid_t told;

static void tell_one(void *ctx, int signal_number)
{
    told = *(pid_t *)ctx;
    (void)kill(told, signal_number);
}

/* Its stop goes by the caller's word alone, which may reach less than the group. */
START_TEST(test_a_session_of_its_own_with_limits)
{
    pid_t pid = 0;
    const struct spawn_limits limits = {.cpu_s = 3};
    ck_assert(
        run_call("ulimit -t; ps -o sid= -p $$ | xargs; echo $$; kill -9 $$",
                 (struct tool_call){
                     .limits = &limits, .own_session = true, .started = note_pid, .ctx = &pid}));
    char want[64];
    (void)snprintf(want, sizeof(want), "3\n%d\n%d\n", (int)pid, (int)pid);
    ck_assert_str_eq(str_text(&result.out), want);
    ck_assert_int_eq(result.signal_number, SIGKILL);
    ck_assert_int_eq(result.exit_code, 128 + SIGKILL);
    tool_result_done(&result);

    atomic_bool stop = true;
    ck_assert(run_call("trap 'echo told; exit 3' TERM; while :; do sleep 0.01; done",
                       (struct tool_call){.own_session = true,
                                          .started = note_pid,
                                          .terminate = tell_one,
                                          .stop = &stop,
                                          .ctx = &pid}));
    ck_assert(result.stopped);
    ck_assert_int_eq(told, pid);
}
END_TEST

static const struct {
    const char *path; /* as given */
    bool keeps_path;
    const char *want; /* "-": the hostile one ran */
} paths[] = {
    {"PATH=/usr/bin:/bin", false, "/usr/bin:/bin\n"},
    {"PATH=:.:bin:/usr/bin::/bin:", false, "/usr/bin:/bin\n"},
    {"PATH=.", false, "\n"}, /* no PATH: the usual folders */
    {"PATH=", false, "\n"},
    {"PATH=.:/usr/bin:/bin", true, "-\n"},
};

/* git runs in a workspace that holds a program named git. */
START_TEST(test_a_program_of_the_tree_is_not_run)
{
    char *const argv[] = {(char[]){"printenv"}, (char[]){"PATH"}, NULL};
    char *const environment[] = {(char *)(uintptr_t)paths[_i].path, (char[]){"A=b"}, NULL};
    const char *tree = test_tmpdir();
    test_write_file(test_path(tree, "printenv"), "#!/bin/sh\necho -\n", 0755);
    const struct tool_call call = {
        .argv = argv, .environment = environment, .cwd = tree, .keeps_path = paths[_i].keeps_path};
    ck_assert_msg(tool_run(&call, &result, NULL, &err), "%s", err.message);
    ck_assert_str_eq(result.out.len > 0 ? str_text(&result.out) : "\n", paths[_i].want);
}
END_TEST

START_TEST(test_gets_its_input)
{
    char *bytes = calloc(1, 300000);
    memset(bytes, 'x', 299999);
    ck_assert(
        run_call("cat | wc -c; cat", (struct tool_call){.input = bytes, .input_len = 299999}));
    ck_assert_str_eq(str_text(&result.out), "299999\n");
    free(bytes);
}
END_TEST

START_TEST(test_keeps_as_much_as_is_asked_for)
{
    ck_assert(run_call("seq 1000000; seq 1000000 >&2",
                       (struct tool_call){.out_max = 100, .err_max = 50}));
    ck_assert_uint_eq(result.out.len, 100);
    ck_assert_uint_eq(result.err.len, 50);
    ck_assert(result.out_cut && result.err_cut);
    ck_assert_int_eq(result.exit_code, 0);
    ck_assert(!tool_succeeded(&result, "it", &err));
    ck_assert_int_eq(err.code, ERR_LIMIT);
}
END_TEST

/* Killed; whoever it was left to may take a while to reap it. */
static bool await_end(pid_t pid)
{
    for (int waited_ms = 0; waited_ms < LONG_MS; waited_ms++) {
        struct proc_facts facts;
        if (!proc_read(pid, &facts) || proc_is_over(&facts))
            return true;
        (void)poll(NULL, 0, 1);
    }
    return false;
}

START_TEST(test_a_timeout_ends_the_whole_group)
{
    int64_t timeout_ms = 100;
    do { /* until the machine is quick enough for it to begin in its time */
        tool_result_done(&result);
        result = (struct tool_result){0};
        ck_assert(run_call("sleep 1000 & trap '' TERM; echo $!; sleep 1000; sleep 1000",
                           (struct tool_call){.timeout_ms = timeout_ms}));
        ck_assert(result.timed_out);
        timeout_ms *= 4;
    } while (result.out.len == 0 && timeout_ms < LONG_MS);
    const long pid = strtol(str_text(&result.out), NULL, 10);
    ck_assert_int_gt(pid, 1);
    ck_assert(await_end((pid_t)pid));
    ck_assert(!tool_succeeded(&result, "it", &err));
    ck_assert_str_eq(err.message, "it: timed out");
}
END_TEST

/* A descendant holds the pipe: the end is that of the program. */
START_TEST(test_a_process_that_holds_the_pipes_is_not_awaited)
{
    const int64_t start_ms = clock_now().mono_ms;
    ck_assert(run("sleep 1000 & echo done"));
    ck_assert_int_lt(clock_now().mono_ms - start_ms, LONG_MS);
    ck_assert_str_eq(str_text(&result.out), "done\n");
    ck_assert_int_eq(result.exit_code, 0);
}
END_TEST

static void *stop_soon(void *flag)
{
    atomic_store((atomic_bool *)flag, true);
    return NULL;
}

START_TEST(test_what_was_stopped_before_has_not_succeeded)
{
    atomic_bool stop = true;
    ck_assert(run_call("exit 0", (struct tool_call){.stop = &stop}));
    ck_assert(result.stopped);
    ck_assert(!tool_succeeded(&result, "it", NULL));
}
END_TEST

START_TEST(test_stops_when_told)
{
    pthread_t thread;
    atomic_bool stop = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    ck_assert(run_call("sleep 60", (struct tool_call){.stop = &stop}));
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(result.stopped && !result.timed_out);
    ck_assert(!tool_succeeded(&result, "it", &err));
    ck_assert_int_eq(err.code, ERR_BUSY);
}
END_TEST

/* In our session, so that the sweep does not take it for an attempt's; alone in its group. */
START_TEST(test_is_in_our_session_and_its_own_group)
{
    char wanted[64];
    ck_assert(run("read -r line </proc/$$/stat; set -- ${line##*)}; "
                  "[ \"$3\" = $$ ] && echo \"$4\"; ls /proc/$$/fd | wc -l"));
    (void)snprintf(wanted, sizeof(wanted), "%d\n", (int)getsid(0));
    ck_assert_msg(strncmp(str_text(&result.out), wanted, strlen(wanted)) == 0, "%s",
                  str_text(&result.out));
}
END_TEST

START_TEST(test_what_is_not_there_cannot_be_started)
{
    char name[] = "no-such-program";
    char *const argv[] = {name, NULL};
    int number = 0;
    const struct tool_call call = {.argv = argv, .environment = environ, .cwd = "/"};
    ck_assert(!tool_run(&call, &result, &number, &err));
    ck_assert_int_eq(number, ENOENT);
    ck_assert_msg(strstr(err.message, "no-such-program"), "%s", err.message);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tool_run");
    TCase *tcase = test_case(suite, "tool_run");
    tcase_add_checked_fixture(tcase, NULL, clean_up);
    tcase_add_test(tcase, test_output_and_exit_code_are_returned);
    tcase_add_test(tcase, test_a_signal_is_an_exit_code);
    tcase_add_test(tcase, test_a_session_of_its_own_with_limits);
    tcase_add_loop_test(tcase, test_a_program_of_the_tree_is_not_run, 0, TABLE_LEN(paths));
    tcase_add_test(tcase, test_gets_its_input);
    tcase_add_test(tcase, test_keeps_as_much_as_is_asked_for);
    tcase_add_test(tcase, test_a_timeout_ends_the_whole_group);
    tcase_add_test(tcase, test_a_process_that_holds_the_pipes_is_not_awaited);
    tcase_add_test(tcase, test_what_was_stopped_before_has_not_succeeded);
    tcase_add_test(tcase, test_stops_when_told);
    tcase_add_test(tcase, test_is_in_our_session_and_its_own_group);
    tcase_add_test(tcase, test_what_is_not_there_cannot_be_started);
    return suite;
}
