#include <errno.h>
#include <string.h>

#include "classify.h"
#include "event_text.h"
#include "play.h"
#include "test_main.h"

static struct play play;
static struct str text;

static void setup(void)
{
    text = (struct str){0};
}

static void teardown(void)
{
    play_close(&play);
    str_done(&text);
}

static void begin(const char *workspace, const char *phase)
{
    str_addf(&text,
             "{\"version\":1,\"workspace\":\"%s\",\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":"
             "\"%s\",\"run\":[\"x\"],\"policy\":{\"max_attempts\":2,\"phases\":[\"GREEN\"]}}]}]}",
             workspace, phase);
    play_open(&play, str_text(&text));
    play_start(&play, 1);
    str_clear(&text);
}

/* Judged as the engine does it. */
static struct input failure(int code, const char *why)
{
    struct input input = {.kind = INPUT_ENDED,
                          .step = 0,
                          .attempt = (int)play.state.tasks[0].steps[0].attempt_count,
                          .outcome = {.kind = OUTCOME_NOT_STARTED, .code = code},
                          .verdict = verdict_new(),
                          .start_why = why};
    const struct classify_input facts = {.outcome = input.outcome, .memory_killed = -1};
    ck_assert(facts_judge(&facts, &input.verdict));
    return input;
}

static const struct {
    int code;
    enum transient_type type; /* NONE: persistent */
    enum reason reason;
    bool ask;
} codes[] = {
    {START_SANDBOX_FAILED, TRANSIENT_NONE, REASON_SETUP, false},
    {START_TIMED_OUT, TRANSIENT_SANDBOX_START_TIMEOUT, REASON_NONE, false},
    {START_DAEMON_DOWN, TRANSIENT_DOCKER_SOCKET_UNAVAILABLE, REASON_NONE, false},
    {START_IMAGE_MISSING, TRANSIENT_NONE, REASON_SETUP, true},
    {START_WORKSPACE_FAILED, TRANSIENT_NONE, REASON_SETUP, false},
    {START_CONFLICT, TRANSIENT_NONE, REASON_CONFLICT, true},
    {START_NO_SPACE, TRANSIENT_RESOURCE_BUSY, REASON_NONE, false},
    {START_TOO_LARGE, TRANSIENT_NONE, REASON_TOO_LARGE, false},
    {START_LEFT_ALIVE, TRANSIENT_NONE, REASON_SETUP, true},
    {START_SECRET_MISSING, TRANSIENT_NONE, REASON_SETUP, true},
    {START_STDIN_GONE, TRANSIENT_NONE, REASON_SETUP, true},
    {START_EXECUTOR_DOWN, TRANSIENT_NETWORK_TIMEOUT, REASON_NONE, false},
    {START_EXECUTOR_REFUSED, TRANSIENT_NONE, REASON_SETUP, true},
    {START_HAND_MISSING, TRANSIENT_NONE, REASON_SETUP, true},
    {START_NO_FOLDER, TRANSIENT_NONE, REASON_SETUP, false},
    {START_QUEUED_TOO_LONG, TRANSIENT_RESOURCE_BUSY, REASON_NONE, false},
    {ENOSPC, TRANSIENT_RESOURCE_BUSY, REASON_NONE, false},
};

START_TEST(test_B3_each_start_failure_has_its_class_and_its_end)
{
    const bool transient = codes[_i].type != TRANSIENT_NONE;
    begin("worktree", "RED");
    const struct input input = failure(codes[_i].code, "it says no");
    ck_assert_int_eq((int)input.verdict.type, (int)codes[_i].type);
    ck_assert_int_eq((int)input.verdict.reason, (int)codes[_i].reason);
    ck_assert(input.verdict.ask == codes[_i].ask);
    play_input(&play, input);
    ck_assert_int_eq(play_count(&play, EVENT_WAIT_STARTED, "a"), transient ? 1 : 0);
    if (transient)
        ck_assert_int_eq(play_last(&play, EVENT_WAIT_STARTED)->wait.delay.delay_ms, 1000);
    else
        ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision,
                         codes[_i].ask ? DECISION_NEEDS_YOU : DECISION_FAILED);
}
END_TEST

