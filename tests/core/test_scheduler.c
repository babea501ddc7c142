/*
 * What the requirements ask of retries, and limits. How tasks, waits, gates and a person's acts go
 * on is in data/scenes, and drawn at random in tests/sim.
 */
#include "scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "play.h"
#include "shown.h"
#include "test_main.h"

#define ONE(phase)                                                                                 \
    "{'version':1,'idempotent':true,'tasks':[{'id':'a','steps':[{'phase':'" phase                  \
    "','run':['x']}]}]}"

static struct play play;

static void teardown(void)
{
    play_close(&play);
}

static void begin(const char *plan)
{
    play_open(&play, plan);
    play_start(&play, 2);
}

/* The only task fails this often, with waits in between. */
static void fail_often(int times, struct verdict verdict)
{
    for (int i = 0; i < times; i++) {
        play_exit(&play, "a", 1, verdict);
        play_wait(&play, 60000);
    }
}

static int entropy(const char *task)
{
    return play.state.tasks[play_task(&play, task)].entropy;
}

static const char *const proving[] = {ONE("GREEN"), ONE("VERIFY")};
static const char *const other[] = {ONE("RED"), ONE("REFACTOR")};

START_TEST(test_A1_green_and_verify_are_tried_three_times)
{
    begin(proving[_i]);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 3);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_A2_other_phases_are_executed_once)
{
    begin(other[_i]);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, 60000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_FAILED);
}
END_TEST

START_TEST(test_A2_a_transient_failure_is_no_exception)
{
    begin(other[_i]);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 60000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
}
END_TEST

START_TEST(test_A3_every_attempt_gets_the_identical_call)
{
    begin(ONE("GREEN"));
    struct digest first = play.state.steps[0].attempts[0].call;
    ck_assert(first.hi != 0 || first.lo != 0);
    for (int i = 1; i < 3; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_NONE));
        play_wait(&play, 60000);
        struct digest next = play.state.steps[0].attempts[i].call;
        ck_assert_uint_eq(next.hi, first.hi);
        ck_assert_uint_eq(next.lo, first.lo);
    }
}
END_TEST

START_TEST(test_A4_success_on_a_later_attempt_is_success)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, 500);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_SUCCEEDED);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_ENDED)->run_ended.exit_code, 0);
}
END_TEST

START_TEST(test_A5_the_last_failure_says_exit_attempts_phase_and_call)
{
    begin(ONE("GREEN"));
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 7, play_persistent(REASON_NONE));
        play_wait(&play, 60000);
    }
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(end->step_ended.decision, DECISION_RETRY_EXHAUSTED);
    struct str words = {0};
    event_words(&play.state, end, &words);
    const char *const wanted[] = {"retry exhausted", "exit 7", "3 of 3 attempts", "GREEN", "a/1"};
    for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
        ck_assert_msg(strstr(str_text(&words), wanted[i]), "no '%s' in: %s", wanted[i],
                      str_text(&words));
    str_done(&words);
}
END_TEST

START_TEST(test_A7_waits_500_then_1000_ms)
{
    begin(ONE("GREEN"));
    for (int i = 0; i < 2; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_NONE));
        int64_t delay = i == 0 ? 500 : 1000;
        ck_assert_int_eq(scheduler_next_due(&play.scheduler), play.now.mono_ms + delay);
        play_wait(&play, delay - 1);
        ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
        play_wait(&play, 1);
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    }
}
END_TEST

START_TEST(test_A8_a_transient_failure_that_recovers_is_no_entropy)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 500);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(entropy("a"), 0);
}
END_TEST

START_TEST(test_A8_exhausted_attempts_are_entropy_once)
{
    begin(ONE("GREEN"));
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(entropy("a"), 0); /* a single failure does not trigger it */
        play_exit(&play, "a", 1, play_persistent(REASON_NONE));
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(entropy("a"), 1);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.entropy, 1);
}
END_TEST

