#include "scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "play.h"
#include "shown.h"
#include "test_main.h"

#define ONE(phase)                                                                                 \
    "{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"" phase   \
    "\",\"run\":[\"x\"]}]}]}"

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
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_FAILED);
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
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_SUCCEEDED);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_ENDED)->a, 0);
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
    ck_assert_int_eq(end->a, DECISION_RETRY_EXHAUSTED);
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
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->c, 1);
}
END_TEST

START_TEST(test_A9_attempts_are_an_option)
{
    begin("{\"version\":1,\"idempotent\":true,"
          "\"policies\":{\"p\":{\"like\":\"default\",\"max_attempts\":5,\"base_delay_ms\":7}},"
          "\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],\"policy\":\"p\"}]}]}");
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(run_state_tries(&play.state, 0), 5);
        play_exit(&play, "a", 1, play_persistent(REASON_NONE));
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 5);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

/* The decision is made in one place, and one place asks for it. */
START_TEST(test_A10_only_the_scheduler_asks_the_protocol)
{
    static const char *const files[] = {
        "src/core/fold/run_state.c",      "src/core/scheduler/scheduler_control.c",
        "src/core/scheduler/scheduler.c", "src/engine/loop/engine.c",
        "src/cli/run/session.c",          "src/cli/command/cmd_run.c",
        "src/cli/command/cmd_exec.c",     "src/ui/app/app.c",
        "src/store/control_desk.c",
    };
    begin(ONE("GREEN"));
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char *text = test_read_file(test_source_path(files[i]));
        ck_assert_msg(text != NULL, "%s cannot be read", files[i]);
        ck_assert_msg(!strstr(text, "protocol_decide"), "%s decides by itself", files[i]);
        ck_assert_msg(!strstr(text, "policy_delay"), "%s waits by itself", files[i]);
        free(text);
    }
    char *text = test_read_file(test_source_path("src/core/scheduler/scheduler_judge.c"));
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_nonnull(strstr(text, "protocol_decide("));
    free(text);
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
        ck_assert_int_eq(play_last(&play, EVENT_WAIT_STARTED)->a, delays[i]);
        play_wait(&play, delays[i]);
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    }
    play_outcome(&play, "a", not_started(), play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_TRANSIENT_EXHAUSTED);
}
END_TEST

START_TEST(test_B3_what_is_not_transient_is_returned_at_once)
{
    begin(ONE("GREEN"));
    play_outcome(&play, "a", not_started(), play_persistent(REASON_NOT_FOUND));
    ck_assert_int_eq(play_count(&play, EVENT_WAIT_STARTED, "a"), 0);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_FAILED);
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
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        play_wait(&play, 60000);
    }
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(end->a, DECISION_TRANSIENT_EXHAUSTED);
    ck_assert_int_eq(end->c, 1); /* entropy */
    ck_assert_int_eq(end->d, 1); /* capture */
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
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        play_wait(&play, 60000);
    }
    /* Once it ran, the step's own policy decides: three attempts, not four. */
    ck_assert_int_eq(play.state.steps[0].used, 3);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_TRANSIENT_EXHAUSTED);
}
END_TEST

#define CHAIN                                                                                      \
    "{\"version\":1,\"idempotent\":true,\"tasks\":["                                               \
    "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]},{\"phase\":\"VERIFY\",\"run\":[\"y\"]}]},"         \
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]},"                              \
    "{\"id\":\"c\",\"needs\":[\"b\"],\"steps\":[{\"run\":[\"x\"]}]},"                              \
    "{\"id\":\"d\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"],\"expect\":\"failure\"}]}]}"

static void fail_for_good(const char *task)
{
    for (int i = 0; i < 3; i++) {
        play_exit(&play, task, 1, play_persistent(REASON_NONE));
        play_wait(&play, 60000);
    }
}

START_TEST(test_steps_follow_each_other)
{
    begin(CHAIN);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(run_state_step_number(&play.state, 0), 1);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "b"), TASK_QUEUED);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
    ck_assert_int_eq(play_status(&play, "b"), TASK_RUNNING);
}
END_TEST

START_TEST(test_what_needs_a_failed_task_is_blocked)
{
    begin(CHAIN);
    fail_for_good("a");
    ck_assert_int_eq(play_status(&play, "b"), TASK_BLOCKED);
    ck_assert_int_eq(play_status(&play, "c"), TASK_BLOCKED);
    play_exit(&play, "d", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.exit_code, 1);
}
END_TEST

