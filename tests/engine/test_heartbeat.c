#define _GNU_SOURCE /* fork and signals beside POSIX */

#include "loop.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "engine_try.h"
#include "test_main.h"
#include "turns.h"

enum { START_MS = 100000 };

static const struct {
    const char *name;
    int64_t wait_ms;  /* what was said */
    int64_t after_ms; /* when the look came */
    int64_t still_ms; /* what it says */
} looks[] = {
    {"in time", 1000, 1000, 0},
    {"early", 1000, 3, 0},
    {"late as on a busy machine", 1000, 1000 + HEARTBEAT_SLACK_MS, 0},
    {"stopped for a minute", 1000, 61000, 60000},
    {"stopped without waiting", 0, 5000, 5000},
    {"a wait without an end", -1, 3600000, 0},
};

START_TEST(test_only_a_long_delay_counts_as_a_stop)
{
    struct heartbeat heartbeat;
    heartbeat_expect(&heartbeat, START_MS, looks[_i].wait_ms);
    int64_t still_ms = heartbeat_look(&heartbeat, START_MS + looks[_i].after_ms);
    ck_assert_msg(still_ms == looks[_i].still_ms, "%s", looks[_i].name);
}
END_TEST

START_TEST(test_a_stop_is_reported_once)
{
    struct heartbeat heartbeat;
    heartbeat_expect(&heartbeat, START_MS, 0);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 10000), 10000);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 10001), 0);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 20001), 10000);
}
END_TEST

/* The log was locked for so long: a timeout goes on meanwhile. */
START_TEST(test_waiting_for_the_log_is_no_stop)
{
    struct heartbeat heartbeat;
    heartbeat_expect(&heartbeat, START_MS, 0);
    heartbeat_excuse(&heartbeat, 6000);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 6001), 0);
    heartbeat_excuse(&heartbeat, 60000);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 66001), 60000 - HEARTBEAT_LOG_MS);
    heartbeat_expect(&heartbeat, START_MS, -1);
    heartbeat_excuse(&heartbeat, 6000);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 66001), 0);
}
END_TEST

static void ignore_bytes(uv_poll_t *handle, int status, int events)
{
    (void)handle;
    (void)status;
    (void)events;
}

static void ignore_ring(uv_timer_t *timer)
{
    (void)timer;
}

/* A wait of minutes was told as time that devs stood still, where libuv had a descriptor to
 * register before it. */
START_TEST(test_a_wait_with_a_new_watcher_lasts_until_its_alarm)
{
    enum { WAIT_MS = 5000 };
    uv_loop_t uv;
    uv_timer_t alarm;
    uv_poll_t watcher;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(uv_loop_init(&uv), 0);
    ck_assert_int_eq(uv_timer_init(&uv, &alarm), 0);
    ck_assert_int_eq(uv_poll_init(&uv, &watcher, ends[0]), 0);
    ck_assert_int_eq(uv_poll_start(&watcher, UV_READABLE, ignore_bytes), 0);
    ck_assert_int_eq(heartbeat_wait_ms(&uv, &alarm), -1);
    ck_assert_int_eq(uv_timer_start(&alarm, ignore_ring, WAIT_MS, 0), 0);
    ck_assert_int_eq(uv_backend_timeout(&uv), 0); /* what it was taken for */
    ck_assert_int_eq(heartbeat_wait_ms(&uv, &alarm), WAIT_MS);
    uv_close((uv_handle_t *)&alarm, NULL);
    uv_close((uv_handle_t *)&watcher, NULL);
    (void)uv_run(&uv, UV_RUN_DEFAULT);
    ck_assert_int_eq(uv_loop_close(&uv), 0);
    (void)close(ends[0]);
    (void)close(ends[1]);
}
END_TEST

/* A whole engine that stands still, as after ^Z or with the lid closed. */

enum { STOPPED_MS = 2 * HEARTBEAT_SLACK_MS, TIMEOUT_S = 3 };

static const char waiter[] = "{'id':'a','steps':[{'timeout_s':3,'run':['sh','-c','echo >ready; "
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
    try_start(waiter);
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

START_TEST(test_suspended_time_does_not_count_toward_the_timeout)
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
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_EXIT);
    ck_assert_int_ge(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.ran_ms, TIMEOUT_S * 1000);
    ck_assert_int_ge(try_find(EVENT_TIME_STOPPED, -1)->stopped.ms, HEARTBEAT_SLACK_MS);
    ck_assert_int_le(try_find(EVENT_TIME_STOPPED, -1)->stopped.ms, told_ms);
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
        if (event->kind == EVENT_TIME_STOPPED &&
            event->at.mono_ms - event->stopped.ms >= from_mono_ms &&
            event->at.mono_ms <= to_mono_ms)
            count++;
    }
    return count;
}

/* The first wait for the log is the longest; then it is looked for in passing. */
START_TEST(test_a_locked_log_does_not_delay_a_timeout)
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
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_TIMEOUT);
    if (stall_ms > HEARTBEAT_SLACK_MS / 2)
        return; /* the machine stood still, which devs may well tell */
    ck_assert_int_lt(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.ran_ms, ALLOWED_MS);
    ck_assert_int_eq(count_stops(locked_ms, unlocked_ms), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("heartbeat");
    TCase *heartbeat_cases = test_case(suite, "heartbeat");
    tcase_add_loop_test(heartbeat_cases, test_only_a_long_delay_counts_as_a_stop, 0,
                        TABLE_LEN(looks));
    tcase_add_test(heartbeat_cases, test_a_stop_is_reported_once);
    tcase_add_test(heartbeat_cases, test_waiting_for_the_log_is_no_stop);
    tcase_add_test(heartbeat_cases, test_a_wait_with_a_new_watcher_lasts_until_its_alarm);
    TCase *still_cases = test_case(suite, "still");
    tcase_add_checked_fixture(still_cases, try_open, try_close);
    tcase_add_test(still_cases, test_a_locked_log_does_not_delay_a_timeout);
    tcase_add_test(still_cases, test_suspended_time_does_not_count_toward_the_timeout);
    return suite;
}