START_TEST(test_A9_attempts_are_an_option)
{
    begin("{'version':1,'idempotent':true,'policies':{'p':{'like':'default','max_attempts':5,"
          "'base_delay_ms':7}},'tasks':[{'id':'a','steps':[{'run':['x'],'policy':'p'}]}]}");
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(run_state_tries(&play.state, 0), 5);
        play_exit(&play, "a", 1, play_persistent(REASON_NONE));
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 5);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

static struct outcome not_started(void)
{
    return (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = 11};
}

START_TEST(test_B3_a_start_is_tried_four_times_in_every_phase)
{
    static const int64_t delays[] = {1000, 2000, 4000};
    begin(_i < 2 ? other[_i] : proving[_i - 2]);
    for (int i = 0; i < 3; i++) {
        play_outcome(&play, "a", not_started(), play_transient(TRANSIENT_RESOURCE_BUSY));
        ck_assert_int_eq(play_last(&play, EVENT_WAIT_STARTED)->wait.delay.delay_ms, delays[i]);
        play_wait(&play, delays[i]);
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    }
    play_outcome(&play, "a", not_started(), play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision,
                     DECISION_TRANSIENT_EXHAUSTED);
}
END_TEST

START_TEST(test_B3_what_is_not_transient_is_returned_at_once)
{
    begin(ONE("GREEN"));
    play_outcome(&play, "a", not_started(), play_persistent(REASON_NOT_FOUND));
    ck_assert_int_eq(play_count(&play, EVENT_WAIT_STARTED, "a"), 0);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_FAILED);
}
END_TEST

START_TEST(test_B4_transient_retries_never_count_as_entropy)
{
    begin(ONE("GREEN"));
    for (int i = 0; i < 2; i++) {
        play_exit(&play, "a", 1, play_transient(TRANSIENT_API_OVERLOADED));
        ck_assert_int_eq(entropy("a"), 0);
        play_wait(&play, 60000);
    }
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_int_eq(entropy("a"), 1);
}
END_TEST

START_TEST(test_B5_exhausted_transient_retries_say_type_attempts_and_task)
{
    begin(ONE("GREEN"));
    fail_often(3, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(end->step_ended.decision, DECISION_TRANSIENT_EXHAUSTED);
    ck_assert_int_eq(end->step_ended.entropy, 1);
    ck_assert_int_eq(end->step_ended.capture, 1);
    struct str words = {0};
    event_words(&play.state, end, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "transient exhausted after 3 of 3 attempts"));
    ck_assert_ptr_nonnull(strstr(str_text(&words), "NETWORK_TIMEOUT"));
    ck_assert_ptr_nonnull(strstr(str_text(&words), "a/1"));
    str_done(&words);
}
END_TEST

START_TEST(test_B6_each_retry_is_a_record)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    struct str json = {0};
    event_json(&play.state, 3, play_last(&play, EVENT_WAIT_STARTED), &json);
    ck_assert_ptr_nonnull(
        strstr(str_text(&json),
               "\"message\":\"a try 1/3 GREEN [TRANSIENT RETRY] attempt 1/2 for taskId=a, "
               "reason=API_RATE_LIMIT"));
    str_done(&json);
}
END_TEST