static void check_count(int attempt, const char *wanted)
{
    const struct try_count count = run_state_try_count(&play.state, 0, 0, attempt);
    struct str text = {0};
    shown_try_count(&count, "/", &text);
    ck_assert_str_eq(str_text(&text), wanted);
    str_done(&text);
}

START_TEST(test_a_retry_by_hand_opens_a_grant_and_unblocks)
{
    begin(CHAIN);
    fail_for_good("a");
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 1);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "b"), TASK_QUEUED);
    ck_assert_int_eq(play_status(&play, "c"), TASK_QUEUED);
    ck_assert_int_eq(step_state_attempt(run_state_step(&play.state, 0))->number, 4);
    ck_assert_int_eq(run_state_tries(&play.state, 0), 6);
    check_count(4, "1/3 (4th in all)");
    check_count(0, "1/3 (4th in all)");
    check_count(3, "3"); /* it was 3/3 */
    check_count(5, "5"); /* there is none */
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "c", 0, play_passed());
    play_exit(&play, "d", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_int_eq(play.state.exit_code, 0);
}
END_TEST

START_TEST(test_a_blocked_task_is_not_retried_past_its_need)
{
    begin(CHAIN);
    fail_for_good("a");
    play_control(&play, CONTROL_RETRY, "b", CANCEL_STOP);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 0);
    ck_assert_int_eq(play_status(&play, "b"), TASK_BLOCKED);
}
END_TEST

START_TEST(test_a_retry_during_a_wait_skips_it_and_keeps_the_count)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_last(&play, EVENT_WAIT_ENDED)->a, 1);
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    ck_assert_int_eq(play.state.steps[0].attempts[1].number, 2);
}
END_TEST

START_TEST(test_an_act_on_an_attempt_that_is_over_is_refused)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_wait(&play, 500);
    play_input(
        &play,
        (struct input){
            .kind = INPUT_CONTROL,
            .control = {
                .id = 9, .verb = CONTROL_CANCEL, .mode = CANCEL_KILL, .attempt = 1, .by = "ann"}});
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 0);
    ck_assert_uint_eq(play.turn.action_count, 0);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

START_TEST(test_an_act_on_a_step_that_is_over_is_refused)
{
    begin(CHAIN);
    play_exit(&play, "a", 0, play_passed()); /* step 2 runs now, its first attempt too */
    struct control control = {
        .id = 9, .verb = CONTROL_CANCEL, .mode = CANCEL_KILL, .attempt = 1, .by = "ann"};
    play_input(&play, (struct input){.kind = INPUT_CONTROL, .control = control});
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 0);
    ck_assert_uint_eq(play.turn.action_count, 0);
    control.step = 1;
    play_input(&play, (struct input){.kind = INPUT_CONTROL, .control = control});
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->b, 1);
}
END_TEST

#define DEADLINE                                                                                   \
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"default\","                \
    "\"deadline_ms\":2000}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],"                 \
    "\"policy\":\"p\"}]}]}"

START_TEST(test_a_deadline_ends_the_tries_and_time_held_does_not_count)
{
    begin(DEADLINE);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE)); /* waits 500 ms */
    if (_i == 1)
        play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_wait(&play, 600);
    play_wait(&play, 5000);
    if (_i == 1) {
        ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
        play_control(&play, CONTROL_RELEASE, "a", CANCEL_STOP);
    }
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 2);
    play_wait(&play, 1900);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_DEADLINE);
}
END_TEST

START_TEST(test_a_deadline_that_passed_in_the_queue_is_kept_at_the_start)
{
    begin("{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"default\","
          "\"deadline_ms\":2000}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],"
          "\"policy\":\"p\"}]},{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"]}]},"
          "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"]}]}]}");
    play_exit(&play, "a", 1, play_persistent(REASON_NONE)); /* b and c have the slots */
    play_wait(&play, 5000);
    ck_assert_int_eq(play_status(&play, "a"), TASK_QUEUED);
    play_exit(&play, "b", 0, play_passed());
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->a, DECISION_DEADLINE);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_cancel_of_what_waits_is_at_once)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
    ck_assert_int_eq(scheduler_next_due(&play.scheduler), -1);
    ck_assert_int_eq(entropy("a"), 0);
    play_wait(&play, 60000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
}
END_TEST

