#include "scheduler.h"

#include "play.h"
#include "test_main.h"

static const char two[] = "{\"version\":1,\"idempotent\":true,\"tasks\":["
                          "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]},{\"run\":[\"y\"]}]},"
                          "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]},"
                          "{\"id\":\"c\",\"needs\":[\"b\"],\"steps\":[{\"run\":[\"x\"]}]}]}";

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

/* The engine dies right after the last event of this kind. */
static void die_after(enum event_kind kind, bool rebooted)
{
    const struct event *last = play_last(&play, kind);
    ck_assert_ptr_nonnull(last);
    play_crash(&play, (size_t)(last - play.events) + 1, rebooted);
}

static struct step_state *step(const char *task)
{
    return run_state_step(&play.state, play_task(&play, task));
}

START_TEST(test_what_ran_is_interrupted_and_tried_again)
{
    begin(two);
    die_after(EVENT_ATTEMPT_STARTED, false);
    ck_assert_int_eq(play_count(&play, EVENT_RUN_RECOVERED, NULL), 1);
    ck_assert_int_eq(play_last(&play, EVENT_ATTEMPT_ENDED)->a, OUTCOME_INTERRUPTED);
    ck_assert_int_eq(step("a")->used, 0); /* no attempt of the grant is used up */
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(step_state_attempt(step("a"))->number, 2);
}
END_TEST

START_TEST(test_who_goes_on_may_have_other_slots)
{
    play_open(&play, two);
    play_start(&play, 3);
    play.jobs_after = 2;
    die_after(EVENT_ATTEMPT_STARTED, false);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_RECOVERED)->b, 2);
    ck_assert_int_eq(play.state.jobs, 2);
    die_after(EVENT_ATTEMPT_STARTED, false);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_RECOVERED)->b, 0);
    ck_assert_int_eq(play.state.jobs, 2);
}
END_TEST

/* An ended run: `a` failed and blocked `b`, `d` was cancelled, `p` passed. */
static void begin_ended(void)
{
    begin("{\"version\":1,\"idempotent\":true,\"tasks\":["
          "{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]},"
          "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]},"
          "{\"id\":\"d\",\"steps\":[{\"run\":[\"x\"]}]},"
          "{\"id\":\"p\",\"steps\":[{\"run\":[\"x\"]}]}]}");
    play_control(&play, CONTROL_CANCEL, "d", CANCEL_KILL);
    play_exit(&play, "d", 1, play_persistent(REASON_NONE));
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_exit(&play, "p", 0, play_passed());
    ck_assert(play.state.ended);
}

static void take_up(enum take_up what, int64_t after_ms)
{
    play.now.at_ms += after_ms;
    play.now.mono_ms += after_ms;
    play_input(&play, (struct input){.kind = INPUT_RECOVER, .jobs = 2, .take_up = what});
}

START_TEST(test_rest_of_an_ended_run_is_opened)
{
    begin_ended();
    const int64_t took_ms = run_state_elapsed_ms(&play.state, &play.now);
    take_up(TAKE_UP_REST, 1000000);
    ck_assert(!play.state.ended);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_RECOVERED)->c, TAKE_UP_REST);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "b"), TASK_QUEUED);
    ck_assert_int_eq(play_status(&play, "d"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "p"), TASK_PASSED);
    ck_assert_int_eq(step("a")->grant, 2);
    ck_assert_int_eq(play.state.away_ms, 1000000); /* the night is no part of its time */
    ck_assert_int_eq(run_state_elapsed_ms(&play.state, &play.now), took_ms);
}
END_TEST

START_TEST(test_only_what_failed_is_opened)
{
    begin_ended();
    take_up(TAKE_UP_FAILED, 0);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "b"), TASK_QUEUED);
    ck_assert_int_eq(play_status(&play, "d"), TASK_CANCELLED);
    ck_assert_int_eq(play_status(&play, "p"), TASK_PASSED);
}
END_TEST

