/* How a child is brought to its end: by its time, by a cancel, and what its grace is. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "child_try.h"
#include "clock.h"
#include "test_main.h"

START_TEST(test_timeout_is_term)
{
    struct watched watched = {0};
    run_script_with(&watched, "exec sleep 1000", 100, LONG_MS);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_eq(watched.end.outcome.code, 128 + SIGTERM);
    ck_assert_int_ge(watched.end.outcome.ran_ms, 100);
    ck_assert_int_lt(watched.end.outcome.ran_ms, LONG_MS);
    watched_done(&watched);
}
END_TEST

START_TEST(test_timeout_kills_what_ignores_term)
{
    struct watched watched = {0};
    int64_t timeout_ms = 100;
    for (int round = 0; round < ROUNDS && watched.bytes[0] == 0; round++, timeout_ms *= 2) {
        watched_done(&watched);
        watched = (struct watched){0};
        run_script(&watched, "trap '' TERM; echo deaf; while :; do sleep 0.01; done", timeout_ms);
    }
    ck_assert_str_eq(str_text(&watched.text[0]), "deaf\n"); /* before it was told */
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_eq(watched.end.outcome.code, 128 + SIGKILL);
    ck_assert_int_ge(watched.end.outcome.ran_ms, 100 + GRACE_MS);
    ck_assert_int_eq(watched.end.outcome.left, 0);
    watched_done(&watched);
}
END_TEST

START_TEST(test_no_timeout_for_what_ends_before)
{
    struct watched watched = {0};
    run_script(&watched, "exit 3", LONG_MS);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_EXIT);
    ck_assert_int_eq(watched.end.outcome.code, 3);
    ck_assert_int_lt(watched.end.outcome.ran_ms, LONG_MS);
    watched_done(&watched);
}
END_TEST

START_TEST(test_time_in_which_we_stood_still_counts_for_no_timeout)
{
    struct watched watched = {0};
    start_script(&watched, "exec sleep 1000", 600);
    child_stood_still(watched.child, 500);
    child_stood_still(watched.child, 200);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_ge(watched.end.outcome.ran_ms, 1300);
    watched_done(&watched);
}
END_TEST

START_TEST(test_time_in_which_we_stood_still_counts_for_no_grace)
{
    struct watched watched = {.cancel_on = "ready", .cancel_mode = CANCEL_TERM};
    start_script(&watched, "trap '' TERM; echo ready; while :; do sleep 0.01; done", 0);
    while (watched.cancelled_ms == 0)
        (void)uv_run(&loop, UV_RUN_ONCE);
    child_stood_still(watched.child, 500);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert_int_eq(watched.end.outcome.code, 128 + SIGKILL);
    ck_assert_int_ge(clock_now().mono_ms - watched.cancelled_ms, GRACE_MS + 500);
    watched_done(&watched);
}
END_TEST

static const struct {
    const char *name;
    const char *script; /* says "ready" */
    enum cancel_mode mode;
    int code;
    bool after_grace;
} cancels[] = {
    {"TERM", "echo ready; exec sleep 100", CANCEL_TERM, 128 + SIGTERM, false},
    {"KILL", "trap '' TERM; echo ready; while :; do sleep 0.01; done", CANCEL_KILL, 128 + SIGKILL,
     false},
    {"ignores TERM", "trap '' TERM; echo ready; while :; do sleep 0.01; done", CANCEL_TERM,
     128 + SIGKILL, true},
    {"exits 0 on TERM", "trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", CANCEL_TERM,
     0, false},
    {"stopped", "echo ready; kill -STOP $$; sleep 100", CANCEL_TERM, 128 + SIGTERM, false},
};

START_TEST(test_cancel)
{
    struct watched watched = {.cancel_on = "ready", .cancel_mode = cancels[_i].mode};
    const int64_t grace_ms = cancels[_i].after_grace ? GRACE_MS : LONG_MS;
    run_script_with(&watched, cancels[_i].script, 0, grace_ms);
    const struct outcome *outcome = &watched.end.outcome;
    ck_assert_int_eq(outcome->kind, OUTCOME_CANCELLED);
    ck_assert_msg(outcome->code == cancels[_i].code, "%s: code %d", cancels[_i].name,
                  outcome->code);
    ck_assert_msg((outcome->ran_ms >= grace_ms) == cancels[_i].after_grace,
                  "%s: ran %" PRId64 " ms", cancels[_i].name, outcome->ran_ms);
    ck_assert_int_eq(outcome->left, 0);
    watched_done(&watched);
}
END_TEST