START_TEST(test_cancel_of_what_runs_asks_for_a_kill)
{
    begin(ONE("GREEN"));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_TERM);
    ck_assert_uint_eq(play.turn.action_count, 1);
    ck_assert_int_eq(play.turn.actions[0].kind, ACTION_KILL);
    ck_assert_int_eq(play.turn.actions[0].mode, CANCEL_TERM);
    /* It says 0, but it was cancelled: that is never a pass. */
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_CANCELLED}, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
}
END_TEST

START_TEST(test_stop_lets_what_runs_end_and_starts_no_more)
{
    begin(CHAIN);
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    ck_assert_uint_eq(play.turn.action_count, 0);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
}
END_TEST

START_TEST(test_cancelled_run_ends_with_130)
{
    begin(CHAIN);
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_TERM);
    ck_assert_int_eq(play_status(&play, "b"), TASK_CANCELLED);
    ck_assert_int_eq(play_status(&play, "c"), TASK_CANCELLED);
    struct outcome cancelled = {.kind = OUTCOME_CANCELLED};
    play_outcome(&play, "a", cancelled, play_persistent(REASON_CANCELLED));
    ck_assert(!play.state.ended);
    play_outcome(&play, "d", cancelled, play_persistent(REASON_CANCELLED));
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.exit_code, 130);
}
END_TEST

START_TEST(test_hold_holds_and_release_waits_out_the_rest)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_wait(&play, 60000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_HELD);
    play_control(&play, CONTROL_RELEASE, "a", CANCEL_STOP);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 2);
}
END_TEST

START_TEST(test_release_before_the_due_time_goes_on_waiting)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_control(&play, CONTROL_RELEASE, "a", CANCEL_STOP);
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    play_wait(&play, 500);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

START_TEST(test_jobs_limit_is_kept)
{
    begin(
        "{\"version\":1,\"idempotent\":true,\"tasks\":["
        "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]}]},{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"]}]},"
        "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"]}]}]}");
    ck_assert_int_eq(play.state.running, 2);
    ck_assert_int_eq(play_status(&play, "c"), TASK_QUEUED);
    play_exit(&play, "b", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "c"), TASK_RUNNING);
}
END_TEST

/* What `expect: failure` makes of an end; the first field is the exit code. */
static const struct {
    const char *name;
    int code;
    enum verdict_class class;
    enum reason reason;
    enum task_status want;
} red_cases[] = {
    {"a failing test is what was wanted", 1, VERDICT_PERSISTENT, REASON_TEST_FAIL, TASK_PASSED},
    {"so is a compile error", 1, VERDICT_PERSISTENT, REASON_COMPILE, TASK_PASSED},
    {"and a failure no rule knows", 3, VERDICT_PERSISTENT, REASON_NONE, TASK_PASSED},
    {"passing is a failure", 0, VERDICT_SUCCESS, REASON_NONE, TASK_GAVE_UP},
    {"usage is the wrong reason", 2, VERDICT_PERSISTENT, REASON_USAGE, TASK_GAVE_UP},
    {"not found is the wrong reason", 1, VERDICT_PERSISTENT, REASON_NOT_FOUND, TASK_GAVE_UP},
    {"127 is the wrong reason", 127, VERDICT_PERSISTENT, REASON_NONE, TASK_GAVE_UP},
    {"126 is the wrong reason", 126, VERDICT_PERSISTENT, REASON_NONE, TASK_GAVE_UP},
    {"the network is the wrong reason", 1, VERDICT_TRANSIENT, REASON_NONE, TASK_GAVE_UP},
};

START_TEST(test_expected_failure)
{
    begin(CHAIN);
    struct verdict verdict = verdict_new();
    verdict.class = red_cases[_i].class;
    verdict.reason = red_cases[_i].reason;
    play_exit(&play, "d", red_cases[_i].code, verdict);
    ck_assert_msg(play_status(&play, "d") == red_cases[_i].want, "%s", red_cases[_i].name);
}
END_TEST

