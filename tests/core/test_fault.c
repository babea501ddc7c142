/* Which tasks wait with one and the same fault, told apart from those that only wait too. */
#include "run_state.h"

#include "play.h"
#include "test_main.h"

enum { TASKS = 80 };

static struct play play;

static void setup(void)
{
    struct str plan = {0};
    str_add(&plan,
            "{\"version\":1,\"idempotent\":true,\"policies\":{\"slow\":{\"like\":\"default\","
            "\"base_delay_ms\":600000,\"cap_ms\":600000}},\"policy\":\"slow\",\"tasks\":[");
    for (int i = 0; i < TASKS; i++)
        str_addf(&plan, "%s{\"id\":\"t%d\",\"steps\":[{\"run\":[\"x\"]}]}", i > 0 ? "," : "", i);
    str_add(&plan, "]}");
    play_open(&play, str_text(&plan));
    str_done(&plan);
    play_start(&play, TASKS);
}

static void teardown(void)
{
    play_close(&play);
}

static void fail_alike(int task, uint64_t result)
{
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .task = task,
                                     .attempt = 1,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                     .verdict = play_transient(TRANSIENT_NETWORK_TIMEOUT),
                                     .fingerprint = {.hi = result}});
}

/* What began to wait first is not what comes first. */
START_TEST(test_faults_come_by_their_first_task)
{
    struct fault faults[FAULTS_MAX];
    static const int order[] = {7, 8, 9, 4, 5, 6, 1, 2, 3};
    for (int i = 0; i < TABLE_LEN(order); i++) {
        fail_alike(order[i], 1 + (uint64_t)(order[i] - 1) / 3);
        play_wait(&play, 100);
    }
    ck_assert_int_eq(run_state_faults(&play.state, faults), 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(faults[i].first, 1 + 3 * i);
        ck_assert_int_eq(faults[i].count, 3);
    }
}
END_TEST

/* Servers name times of their own: the first and the last of them are told. */
START_TEST(test_waits_of_one_fault_end_at_different_times)
{
    static const struct {
        int task;
        uint64_t result;
        int64_t hint_ms;
    } waits[] = {{9, 6, 700000}, {5, 5, 900000}, {3, 5, 800000}, {4, 5, 850000}, {2, 5, 950000}};
    struct fault faults[FAULTS_MAX];
    for (int i = 0; i < TABLE_LEN(waits); i++) {
        struct verdict verdict = play_transient(TRANSIENT_API_OVERLOADED);
        verdict.retry_after_ms = waits[i].hint_ms;
        play_input(&play, (struct input){.kind = INPUT_ENDED,
                                         .task = waits[i].task,
                                         .attempt = 1,
                                         .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                         .verdict = verdict,
                                         .fingerprint = {.hi = waits[i].result}});
    }
    ck_assert_int_eq(run_state_faults(&play.state, faults), 1);
    ck_assert_int_eq(faults[0].first, 2);
    ck_assert_int_eq(faults[0].count, 4);
    ck_assert_int_eq(faults[0].due_first.mono_ms, play.now.mono_ms + 800000);
    ck_assert_int_eq(faults[0].due_last.mono_ms, play.now.mono_ms + 950000);
}
END_TEST

START_TEST(test_more_faults_than_are_told_apart)
{
    struct fault faults[FAULTS_MAX];
    for (int i = 0; i < TASKS; i++)
        fail_alike(i, 1 + (uint64_t)i / 3);
    ck_assert_int_eq(run_state_faults(&play.state, faults), FAULTS_MAX);
    for (int i = 0; i < FAULTS_MAX; i++)
        ck_assert_int_eq(faults[i].count, 3);
}
END_TEST