START_TEST(test_nothing_is_opened_before_it_is_asked_for)
{
    begin_ended();
    take_up(TAKE_UP_ASKED, 0);
    ck_assert(play.state.ended);
    ck_assert_int_eq(play_count(&play, EVENT_RUN_ENDED, NULL), 1);
    play_control(&play, CONTROL_RETRY, "d", CANCEL_STOP);
    ck_assert(!play.state.ended);
    ck_assert_int_eq(play_status(&play, "d"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_slots_of_a_recovery_are_within_bounds)
{
    struct run_state state;
    begin(two);
    run_state_init(&state, play.plan, 7);
    ck_assert(run_state_apply(&state, &play.events[0], NULL));
    struct event event = {.seq = 2,
                          .at = play.now,
                          .kind = EVENT_RUN_RECOVERED,
                          .task = -1,
                          .step = -1,
                          .b = PLAN_JOBS_MAX + 1};
    ck_assert(!run_state_apply(&state, &event, NULL));
    event.b = -1;
    ck_assert(!run_state_apply(&state, &event, NULL));
    event.b = PLAN_JOBS_MAX;
    ck_assert(run_state_apply(&state, &event, NULL));
    ck_assert_int_eq(state.jobs, PLAN_JOBS_MAX);
    run_state_done(&state);
}
END_TEST

START_TEST(test_what_cannot_be_repeated_needs_a_person)
{
    begin("{\"version\":1,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]}"
          "]}");
    die_after(EVENT_ATTEMPT_STARTED, false);
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(play.state.exit_code, 4);
}
END_TEST

START_TEST(test_third_interruption_ends_the_step)
{
    begin(two);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        die_after(EVENT_ATTEMPT_STARTED, false);
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_int_eq(step("a")->end, DECISION_TRANSIENT_EXHAUSTED);
    ck_assert_int_eq(play_status(&play, "c"), TASK_BLOCKED);
}
END_TEST

START_TEST(test_step_that_succeeded_is_not_repeated)
{
    begin(two);
    play_exit(&play, "a", 0, play_passed());
    die_after(EVENT_STEP_ENDED, false);
    ck_assert_int_eq(play.state.tasks[0].step, 1);
    ck_assert_uint_eq(play.state.tasks[0].steps[0].attempt_count, 1);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

/* Its end is in the log, and says enough. */
START_TEST(test_decision_on_a_success_is_made_up_for)
{
    begin(two);
    play_exit(&play, "a", 0, play_passed());
    die_after(EVENT_ATTEMPT_ENDED, false);
    ck_assert_int_eq(play.state.tasks[0].step, 1);
    ck_assert_uint_eq(play.state.tasks[0].steps[0].attempt_count, 1);
}
END_TEST

START_TEST(test_recorded_verdict_is_the_one_decided_on)
{
    begin(two);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    die_after(EVENT_ATTEMPT_JUDGED, false);
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    ck_assert_int_eq(step("a")->attempts[0].type, TRANSIENT_NETWORK_TIMEOUT);
    ck_assert_int_eq(step("a")->used, 1);
}
END_TEST

/* The words it was judged by are not in the log: in doubt persistent, and no success. */
START_TEST(test_lost_verdict_is_persistent)
{
    begin(two);
    play_exit(&play, "a", _i, play_transient(TRANSIENT_NETWORK_TIMEOUT)); /* 0: as agents do */
    die_after(EVENT_ATTEMPT_ENDED, false);
    ck_assert_int_eq(step("a")->attempts[0].class, VERDICT_PERSISTENT);
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
}
END_TEST

/* A test that had to be red was green: the end says so, and it stays so. */
START_TEST(test_unexpected_pass_stays_a_failure)
{
    begin("{\"version\":1,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"],"
          "\"expect\":\"failure\"}]}]}");
    play_exit(&play, "a", 0, play_passed());
    die_after(EVENT_ATTEMPT_ENDED, false);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_failure_that_was_wanted_is_still_a_success)
{
    begin("{\"version\":1,\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"],"
          "\"expect\":\"failure\"}]}]}");
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    die_after(EVENT_ATTEMPT_ENDED, false);
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
}
END_TEST

START_TEST(test_cancelled_wait_keeps_its_evidence)
{
    begin(two);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    die_after(EVENT_CANCEL_ASKED, false);
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->d, 1);
}
END_TEST

START_TEST(test_lost_verdict_of_a_timeout_is_known)
{
    begin(two);
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_TIMEOUT},
                 play_transient(TRANSIENT_RESOURCE_BUSY));
    die_after(EVENT_ATTEMPT_ENDED, false);
    ck_assert_int_eq(step("a")->attempts[0].type, TRANSIENT_RESOURCE_BUSY);
}
END_TEST