START_TEST(test_B7_transient_retries_are_configurable)
{
    static const char text[] = "{\"sandbox\": {\"transientRetries\": 1}}";
    struct settings settings = {0};
    struct violations violations = {0};
    struct str whole = {0};
    ck_assert(settings_parse(text, strlen(text), &settings, &violations));
    play_open(&play, ONE("RED"));
    plan_write(play.plan, &whole);
    struct plan *plan = NULL;
    ck_assert(plan_parse_with(whole.data, whole.len, &(struct plan_context){.settings = &settings},
                              &plan, &violations));
    str_done(&whole);
    settings_done(&settings);
    run_state_done(&play.state);
    plan_free(play.plan);
    play.plan = plan;
    run_state_init(&play.state, plan, 7);
    play_start(&play, 1);
    play_outcome(&play, "a", not_started(), play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    play_wait(&play, 1000);
    play_outcome(&play, "a", not_started(), play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_B8_the_infrastructure_handler_serves_starts_only)
{
    begin(ONE("GREEN"));
    play_outcome(&play, "a", not_started(), play_transient(TRANSIENT_RESOURCE_BUSY));
    play_wait(&play, 1000);
    ck_assert_int_eq(play.state.steps[0].used, 0); /* none of the step's own attempts */
    fail_often(3, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    /* Once it ran, the step's own policy decides: three attempts, not four. */
    ck_assert_int_eq(play.state.steps[0].used, 3);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision,
                     DECISION_TRANSIENT_EXHAUSTED);
}
END_TEST

/* What people read of a try: of how many in its set of tries, and the how many'th in all. */
static void check_count(int attempt, const char *wanted)
{
    const struct try_count count = run_state_try_count(&play.state, 0, 0, attempt);
    struct str text = {0};
    shown_try_count(&count, "/", &text);
    ck_assert_str_eq(str_text(&text), wanted);
    str_done(&text);
}

START_TEST(test_a_retry_by_hand_counts_its_own_tries)
{
    begin(ONE("GREEN"));
    fail_often(3, play_persistent(REASON_NONE));
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    check_count(4, "1/3 (4th in all)");
    check_count(0, "1/3 (4th in all)");
    check_count(3, "3"); /* it was 3/3 */
    check_count(5, "5"); /* there is none */
}
END_TEST

/* What `expect: failure` makes of an end. Those of data/scenes/expectations.scene are not here. */
static const struct {
    const char *name;
    enum outcome_kind outcome;
    enum reason reason;
    enum task_status want;
} red_cases[] = {
    {.name = "a test fails", .reason = REASON_TEST_FAIL, .want = TASK_PASSED},
    {.name = "it does not compile", .reason = REASON_COMPILE, .want = TASK_PASSED},
    {.name = "wrong usage", .reason = REASON_USAGE, .want = TASK_GAVE_UP},
    {.name = "not found", .reason = REASON_NOT_FOUND, .want = TASK_GAVE_UP},
    {.name = "too late", .outcome = OUTCOME_TIMEOUT, .reason = REASON_CRASH, .want = TASK_GAVE_UP},
};

START_TEST(test_expected_failure)
{
    begin("{'version':1,'tasks':[{'id':'d','steps':[{'phase':'RED','run':['x'],"
          "'expect':'failure'}]}]}");
    play_outcome(&play, "d", (struct outcome){.kind = red_cases[_i].outcome, .code = 1},
                 play_persistent(red_cases[_i].reason));
    ck_assert_msg(play_status(&play, "d") == red_cases[_i].want, "%s", red_cases[_i].name);
}
END_TEST

START_TEST(test_a_chain_of_many_tasks_blocks_without_recursion)
{
    enum { TASKS = 20000 };
    struct str plan = {0};
    str_add(&plan, "{'version':1,'idempotent':true,'tasks':[");
    for (int i = 0; i < TASKS; i++) {
        str_addf(&plan, "%s{'id':'t%d',", i > 0 ? "," : "", i);
        if (i > 0)
            str_addf(&plan, "'needs':['t%d'],", i - 1);
        str_add(&plan, "'steps':[{'phase':'RED','run':['x']}]}");
    }
    str_add(&plan, "]}");
    begin(plan.data);
    str_done(&plan);
    play_exit(&play, "t0", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play.state.counts[TASK_BLOCKED], TASKS - 1);
    ck_assert(play.state.ended);
}
END_TEST

/* One failure blocks many at once, one retry lets them all wait again. */
START_TEST(test_a_task_that_many_need)
{
    enum { MANY = 100 };
    struct str plan = {0};
    str_add(&plan, "{'version':1,'tasks':[{'id':'a','steps':[{'phase':'RED','run':['x']}]}");
    for (int i = 0; i < MANY; i++)
        str_addf(&plan, ",{'id':'t%d','needs':['a'],'steps':[{'phase':'RED','run':['x']}]}", i);
    str_add(&plan, "]}");
    play_open(&play, str_text(&plan));
    str_done(&plan);
    play_start(&play, MANY);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play.state.counts[TASK_BLOCKED], MANY);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq(play.state.counts[TASK_QUEUED], MANY);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play.state.counts[TASK_RUNNING], MANY);
}
END_TEST