START_TEST(test_expected_failure_by_signal_or_timeout_is_wrong)
{
    static const enum outcome_kind kinds[] = {OUTCOME_SIGNAL, OUTCOME_TIMEOUT};
    begin(CHAIN);
    play_outcome(&play, "d", (struct outcome){.kind = kinds[_i], .code = 11},
                 play_persistent(REASON_CRASH));
    ck_assert_int_eq(play_status(&play, "d"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_what_needs_a_person_stops_at_once)
{
    begin(ONE("GREEN"));
    struct verdict verdict = play_persistent(REASON_AUTH);
    verdict.ask = true;
    play_exit(&play, "a", 1, verdict);
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(entropy("a"), 0);
    ck_assert_int_eq(play.state.exit_code, 4);
}
END_TEST

START_TEST(test_a_servers_hint_is_waited_out_and_free_twice)
{
    begin(ONE("GREEN"));
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    verdict.retry_after_ms = 120000;
    for (int i = 0; i < 4; i++) {
        play_exit(&play, "a", 1, verdict);
        ck_assert_int_eq(play_last(&play, EVENT_WAIT_STARTED)->a, 120000);
        play_wait(&play, 119999);
        ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
        play_wait(&play, 1);
    }
    play_exit(&play, "a", 1, verdict);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 5); /* 3 and 2 free ones */
}
END_TEST

START_TEST(test_a_hint_of_many_hours_needs_a_person)
{
    begin(ONE("GREEN"));
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    verdict.retry_after_ms = 7LL * 3600 * 1000;
    play_exit(&play, "a", 1, verdict);
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
}
END_TEST

START_TEST(test_equal_results_are_entropy_under_research)
{
    begin("{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"research\","
          "\"max_attempts\":9}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],"
          "\"policy\":\"p\"}]}]}");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        int attempt = i + 1;
        play_input(&play, (struct input){.kind = INPUT_ENDED,
                                         .attempt = attempt,
                                         .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                         .verdict = play_persistent(REASON_NONE),
                                         .fingerprint = {.hi = 5, .lo = 6}});
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert_int_eq(play.state.exit_code, 3);
}
END_TEST

START_TEST(test_inputs_of_an_attempt_that_is_over_are_ignored)
{
    begin(ONE("GREEN"));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    size_t before = play.event_count;
    play_input(&play, (struct input){.kind = INPUT_ENDED, .attempt = 1});
    play_input(&play, (struct input){.kind = INPUT_RUNNING, .attempt = 1, .pid = 9});
    play_input(&play, (struct input){.kind = INPUT_ENDED, .task = 77, .attempt = 1});
    ck_assert_uint_eq(play.event_count, before);
}
END_TEST

START_TEST(test_a_chain_of_many_tasks_blocks_without_recursion)
{
    enum { TASKS = 20000 };
    struct str plan = {0};
    str_add(&plan, "{\"version\":1,\"idempotent\":true,\"tasks\":[");
    for (int i = 0; i < TASKS; i++) {
        str_addf(&plan, "%s{\"id\":\"t%d\",", i > 0 ? "," : "", i);
        if (i > 0)
            str_addf(&plan, "\"needs\":[\"t%d\"],", i - 1);
        str_add(&plan, "\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]}");
    }
    str_add(&plan, "]}");
    begin(plan.data);
    str_done(&plan);
    play_exit(&play, "t0", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play.state.counts[TASK_BLOCKED], TASKS - 1);
    ck_assert(play.state.ended);
}
END_TEST

static void add_requirements(Suite *suite)
{
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
    tcase_add_test(tcase, test_A10_only_the_scheduler_asks_the_protocol);
    tcase_add_loop_test(tcase, test_B3_a_start_is_tried_four_times_in_every_phase, 0, 4);
    tcase_add_test(tcase, test_B3_what_is_not_transient_is_returned_at_once);
    tcase_add_test(tcase, test_B4_transient_retries_never_count_as_entropy);
    tcase_add_test(tcase, test_B5_exhausted_transient_retries_say_type_attempts_and_task);
    tcase_add_test(tcase, test_B6_each_retry_is_a_record);
    tcase_add_test(tcase, test_B7_transient_retries_are_configurable);
    tcase_add_test(tcase, test_B8_the_infrastructure_handler_serves_starts_only);
}

static void add_acts(Suite *suite)
{
    TCase *tcase = test_case(suite, "acts");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_a_retry_by_hand_opens_a_grant_and_unblocks);
    tcase_add_test(tcase, test_a_blocked_task_is_not_retried_past_its_need);
    tcase_add_test(tcase, test_a_retry_during_a_wait_skips_it_and_keeps_the_count);
    tcase_add_test(tcase, test_an_act_on_an_attempt_that_is_over_is_refused);
    tcase_add_test(tcase, test_an_act_on_a_step_that_is_over_is_refused);
    tcase_add_loop_test(tcase, test_a_deadline_ends_the_tries_and_time_held_does_not_count, 0, 2);
    tcase_add_test(tcase, test_a_deadline_that_passed_in_the_queue_is_kept_at_the_start);
    tcase_add_test(tcase, test_cancel_of_what_waits_is_at_once);
    tcase_add_test(tcase, test_cancel_of_what_runs_asks_for_a_kill);
    tcase_add_test(tcase, test_stop_lets_what_runs_end_and_starts_no_more);
    tcase_add_test(tcase, test_cancelled_run_ends_with_130);
    tcase_add_test(tcase, test_hold_holds_and_release_waits_out_the_rest);
    tcase_add_test(tcase, test_release_before_the_due_time_goes_on_waiting);
}