/* Two of them began a minute apart, the third with the later one. */
START_TEST(test_waits_that_began_within_a_minute)
{
    struct fault faults[FAULTS_MAX];
    fail_alike(3, 5);
    play_wait(&play, FAULT_SPAN_MS + _i);
    fail_alike(1, 5);
    fail_alike(2, 5);
    fail_alike(4, 6);
    bool alike = _i == 0;
    ck_assert_int_eq(run_state_faults(&play.state, faults), alike ? 1 : 0);
    ck_assert_int_eq(run_state_waits_alike(&play.state, 3, 1), alike);
    ck_assert_int_eq(run_state_waits_alike(&play.state, 1, 3), alike);
    if (!alike)
        return;
    ck_assert_int_eq(faults[0].first, 1);
    ck_assert_int_eq(faults[0].count, 3);
    ck_assert_int_eq(faults[0].since.mono_ms, play.now.mono_ms - FAULT_SPAN_MS);
    ck_assert_int_eq(faults[0].due_first.mono_ms + FAULT_SPAN_MS, faults[0].due_last.mono_ms);
    for (int i = 1; i <= 3; i++)
        ck_assert(fault_has(&faults[0], &play.state, i));
    ck_assert(!fault_has(&faults[0], &play.state, 4)); /* another result */
    ck_assert(!fault_has(&faults[0], &play.state, 5)); /* it runs */
    fail_alike(5, 5);
    play_wait(&play, 1);
    fail_alike(6, 5);
    ck_assert(!fault_has(&faults[0], &play.state, 6)); /* later than all of them */
}
END_TEST

/* Begun at 0, 55 and 115 s: whatever order they are met in, the largest group is told, and
 * the sending of one goes by it. */
START_TEST(test_the_largest_group_is_told)
{
    struct fault faults[FAULTS_MAX];
    fail_alike(0, 5);
    play_wait(&play, 55000);
    fail_alike(1, 5);
    play_wait(&play, 60000);
    fail_alike(2, 5);
    fail_alike(3, 5);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 1);
    ck_assert_int_eq(faults[0].first, 1);
    ck_assert_int_eq(faults[0].count, 3);
    ck_assert(!fault_has(&faults[0], &play.state, 0));
    play_control(&play, CONTROL_SEND_ONE, "t1", CANCEL_STOP);
    ck_assert_int_eq(play.state.tasks[1].followers, 2);
    ck_assert(!play.state.tasks[0].held);
}
END_TEST

/* Who has no followers needs no look at all the tasks. */
START_TEST(test_followers_are_counted)
{
    for (int i = 0; i < 5; i++)
        fail_alike(i, 5);
    play_control(&play, CONTROL_SEND_ONE, "t4", CANCEL_STOP);
    ck_assert_int_eq(play.state.tasks[4].followers, 4);
    play_control(&play, CONTROL_CANCEL, "t0", CANCEL_STOP);
    play_control(&play, CONTROL_RETRY, "t1", CANCEL_STOP);
    ck_assert_int_eq(play.state.tasks[4].followers, 2);
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_STOP);
    ck_assert_int_eq(play.state.tasks[4].followers, 0);
}
END_TEST

START_TEST(test_what_has_no_result_is_like_nothing)
{
    struct fault faults[FAULTS_MAX];
    for (int i = 0; i < 4; i++)
        fail_alike(i, 0);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 0);
    ck_assert(!run_state_waits_alike(&play.state, 0, 1));
    fail_alike(4, 9);
    ck_assert(!run_state_waits_alike(&play.state, 4, 0));
    ck_assert(!run_state_waits_alike(&play.state, 4, 5)); /* it runs */
    ck_assert(!run_state_waits_alike(&play.state, 5, 4));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fault");
    TCase *tcase = test_case(suite, "faults");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_faults_come_by_their_first_task);
    tcase_add_test(tcase, test_waits_of_one_fault_end_at_different_times);
    tcase_add_test(tcase, test_more_faults_than_are_told_apart);
    tcase_add_loop_test(tcase, test_waits_that_began_within_a_minute, 0, 2);
    tcase_add_test(tcase, test_the_largest_group_is_told);
    tcase_add_test(tcase, test_followers_are_counted);
    tcase_add_test(tcase, test_what_has_no_result_is_like_nothing);
    return suite;
}