/* A text is left out if the object of its event, {"note":"..."}, would be too long. */
START_TEST(test_texts_have_a_limit)
{
    enum { FRAME = sizeof("{\"note\":\"\"}") - 1 };
    char note[EVENT_DATA_MAX] = {0};
    memset(note, 'n', EVENT_DATA_MAX - FRAME);
    play_open(&play, ONE("RED"));
    play_input(&play, (struct input){.kind = INPUT_NOTE, .task = -1, .note = note});
    const struct event *event = play_last(&play, EVENT_NOTE);
    ck_assert_str_eq(event->note.note, note);
    char *object = event_object(event);
    ck_assert_uint_eq(strlen(object), EVENT_DATA_MAX);
    free(object);
    note[EVENT_DATA_MAX - FRAME] = 'n';
    play_input(&play, (struct input){.kind = INPUT_NOTE, .task = -1, .note = note});
    ck_assert_ptr_null(play_last(&play, EVENT_NOTE)->note.note);
}
END_TEST

START_TEST(test_turn_is_empty_once_done)
{
    play_open(&play, ONE("RED"));
    play_start(&play, 1);
    turn_done(&play.turn);
    ck_assert_uint_eq(play.turn.events.count + play.turn.action_count, 0);
    turn_done(&play.turn);
    play_wait(&play, 1); /* and can be used again */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scheduler");
    TCase *tcase = test_case(suite, "requirements");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_loop_test(tcase, test_A1_green_and_verify_are_tried_three_times, 0, 2);
    tcase_add_loop_test(tcase, test_A2_other_phases_are_executed_once, 0, 2);
    tcase_add_loop_test(tcase, test_A2_a_transient_failure_is_no_exception, 0, 2);
    tcase_add_test(tcase, test_A3_every_attempt_gets_the_identical_call);
    tcase_add_test(tcase, test_A4_success_on_a_later_attempt_is_success);
    tcase_add_test(tcase, test_A5_the_last_failure_says_exit_attempts_phase_and_call);
    tcase_add_test(tcase, test_A7_waits_500_then_1000_ms);
    tcase_add_test(tcase, test_A8_a_transient_failure_that_recovers_is_no_entropy);
    tcase_add_test(tcase, test_A8_exhausted_attempts_are_entropy_once);
    tcase_add_test(tcase, test_A9_attempts_are_an_option);
    tcase_add_loop_test(tcase, test_B3_a_start_is_tried_four_times_in_every_phase, 0, 4);
    tcase_add_test(tcase, test_B3_what_is_not_transient_is_returned_at_once);
    tcase_add_test(tcase, test_B4_transient_retries_never_count_as_entropy);
    tcase_add_test(tcase, test_B5_exhausted_transient_retries_say_type_attempts_and_task);
    tcase_add_test(tcase, test_B6_each_retry_is_a_record);
    tcase_add_test(tcase, test_B7_transient_retries_are_configurable);
    tcase_add_test(tcase, test_B8_the_infrastructure_handler_serves_starts_only);
    tcase = test_case(suite, "flow");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_a_retry_by_hand_counts_its_own_tries);
    tcase_add_loop_test(tcase, test_expected_failure, 0, TABLE_LEN(red_cases));
    tcase_add_test(tcase, test_a_chain_of_many_tasks_blocks_without_recursion);
    tcase_add_test(tcase, test_a_task_that_many_need);
    tcase_add_test(tcase, test_texts_have_a_limit);
    tcase_add_test(tcase, test_turn_is_empty_once_done);
    return suite;
}
