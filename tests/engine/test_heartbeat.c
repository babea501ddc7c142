#include "heartbeat.h"

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

Suite *test_suite(void)
{
    Suite *suite = suite_create("heartbeat");
    TCase *tcase = test_case(suite, "heartbeat");
    tcase_add_loop_test(tcase, test_only_what_is_much_too_late_was_stopped, 0, TABLE_LEN(looks));
    tcase_add_test(tcase, test_it_is_told_once);
    tcase_add_test(tcase, test_waiting_for_the_log_is_not_standing_still);
    return suite;
}
