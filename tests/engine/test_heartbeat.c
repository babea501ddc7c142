#include "loop.h"

#include <unistd.h>

#include "test_main.h"

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

START_TEST(test_only_what_is_much_too_late_was_stopped)
{
    struct heartbeat heartbeat;
    heartbeat_expect(&heartbeat, START_MS, looks[_i].wait_ms);
    int64_t still_ms = heartbeat_look(&heartbeat, START_MS + looks[_i].after_ms);
    ck_assert_msg(still_ms == looks[_i].still_ms, "%s", looks[_i].name);
}
END_TEST

START_TEST(test_it_is_told_once)
{
    struct heartbeat heartbeat;
    heartbeat_expect(&heartbeat, START_MS, 0);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 10000), 10000);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 10001), 0);
    ck_assert_int_eq(heartbeat_look(&heartbeat, START_MS + 20001), 10000);
}
END_TEST

/* The log was locked for so long: a timeout goes on meanwhile. */
START_TEST(test_waiting_for_the_log_is_not_standing_still)
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
START_TEST(test_a_wait_behind_a_new_watcher_is_as_long_as_its_alarm)
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("heartbeat");
    TCase *tcase = test_case(suite, "heartbeat");
    tcase_add_loop_test(tcase, test_only_what_is_much_too_late_was_stopped, 0, TABLE_LEN(looks));
    tcase_add_test(tcase, test_it_is_told_once);
    tcase_add_test(tcase, test_waiting_for_the_log_is_not_standing_still);
    tcase_add_test(tcase, test_a_wait_behind_a_new_watcher_is_as_long_as_its_alarm);
    return suite;
}