START_TEST(test_blocks_that_were_on_their_way_are_made)
{
    begin("{\"version\":1,\"tasks\":["
          "{\"id\":\"c\",\"needs\":[\"b\"],\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]},"
          "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]},"
          "{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]}]}");
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play_count(&play, EVENT_TASK_BLOCKED, NULL), 2);
    die_after(EVENT_STEP_ENDED, false);
    ck_assert_int_eq(play_status(&play, "b"), TASK_BLOCKED);
    ck_assert_int_eq(play_status(&play, "c"), TASK_BLOCKED);
    ck_assert(play.state.ended);
}
END_TEST

START_TEST(test_cancel_that_was_asked_is_carried_out)
{
    begin(two);
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_TERM);
    die_after(EVENT_CANCEL_ASKED, false);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(play.state.tasks[i].status, TASK_CANCELLED);
    ck_assert_int_eq(play.state.exit_code, 130);
}
END_TEST

START_TEST(test_wait_goes_on_after_a_reboot)
{
    begin(two);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* 500 ms */
    int64_t due_ms = step("a")->due.at_ms;
    die_after(EVENT_WAIT_STARTED, true);
    ck_assert_int_eq(play.now.mono_ms, 100); /* the clock began anew */
    ck_assert_int_eq(step("a")->due.at_ms, due_ms);
    ck_assert_int_eq(scheduler_next_due(&play.scheduler), 600);
    const struct attempt_state *attempt = step_state_attempt(step("a"));
    int64_t ago_ms = play.now.at_ms - attempt->ended.at_ms;
    ck_assert_int_eq(play.now.mono_ms - attempt->ended.mono_ms, ago_ms);
    ck_assert_int_eq(play.now.mono_ms - attempt->started.mono_ms,
                     play.now.at_ms - attempt->started.at_ms);
    play_wait(&play, 500);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

static const char gated[] = "{\"version\":1,\"idempotent\":true,\"tasks\":["
                            "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]},"
                            "{\"id\":\"b\",\"steps\":[{\"run\":[\"x\"],\"source\":\"api\"}]}]}";

START_TEST(test_lost_probe_is_sent_again)
{
    play_open(&play, gated);
    play_start(&play, 1);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_wait(&play, 500);
    ck_assert_int_eq(play.state.gates[0].status, GATE_PROBING);
    die_after(EVENT_ATTEMPT_STARTED, false);
    ck_assert_int_eq(play.state.gates[0].status, GATE_PROBING);
    ck_assert_int_eq(play_count(&play, EVENT_GATE_OPENED, NULL), 0);
    ck_assert_int_eq(play.state.running, 1);
}
END_TEST

START_TEST(test_run_that_had_not_started_starts)
{
    begin(two);
    play_crash(&play, 0, false);
    ck_assert(play.state.started);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("recover");
    TCase *tcase = test_case(suite, "recover");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_what_ran_is_interrupted_and_tried_again);
    tcase_add_test(tcase, test_who_goes_on_may_have_other_slots);
    tcase_add_test(tcase, test_rest_of_an_ended_run_is_opened);
    tcase_add_test(tcase, test_only_what_failed_is_opened);
    tcase_add_test(tcase, test_nothing_is_opened_before_it_is_asked_for);
    tcase_add_test(tcase, test_slots_of_a_recovery_are_within_bounds);
    tcase_add_test(tcase, test_what_cannot_be_repeated_needs_a_person);
    tcase_add_test(tcase, test_third_interruption_ends_the_step);
    tcase_add_test(tcase, test_step_that_succeeded_is_not_repeated);
    tcase_add_test(tcase, test_decision_on_a_success_is_made_up_for);
    tcase_add_test(tcase, test_recorded_verdict_is_the_one_decided_on);
    tcase_add_loop_test(tcase, test_lost_verdict_is_persistent, 0, 2);
    tcase_add_test(tcase, test_unexpected_pass_stays_a_failure);
    tcase_add_test(tcase, test_failure_that_was_wanted_is_still_a_success);
    tcase_add_test(tcase, test_cancelled_wait_keeps_its_evidence);
    tcase_add_test(tcase, test_lost_verdict_of_a_timeout_is_known);
    tcase_add_test(tcase, test_blocks_that_were_on_their_way_are_made);
    tcase_add_test(tcase, test_cancel_that_was_asked_is_carried_out);
    tcase_add_test(tcase, test_wait_goes_on_after_a_reboot);
    tcase_add_test(tcase, test_lost_probe_is_sent_again);
    tcase_add_test(tcase, test_run_that_had_not_started_starts);
    return suite;
}
