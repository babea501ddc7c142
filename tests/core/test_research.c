#include "scheduler.h"

#include <stdio.h>
#include <string.h>

#include "event_text.h"
#include "play.h"
#include "test_main.h"

static const char plan[] = "{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":["
                           "{\"phase\":\"RED\",\"run\":[\"x\"],\"policy\":\"research\"}]}]}";

static struct play play;

static void setup(void)
{
    play_open(&play, plan);
    play_start(&play, 1);
}

static void teardown(void)
{
    play_close(&play);
}

/* The running attempt fails with a result of this content. */
static void fail_with(uint64_t content, const char *error)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&play.state, 0));
    struct verdict verdict = play_persistent(REASON_CONFIG);
    (void)snprintf(verdict.match, sizeof(verdict.match), "%s", error);
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .task = 0,
                                     .attempt = attempt->number,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                     .verdict = verdict,
                                     .fingerprint = {.hi = content, .lo = 1}});
}

START_TEST(test_C3_the_first_success_returns)
{
    fail_with(1, "first");
    play_wait(&play, 1000);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 2);
}
END_TEST

START_TEST(test_C3_three_failures_are_max_retries_exceeded_with_the_last_as_cause)
{
    for (int i = 0; i < 3; i++) {
        fail_with((uint64_t)i, i == 2 ? "the last error" : "an earlier error");
        play_wait(&play, 4000);
    }
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    struct str words = {0};
    event_words(&play.state, end, &words);
    ck_assert_int_eq(end->step_ended.decision, DECISION_MAX_RETRIES);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 3);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "max retries exceeded"));
    ck_assert_ptr_nonnull(strstr(str_text(&words), "caused by config: the last error"));
    ck_assert_int_eq(play.state.tasks[0].entropy, 1);
    str_done(&words);
}
END_TEST

START_TEST(test_C4_equal_results_are_entropy_before_attempts_run_out)
{
    play_close(&play);
    play_open(&play,
              "{\"version\":1,\"idempotent\":true,\"policies\":{\"six\":{\"like\":\"research\","
              "\"max_attempts\":6}},\"tasks\":[{\"id\":\"a\",\"steps\":["
              "{\"phase\":\"RED\",\"run\":[\"x\"],\"policy\":\"six\"}]}]}");
    play_start(&play, 1);
    static const uint64_t contents[] = {9, 5, 5, 5}; /* the last three are equal */
    for (size_t i = 0; i < ARRAY_LEN(contents); i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        fail_with(contents[i], "again");
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_ENTROPY);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 4);
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert_int_eq(play.state.exit_code, 3);
}
END_TEST

START_TEST(test_C7_waits_one_then_two_seconds)
{
    for (int i = 0; i < 2; i++) {
        fail_with((uint64_t)i, "again");
        int64_t wait_ms = i == 0 ? 1000 : 2000;
        ck_assert_int_eq(scheduler_next_due(&play.scheduler), play.now.mono_ms + wait_ms);
        play_wait(&play, wait_ms);
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    }
}
END_TEST

START_TEST(test_C6_the_hash_of_a_result_is_said_at_debug_level)
{
    struct str words = {0};
    fail_with(0xabcULL, "once");
    const struct event *ended = play_last(&play, EVENT_ATTEMPT_ENDED);
    ck_assert(event_details(&play.state, ended, &words));
    ck_assert_ptr_nonnull(strstr(str_text(&words), "result 0000000000000abc0000000000000001"));
    str_clear(&words);
    ck_assert(!event_details(&play.state, play_last(&play, EVENT_WAIT_STARTED), &words));
    str_done(&words);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("research");
    TCase *tcase = test_case(suite, "orchestration");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_C3_the_first_success_returns);
    tcase_add_test(tcase, test_C3_three_failures_are_max_retries_exceeded_with_the_last_as_cause);
    tcase_add_test(tcase, test_C4_equal_results_are_entropy_before_attempts_run_out);
    tcase_add_test(tcase, test_C7_waits_one_then_two_seconds);
    tcase_add_test(tcase, test_C6_the_hash_of_a_result_is_said_at_debug_level);
    return suite;
}
