/* A whole engine that stands still, as after ^Z or with the lid closed. */
#define _GNU_SOURCE /* fork and signals beside POSIX */

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "engine_try.h"
#include "loop.h"
#include "test_main.h"
#include "turns.h"

enum { STOPPED_MS = 2 * HEARTBEAT_SLACK_MS, TIMEOUT_S = 3 };

static const char task[] = "{'id':'a','steps':[{'timeout_s':3,'run':['sh','-c','echo >ready; "
                           "while [ ! -e go ]; do sleep 0.01; done; echo through']}]}";

static bool has_stopped_in_log(void)
{
    try_read_log();
    return try_count(EVENT_TIME_STOPPED, -1) > 0;
}

/* The whole engine in a process of its own: a test that runs threads cannot stop itself. */
static pid_t fork_engine(void)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    tried.options.quiet_ms = (TIMEOUT_S + 1) * 1000;
    try_start(task);
    struct engine_result result = try_finish();
    _exit(result.exit_code);
}

static void read_plan_here(void)
{
    static const char text[] = "{\"version\":1,\"name\":\"test\",\"idempotent\":true,\"tasks\":["
                               "{\"id\":\"a\",\"steps\":[{\"timeout_s\":3,\"run\":[\"sh\"]}]}]}";
    struct violations violations = {0};
    ck_assert(plan_parse(text, sizeof(text) - 1, &tried.plan, &violations));
    tried.number = 1;
}

START_TEST(test_time_in_which_devs_is_stopped_counts_for_no_timeout)
{
    int status;
    pid_t pid = fork_engine();
    ck_assert(try_await(try_is_ready));
    /* Of its own, it counts from its last look on. */
    const int64_t before_ms = clock_now().mono_ms - HEARTBEAT_MS - HEARTBEAT_SLACK_MS;
    ck_assert_int_eq(kill(pid, SIGSTOP), 0);
    ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
    ck_assert(WIFSTOPPED(status));
    (void)poll(NULL, 0, STOPPED_MS); /* longer than the timeout: that is what is tested */
    ck_assert_int_eq(kill(pid, SIGCONT), 0);

    read_plan_here();
    ck_assert(try_await(has_stopped_in_log));
    const int64_t told_ms = clock_now().mono_ms - before_ms;
    try_make_file("go");
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    try_read_log();
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->a, OUTCOME_EXIT);
    ck_assert_int_ge(try_find(EVENT_ATTEMPT_ENDED, 0)->c, TIMEOUT_S * 1000);
    ck_assert_int_ge(try_find(EVENT_TIME_STOPPED, -1)->a, HEARTBEAT_SLACK_MS);
    ck_assert_int_le(try_find(EVENT_TIME_STOPPED, -1)->a, told_ms);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_QUIET, 0), 0);
}
END_TEST

static const char talker[] =
    "{'id':'a','steps':[{'timeout_s':4,'run':['sh','-c','trap \\\"echo >told; exit 0\\\" TERM; "
    "echo >ready; while :; do echo x; sleep 0.05; done']}]}";

/* The longest that this test itself was not let run, while it looked. */
static int64_t last_look_ms;
static int64_t stall_ms;

static bool is_told(void)
{
    const int64_t now_ms = clock_now().mono_ms;
    if (last_look_ms != 0 && now_ms - last_look_ms > stall_ms)
        stall_ms = now_ms - last_look_ms;
    last_look_ms = now_ms;
    return try_has_file("told");
}

/* Stops that devs noticed and that began in this span. */
static int count_stops(int64_t from_mono_ms, int64_t to_mono_ms)
{
    int count = 0;
    for (size_t i = 0; i < tried.page.count; i++) {
        const struct event *event = &tried.page.events[i];
        if (event->kind == EVENT_TIME_STOPPED && event->at.mono_ms - event->a >= from_mono_ms &&
            event->at.mono_ms <= to_mono_ms)
            count++;
    }
    return count;
}

/* The first wait for the log is the longest; then it is looked for in passing. */
START_TEST(test_a_locked_log_holds_up_no_timeout)
{
    enum { ALLOWED_MS = 4000 + TURNS_WAIT_MS_MAX };
    struct turns turns;
    struct err err = {0};
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", tried.place.dir, 1), 0);
    try_start(talker);
    ck_assert(try_await(try_is_ready));
    ck_assert(turns_init(&turns, &tried.place, &err) && turns_take(&turns, &err));
    const int64_t locked_ms = clock_now().mono_ms;
    last_look_ms = stall_ms = 0;
    bool told = try_await(is_told);
    turns_give(&turns);
    turns_done(&turns);
    const int64_t unlocked_ms = clock_now().mono_ms;
    ck_assert(told);
    (void)try_finish();
    try_read_log();
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->a, OUTCOME_TIMEOUT);
    if (stall_ms > HEARTBEAT_SLACK_MS / 2)
        return; /* the machine stood still, which devs may well tell */
    ck_assert_int_lt(try_find(EVENT_ATTEMPT_ENDED, 0)->c, ALLOWED_MS);
    ck_assert_int_eq(count_stops(locked_ms, unlocked_ms), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_still");
    TCase *tcase = test_case(suite, "still");
    tcase_add_checked_fixture(tcase, try_open, try_close);
    tcase_add_test(tcase, test_a_locked_log_holds_up_no_timeout);
    tcase_add_test(tcase, test_time_in_which_devs_is_stopped_counts_for_no_timeout);
    return suite;
}