/* One failure blocks many at once, one retry lets them all wait again. */
START_TEST(test_a_task_that_many_need)
{
    enum { MANY = 100 };
    struct str plan = {0};
    str_add(&plan, "{\"version\":1,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":["
                   "\"x\"]}]}");
    for (int i = 0; i < MANY; i++)
        str_addf(
            &plan,
            ",{\"id\":\"t%d\",\"needs\":[\"a\"],\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]}",
            i);
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

/* {"note":"..."} around it: what is longer than an event's text may be is not written. */
START_TEST(test_texts_have_a_limit)
{
    enum { FRAME = sizeof("{\"note\":\"\"}") - 1 };
    char note[EVENT_TEXT_MAX] = {0};
    memset(note, 'n', EVENT_TEXT_MAX - FRAME);
    play_open(
        &play,
        "{\"version\":1,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}"
        "]}]}");
    play_input(&play, (struct input){.kind = INPUT_NOTE, .task = -1, .note = note});
    const struct event *event = play_last(&play, EVENT_NOTE);
    ck_assert_ptr_nonnull(event->text);
    ck_assert_uint_eq(strlen(event->text), EVENT_TEXT_MAX);
    note[EVENT_TEXT_MAX - FRAME] = 'n';
    play_input(&play, (struct input){.kind = INPUT_NOTE, .task = -1, .note = note});
    ck_assert_ptr_null(play_last(&play, EVENT_NOTE)->text);
}
END_TEST

START_TEST(test_turn_is_empty_once_done)
{
    play_open(
        &play,
        "{\"version\":1,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}"
        "]}]}");
    play_start(&play, 1);
    turn_done(&play.turn);
    ck_assert_uint_eq(play.turn.event_count + play.turn.action_count, 0);
    turn_done(&play.turn);
    play_wait(&play, 1); /* and can be used again */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scheduler");
    add_requirements(suite);
    add_acts(suite);
    TCase *tcase = test_case(suite, "flow");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_steps_follow_each_other);
    tcase_add_test(tcase, test_what_needs_a_failed_task_is_blocked);
    tcase_add_test(tcase, test_jobs_limit_is_kept);
    tcase_add_loop_test(tcase, test_expected_failure, 0, TABLE_LEN(red_cases));
    tcase_add_loop_test(tcase, test_expected_failure_by_signal_or_timeout_is_wrong, 0, 2);
    tcase_add_test(tcase, test_what_needs_a_person_stops_at_once);
    tcase_add_test(tcase, test_a_servers_hint_is_waited_out_and_free_twice);
    tcase_add_test(tcase, test_a_hint_of_many_hours_needs_a_person);
    tcase_add_test(tcase, test_equal_results_are_entropy_under_research);
    tcase_add_test(tcase, test_inputs_of_an_attempt_that_is_over_are_ignored);
    tcase_add_test(tcase, test_a_chain_of_many_tasks_blocks_without_recursion);
    tcase_add_test(tcase, test_a_task_that_many_need);
    tcase_add_test(tcase, test_texts_have_a_limit);
    tcase_add_test(tcase, test_turn_is_empty_once_done);
    return suite;
}