/* Of its grace five sixths are gone by the loop's time, and it needs half of it. */
static bool has_all_of_its_grace(int grace_ms)
{
    char script[200];
    struct watched watched = {
        .cancel_on = "ready", .cancel_mode = CANCEL_TERM, .busy_ms = grace_ms * 5 / 6};
    (void)snprintf(script, sizeof(script),
                   "trap 'sleep %d.%03d; echo clean; exit 0' TERM; echo ready; "
                   "while :; do sleep 0.01; done",
                   grace_ms / 2 / 1000, grace_ms / 2 % 1000);
    run_script_with(&watched, script, 0, grace_ms);
    const bool has = strstr(str_text(&watched.text[0]), "clean") && watched.end.outcome.code == 0;
    watched_done(&watched);
    return has;
}

START_TEST(test_grace_begins_with_the_cancel)
{
    bool has = false;
    int grace_ms = GRACE_MS;
    for (int round = 0; round < ROUNDS && !has; round++, grace_ms *= 2)
        has = has_all_of_its_grace(grace_ms);
    ck_assert(has);
}
END_TEST

static const struct {
    enum cancel_mode mode;
    int signal;
} cancels_of_starts[] = {{CANCEL_TERM, SIGTERM}, {CANCEL_KILL, SIGKILL}};

START_TEST(test_cancel_before_it_is_there)
{
    char program[] = "/bin/sleep";
    char duration[] = "100";
    char *const argv[] = {program, duration, NULL};
    char *environment[] = {run_mark, step_mark, NULL};
    const struct child_call call = make_call(argv, environment);
    struct watched watched = {0};
    begin(&watched, &call);
    child_cancel(watched.child, cancels_of_starts[_i].mode);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    ck_assert(watched.started && watched.ended);
    ck_assert_int_eq(watched.end.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_int_eq(watched.end.outcome.code, 128 + cancels_of_starts[_i].signal);
    ck_assert_int_eq(watched.end.outcome.left, 0);
}
END_TEST

/* The command ends half-way through the grace, what it leaves does not. True if that had the rest
 * of the grace alone. */
static bool has_one_grace(int grace_ms)
{
    char script[300];
    struct watched watched = {.cancel_on = "ready", .cancel_mode = CANCEL_TERM};
    (void)snprintf(script, sizeof(script),
                   "trap 'sleep %d.%03d; exit 0' TERM\n"
                   "sh -c 'trap \"\" TERM; echo ready; while :; do sleep 0.01; done' &\n"
                   "while :; do sleep 0.01; done",
                   grace_ms / 2 / 1000, grace_ms / 2 % 1000);
    run_script_with(&watched, script, 0, grace_ms);
    const int64_t took_ms = clock_now().mono_ms - watched.cancelled_ms;
    const bool had_time = watched.end.outcome.code == 0; /* else the machine was too slow */
    ck_assert_int_eq(watched.end.outcome.left, 0);
    ck_assert_int_ge(took_ms, grace_ms - 1);
    watched_done(&watched);
    return had_time && took_ms < grace_ms + grace_ms / 2;
}

START_TEST(test_what_is_left_after_a_cancel_has_no_second_grace)
{
    bool has = false;
    int grace_ms = 2 * GRACE_MS;
    for (int round = 0; round < ROUNDS && !has; round++, grace_ms *= 2)
        has = has_one_grace(grace_ms);
    ck_assert(has);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("child_end");
    TCase *ending = test_case(suite, "ending");
    tcase_add_checked_fixture(ending, child_try_open, child_try_close);
    tcase_add_test(ending, test_timeout_is_term);
    tcase_add_test(ending, test_timeout_kills_what_ignores_term);
    tcase_add_test(ending, test_no_timeout_for_what_ends_before);
    tcase_add_test(ending, test_time_in_which_we_stood_still_counts_for_no_timeout);
    tcase_add_test(ending, test_time_in_which_we_stood_still_counts_for_no_grace);
    tcase_add_loop_test(ending, test_cancel, 0, TABLE_LEN(cancels));
    tcase_add_test(ending, test_grace_begins_with_the_cancel);
    tcase_add_loop_test(ending, test_cancel_before_it_is_there, 0, TABLE_LEN(cancels_of_starts));
    tcase_add_test(ending, test_what_is_left_after_a_cancel_has_no_second_grace);
    return suite;
}
