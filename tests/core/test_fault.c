/* Which waiting tasks have one and the same fault, and which only wait too. */
#include "run_state.h"

#include "play.h"
#include "test_main.h"

enum { TASKS = 80 };

static struct play play;

/* Starts tasks "t0", "t1", ... that wait 10 minutes after a failure. `sources` has a source for
 * each, or "" for none; NULL: none has one. */
static void open_tasks(int count, const char *const *sources)
{
    struct str plan = {0};
    str_add(&plan,
            "{\"version\":1,\"idempotent\":true,\"policies\":{\"slow\":{\"like\":\"default\","
            "\"base_delay_ms\":600000,\"cap_ms\":600000}},\"policy\":\"slow\",\"tasks\":[");
    for (int i = 0; i < count; i++) {
        str_addf(&plan, "%s{\"id\":\"t%d\",\"steps\":[{\"run\":[\"x\"]", i > 0 ? "," : "", i);
        if (sources && sources[i][0] != '\0')
            str_addf(&plan, ",\"source\":\"%s\"", sources[i]);
        str_add(&plan, "}]}");
    }
    str_add(&plan, "]}");
    play_open(&play, str_text(&plan));
    str_done(&plan);
    play_start(&play, count);
}

static void setup(void)
{
    open_tasks(TASKS, NULL);
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

/* The order of the tasks counts, not the order of their failures. */
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

/* Servers ask for different waits: the first and the last end are known. */
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

START_TEST(test_the_number_of_faults_has_a_limit)
{
    struct fault faults[FAULTS_MAX];
    for (int i = 0; i < TASKS; i++)
        fail_alike(i, 1 + (uint64_t)i / 3);
    ck_assert_int_eq(run_state_faults(&play.state, faults), FAULTS_MAX);
    for (int i = 0; i < FAULTS_MAX; i++)
        ck_assert_int_eq(faults[i].count, 3);
}
END_TEST

/* Two waits began a minute apart, the third with the later one. */
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
    ck_assert(!fault_has(&faults[0], &play.state, 6)); /* later than the others */
}
END_TEST

/* Waits began at 0, 55 and 115 s: the largest group is the fault, and sending one follows it. */
START_TEST(test_the_largest_group_is_the_fault)
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

START_TEST(test_a_failure_without_a_result_is_like_no_other)
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

/* Two sources at their limits are two faults. */

static void open_failed(const char *const *sources, int count)
{
    open_tasks(count, sources);
    for (int i = 0; i < count; i++)
        fail_alike(i, 5);
}

START_TEST(test_fault_across_sources_is_none)
{
    static const char *const sources[] = {"api", "api", "web", "web", ""};
    struct fault faults[FAULTS_MAX];
    open_failed(sources, 5);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 0);
    ck_assert(run_state_waits_alike(&play.state, 0, 1));
    ck_assert(!run_state_waits_alike(&play.state, 1, 2));
    ck_assert(!run_state_waits_alike(&play.state, 2, 4));
    play_control(&play, CONTROL_SEND_ONE, "t0", CANCEL_STOP);
    ck_assert(play.state.tasks[1].held);
    ck_assert(!play.state.tasks[2].held);
}
END_TEST

START_TEST(test_each_source_has_its_fault)
{
    static const char *const sources[] = {"api", "web", "", "api", "web", "", "api", "web", ""};
    struct fault faults[FAULTS_MAX];
    open_failed(sources, 9);
    ck_assert_int_eq(run_state_faults(&play.state, faults), 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(faults[i].first, i);
        ck_assert_int_eq(faults[i].count, 3);
        for (int task = 0; task < 9; task++)
            ck_assert_int_eq(fault_has(&faults[i], &play.state, task), task % 3 == i);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fault");
    TCase *tcase = test_case(suite, "faults");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_faults_come_by_their_first_task);
    tcase_add_test(tcase, test_waits_of_one_fault_end_at_different_times);
    tcase_add_test(tcase, test_the_number_of_faults_has_a_limit);
    tcase_add_loop_test(tcase, test_waits_that_began_within_a_minute, 0, 2);
    tcase_add_test(tcase, test_the_largest_group_is_the_fault);
    tcase_add_test(tcase, test_followers_are_counted);
    tcase_add_test(tcase, test_a_failure_without_a_result_is_like_no_other);
    TCase *sources = test_case(suite, "sources");
    tcase_add_checked_fixture(sources, NULL, teardown);
    tcase_add_test(sources, test_fault_across_sources_is_none);
    tcase_add_test(sources, test_each_source_has_its_fault);
    return suite;
}
