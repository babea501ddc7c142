/* A run that another engine continues: inputs that data/scenes (crashes, ends) do not have. */
#include "scheduler.h"

#include "play.h"
#include "test_main.h"

static const char two[] = "{'version':1,'idempotent':true,'tasks':["
                          "{'id':'a','steps':[{'run':['x']},{'run':['y']}]},"
                          "{'id':'b','needs':['a'],'steps':[{'run':['x']}]},"
                          "{'id':'c','needs':['b'],'steps':[{'run':['x']}]}]}";

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
static void die_after(enum event_kind kind)
{
    const struct event *last = play_last(&play, kind);
    ck_assert_ptr_nonnull(last);
    play_crash(&play, (size_t)(last - play.events.items) + 1, false);
}

static struct step_state *step(const char *task)
{
    return run_state_step(&play.state, play_task(&play, task));
}

START_TEST(test_the_next_engine_may_have_other_slots)
{
    play_open(&play, two);
    play_start(&play, 3);
    play.jobs_after = 2;
    die_after(EVENT_ATTEMPT_STARTED);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_RECOVERED)->recovered.jobs, 2);
    ck_assert_int_eq(play.state.jobs, 2);
    die_after(EVENT_ATTEMPT_STARTED);
    ck_assert_int_eq(play_last(&play, EVENT_RUN_RECOVERED)->recovered.jobs, 0);
    ck_assert_int_eq(play.state.jobs, 2);
}
END_TEST

/* An ended run: `a` failed and blocked `b`, `d` was cancelled, `p` passed. */
static void begin_ended(void)
{
    begin("{'version':1,'idempotent':true,'tasks':[{'id':'a','steps':[{'phase':'RED',"
          "'run':['x']}]},{'id':'b','needs':['a'],'steps':[{'run':['x']}]},"
          "{'id':'d','steps':[{'run':['x']}]},{'id':'p','steps':[{'run':['x']}]}]}");
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
    ck_assert_int_eq(play_last(&play, EVENT_RUN_RECOVERED)->recovered.take_up, TAKE_UP_REST);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "b"), TASK_QUEUED);
    ck_assert_int_eq(play_status(&play, "d"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "p"), TASK_PASSED);
    ck_assert_int_eq(step("a")->grant, 2);
    ck_assert_int_eq(play.state.away_ms, 1000000); /* the time between does not count */
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

START_TEST(test_nothing_is_opened_before_it_is_requested)
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
    ck_assert(run_state_apply(&state, &play.events.items[0], NULL));
    struct event event = {.seq = 2,
                          .at = play.now,
                          .kind = EVENT_RUN_RECOVERED,
                          .task = -1,
                          .step = -1,
                          .recovered.jobs = PLAN_JOBS_MAX + 1};
    ck_assert(!run_state_apply(&state, &event, NULL));
    event.recovered.jobs = -1;
    ck_assert(!run_state_apply(&state, &event, NULL));
    event.recovered.jobs = PLAN_JOBS_MAX;
    ck_assert(run_state_apply(&state, &event, NULL));
    ck_assert_int_eq(state.jobs, PLAN_JOBS_MAX);
    run_state_done(&state);
}
END_TEST

START_TEST(test_a_step_that_cannot_be_repeated_needs_a_person)
{
    begin("{'version':1,'tasks':[{'id':'a','steps':[{'phase':'RED','run':['x']}]}]}");
    die_after(EVENT_ATTEMPT_STARTED);
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(play.state.exit_code, 4);
}
END_TEST

/* The recorded end says whether the expected failure came, also without the verdict. */
START_TEST(test_expectation_is_kept_without_the_verdict)
{
    begin("{'version':1,'tasks':[{'id':'a','steps':[{'phase':'RED','run':['x'],"
          "'expect':'failure'}]}]}");
    if (_i == 0)
        play_exit(&play, "a", 0, play_passed());
    else
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    die_after(EVENT_ATTEMPT_ENDED);
    ck_assert_int_eq(play_status(&play, "a"), _i == 0 ? TASK_GAVE_UP : TASK_PASSED);
}
END_TEST

START_TEST(test_cancelled_wait_keeps_its_evidence)
{
    begin(two);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    die_after(EVENT_CANCEL_ASKED);
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.capture, 1);
}
END_TEST

START_TEST(test_pending_blocks_are_made_up_for)
{
    begin("{'version':1,'tasks':[{'id':'c','needs':['b'],'steps':[{'phase':'RED','run':['x']}]},"
          "{'id':'b','needs':['a'],'steps':[{'phase':'RED','run':['x']}]},"
          "{'id':'a','steps':[{'phase':'RED','run':['x']}]}]}");
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(play_count(&play, EVENT_TASK_BLOCKED, NULL), 2);
    die_after(EVENT_STEP_ENDED);
    ck_assert_int_eq(play_status(&play, "b"), TASK_BLOCKED);
    ck_assert_int_eq(play_status(&play, "c"), TASK_BLOCKED);
    ck_assert(play.state.ended);
}
END_TEST

START_TEST(test_a_requested_cancel_is_carried_out)
{
    begin(two);
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_TERM);
    die_after(EVENT_CANCEL_ASKED);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(play.state.tasks[i].status, TASK_CANCELLED);
    ck_assert_int_eq(play.state.exit_code, 130);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("recover");
    TCase *tcase = test_case(suite, "recover");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_the_next_engine_may_have_other_slots);
    tcase_add_test(tcase, test_rest_of_an_ended_run_is_opened);
    tcase_add_test(tcase, test_only_what_failed_is_opened);
    tcase_add_test(tcase, test_nothing_is_opened_before_it_is_requested);
    tcase_add_test(tcase, test_slots_of_a_recovery_are_within_bounds);
    tcase_add_test(tcase, test_a_step_that_cannot_be_repeated_needs_a_person);
    tcase_add_loop_test(tcase, test_expectation_is_kept_without_the_verdict, 0, 2);
    tcase_add_test(tcase, test_cancelled_wait_keeps_its_evidence);
    tcase_add_test(tcase, test_pending_blocks_are_made_up_for);
    tcase_add_test(tcase, test_a_requested_cancel_is_carried_out);
    return suite;
}