START_TEST(test_every_start_code_is_in_the_table)
{
    begin("worktree", "RED");
    for (int code = START_CODE_FIRST; code < START_CODE_END; code++) {
        const struct outcome outcome = {.kind = OUTCOME_NOT_STARTED, .code = code};
        bool found = false;
        for (int i = 0; i < TABLE_LEN(codes); i++)
            found = found || codes[i].code == code;
        ck_assert_msg(found, "%d", code);
        ck_assert(start_code_is_known(code));
        str_clear(&text);
        outcome_words(&outcome, &text);
        ck_assert_ptr_nonnull(strstr(str_text(&text), "not started: "));
    }
    ck_assert(!start_code_is_known(ENOSPC));
    ck_assert(!start_code_is_known(START_CODE_END));
}
END_TEST

START_TEST(test_the_reason_is_in_the_log)
{
    begin("worktree", "GREEN");
    play_input(&play, failure(START_IMAGE_MISSING, "no image \033[31m\"shop\" here\nsecond line"));
    const struct event *ended = play_last(&play, EVENT_ATTEMPT_ENDED);
    ck_assert_str_eq(ended->ended.start_error, "no image \"shop\" here");
    event_words(&play.state, ended, &text);
    ck_assert_str_eq(str_text(&text), "a try 1 GREEN not started: the container image is missing: "
                                      "no image \"shop\" here, ran 0:00");
    struct verdict verdict;
    ck_assert_ptr_nonnull(step_state_verdict(&play.state.tasks[0].steps[0], &verdict));
    ck_assert_str_eq(verdict.match, "no image \"shop\" here");
}
END_TEST

START_TEST(test_B5_starts_that_are_used_up_leave_a_capture_and_count_once)
{
    begin("worktree", "GREEN");
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(play.state.tasks[0].entropy, 0);
        play_input(&play, failure(START_DAEMON_DOWN, "no daemon"));
        play_wait(&play, 30000);
    }
    const struct event *ended = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(ended->step_ended.decision, DECISION_TRANSIENT_EXHAUSTED);
    ck_assert_int_eq(ended->step_ended.attempts, 0); /* no attempt of the step ran */
    ck_assert_int_eq(ended->step_ended.entropy, 1);
    ck_assert_int_eq(ended->step_ended.capture, 1);
    ck_assert_int_eq(play.state.tasks[0].entropy, 1);
    event_words(&play.state, ended, &text);
    ck_assert_str_eq(str_text(&text),
                     "a try 4 GREEN transient exhausted after 4 of 4 starts in phase GREEN, step "
                     "a/1: DOCKER_SOCKET_UNAVAILABLE, not started: the container daemon does not "
                     "answer");
}
END_TEST

START_TEST(test_B5_a_start_that_fails_for_good_leaves_a_capture_too)
{
    begin("worktree", "GREEN");
    play_input(&play, failure(START_TOO_LARGE, "3 GiB, at most 2 GiB"));
    const struct event *ended = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(ended->step_ended.decision, DECISION_FAILED);
    ck_assert_int_eq(ended->step_ended.entropy, 1);
    ck_assert_int_eq(ended->step_ended.capture, 1);
}
END_TEST

static const char *const kinds[] = {"inplace", "worktree", "copy"};

/* In RED nothing is tried again, so the plan need not be idempotent. */
START_TEST(test_A11_what_was_interrupted_runs_again_where_it_can_be_put_back)
{
    begin(kinds[_i], "RED");
    play_crash(&play, play.events.count, false);
    if (_i == 0) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
        return;
    }
    play_wait(&play, 1000);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 2);
}
END_TEST

START_TEST(test_A11_what_can_be_put_back_is_tried_again)
{
    begin("worktree", "GREEN");
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, 60000);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("start_failures");
    TCase *tcase = test_case(suite, "start_failures");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_B3_each_start_failure_has_its_class_and_its_end, 0,
                        TABLE_LEN(codes));
    tcase_add_test(tcase, test_every_start_code_is_in_the_table);
    tcase_add_test(tcase, test_the_reason_is_in_the_log);
    tcase_add_test(tcase, test_B5_starts_that_are_used_up_leave_a_capture_and_count_once);
    tcase_add_test(tcase, test_B5_a_start_that_fails_for_good_leaves_a_capture_too);
    tcase_add_loop_test(tcase, test_A11_what_was_interrupted_runs_again_where_it_can_be_put_back, 0,
                        TABLE_LEN(kinds));
    tcase_add_test(tcase, test_A11_what_can_be_put_back_is_tried_again);
    return suite;
}
