/* A retry with a hint for the next attempt, or with another number of tries. */
#include <stdio.h>
#include <string.h>

#include "event_text.h"
#include "play.h"
#include "policy.h"
#include "test_main.h"

static const char plan[] =
    "{\"version\":1,\"idempotent\":true,\"policy\":\"p\",\"policies\":{\"p\":{\"like\":\"default\","
    "\"max_attempts\":3}},\"tasks\":["
    "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]}]},"
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]}]}";

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

static void open_plan(const char *json)
{
    play_close(&play);
    play_open(&play, json);
    play_start(&play, 1);
}

static const struct step_state *step_of(const char *id)
{
    return run_state_step(&play.state, play_task(&play, id));
}

static void fail_once(void)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
}

static void retry(const char *id, const char *hint, int tries)
{
    struct input input = {.kind = INPUT_CONTROL,
                          .control = {.id = 1,
                                      .verb = CONTROL_RETRY,
                                      .task = id ? play_task(&play, id) : -1,
                                      .step = -1,
                                      .tries = tries,
                                      .by = "ann"}};
    (void)snprintf(input.control.hint, sizeof(input.control.hint), "%s", hint);
    play_input(&play, input);
}

static void check_answer(bool done, const char *words)
{
    const struct event *answer = play_last(&play, EVENT_CONTROL_ANSWERED);
    ck_assert_int_eq(answer->answered.done, done);
    ck_assert_msg(strstr(answer->answered.answer, words) != NULL, "'%s' is not in %s", words,
                  answer->answered.answer);
}

START_TEST(test_hint_is_kept_with_the_attempt_it_is_for)
{
    fail_once();
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    retry("a", "mind the rounding", 0);
    check_answer(true, "your hint is only kept as a note because this step has no agent");
    const struct step_state *step = step_of("a");
    ck_assert_uint_eq(step->attempt_count, 2);
    ck_assert_ptr_null(step->attempts[0].hint);
    ck_assert_str_eq(step->attempts[1].hint->text, "mind the rounding");
    ck_assert_str_eq(step->attempts[1].hint->by, "ann");
    ck_assert_ptr_null(step->hint); /* used once */
    ck_assert_int_eq(step->allowed, 3);
    fail_once();
    play_wait(&play, 60000);
    ck_assert_ptr_null(step_of("a")->attempts[2].hint);
}
END_TEST

/* Fewer tries are a smaller set, but never a smaller total. */
START_TEST(test_total_of_tries_does_not_shrink)
{
    fail_once();
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    retry("a", "", 1);
    ck_assert_int_eq(step_of("a")->allowed, 2);
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    fail_once();
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    retry("a", "", 4);
    ck_assert_int_eq(run_state_tries(&play.state, 0), 6);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(run_state_tries(&play.state, 0), 6);
    const struct try_count count = run_state_try_count(&play.state, 0, 0, 0);
    ck_assert_int_eq(count.number, 1);
    ck_assert_int_eq(count.of, 4);
}
END_TEST

static void use_up_rounds(void)
{
    for (int round = 1; round <= 2; round++) {
        play_exit(&play, "a", 0, play_passed());
        fail_once();
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}

/* The check of a task with rounds is current: the agent of the next round gets the hint, once. */
START_TEST(test_hint_of_a_check_is_for_the_agent)
{
    static const char rounds[] =
        "{\"version\":1,\"idempotent\":true,\"policies\":{\"once\":{\"like\":\"transport\","
        "\"max_attempts\":1}},\"tasks\":[{\"id\":\"a\",\"rounds\":2,\"steps\":["
        "{\"agent\":\"claude\",\"prompt\":\"x\"},"
        "{\"phase\":\"VERIFY\",\"run\":[\"y\"],\"policy\":\"once\"}]}]}";
    open_plan(rounds);
    use_up_rounds();
    ck_assert_int_eq(run_state_hint_goes(&play.state, 0), HINT_GOES_BACK);
    retry("a", "mind the rounding", 0);
    check_answer(true, "the agent gets your hint in round 3");
    ck_assert_ptr_null(step_state_attempt(step_of("a"))->hint); /* the check has no use for it */
    fail_once();
    const struct step_state *agent = &play.state.tasks[0].steps[0];
    ck_assert_uint_eq(agent->attempt_count, 3);
    ck_assert_str_eq(agent->attempts[2].hint->text, "mind the rounding");
    ck_assert_ptr_null(play.state.tasks[0].agent->hint);
    play_exit(&play, "a", 0, play_passed());
    fail_once();
    ck_assert_uint_eq(agent->attempt_count, 4);
    ck_assert_ptr_null(agent->attempts[3].hint);
}
END_TEST

/* A check between two agents is current: whichever is prompted next gets the hint. */
START_TEST(test_hint_is_for_the_agent_that_is_prompted_next)
{
    static const char two_agents[] =
        "{\"version\":1,\"idempotent\":true,\"policies\":{\"once\":{\"like\":\"transport\","
        "\"max_attempts\":1}},\"tasks\":[{\"id\":\"a\",\"rounds\":2,\"steps\":["
        "{\"agent\":\"claude\",\"prompt\":\"x\"},"
        "{\"run\":[\"y\"],\"policy\":\"once\"},"
        "{\"agent\":\"claude\",\"prompt\":\"z\"}]}]}";
    const bool check_passes = _i == 1;
    open_plan(two_agents);
    use_up_rounds();
    ck_assert_int_eq(run_state_hint_goes(&play.state, 0), HINT_GOES_ON);
    retry("a", "mind the rounding", 0);
    check_answer(true, "the next agent of the task gets your hint");
    ck_assert_ptr_null(step_state_attempt(step_of("a"))->hint);
    play_exit(&play, "a", !check_passes,
              check_passes ? play_passed() : play_persistent(REASON_TEST_FAIL));
    const struct step_state *next = &play.state.tasks[0].steps[check_passes ? 2 : 0];
    ck_assert_int_eq(play.state.tasks[0].step, check_passes ? 2 : 0);
    ck_assert_str_eq(step_state_attempt(next)->hint->text, "mind the rounding");
    ck_assert_ptr_null(play.state.tasks[0].agent->hint); /* sent once */
}
END_TEST

/* The agent comes after the step that failed, and there are no rounds. */
START_TEST(test_hint_of_a_step_before_the_agent)
{
    static const char later[] = "{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\","
                                "\"steps\":[{\"phase\":\"RED\",\"run\":[\"y\"]},"
                                "{\"agent\":\"claude\",\"prompt\":\"x\"}]}]}";
    open_plan(later);
    fail_once();
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    retry("a", "mind the rounding", 0);
    check_answer(true, "the next agent of the task gets your hint");
    play_exit(&play, "a", 0, play_passed());
    ck_assert_str_eq(step_state_attempt(step_of("a"))->hint->text, "mind the rounding");
}
END_TEST

START_TEST(test_tries_count_from_now)
{
    fail_once();
    retry("a", "", 5);
    check_answer(true, "5 tries from now");
    ck_assert_int_eq(step_of("a")->allowed, 6);
    ck_assert_int_eq(play_last(&play, EVENT_HINT_GIVEN)->hint.allowed, 6);
    ck_assert_ptr_null(step_of("a")->attempts[1].hint);
}
END_TEST

static void use_up(void)
{
    fail_once();
    for (int i = 1; i < 3; i++) {
        play_wait(&play, 60000);
        fail_once();
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}

START_TEST(test_a_task_without_tries_gets_a_new_set)
{
    use_up();
    retry("a", "look at tax.c", 1);
    check_answer(true, "a new set of tries; 1 try from now on");
    ck_assert_int_eq(play_last(&play, EVENT_STEP_REOPENED)->reopened.allowed, 1);
    ck_assert_int_eq(play_last(&play, EVENT_HINT_GIVEN)->hint.allowed, 0); /* the new set says it */
    ck_assert_str_eq(step_of("a")->attempts[3].hint->text, "look at tax.c");
    fail_once();
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_a_queued_task_keeps_it_for_its_first_try)
{
    retry("b", "", 0);
    check_answer(false, "it is queued");
    retry("b", "begin with the tests", 2);
    check_answer(true, "it is queued; 2 tries from now on");
    ck_assert_str_eq(step_of("b")->hint->text, "begin with the tests");
    play_exit(&play, "a", 0, play_passed());
    ck_assert_str_eq(step_of("b")->attempts[0].hint->text, "begin with the tests");
    ck_assert_int_eq(step_of("b")->allowed, 2);
}
END_TEST

START_TEST(test_a_running_task_takes_none)
{
    retry("a", "hurry", 4);
    check_answer(false, "it is running");
    ck_assert_int_eq(play_count(&play, EVENT_HINT_GIVEN, NULL), 0);
}
END_TEST

START_TEST(test_hint_is_for_one_task)
{
    fail_once();
    retry(NULL, "all of you", 0);
    check_answer(false, "needs a single task");
    ck_assert_int_eq(play_count(&play, EVENT_HINT_GIVEN, NULL), 0);
}
END_TEST

START_TEST(test_last_hint_counts)
{
    retry("b", "first", 0);
    retry("b", "second", 0);
    ck_assert_str_eq(step_of("b")->hint->text, "second");
}
END_TEST

START_TEST(test_the_event_in_words)
{
    struct str text = {0};
    fail_once();
    retry("a", "mind the rounding", 5);
    event_words(&play.state, play_last(&play, EVENT_HINT_GIVEN), &text);
    ck_assert_str_eq(str_text(&text),
                     "a hint by ann: mind the rounding; 6 tries in total, set by ann");
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hint");
    TCase *tcase = test_case(suite, "retry");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_hint_is_kept_with_the_attempt_it_is_for);
    tcase_add_test(tcase, test_total_of_tries_does_not_shrink);
    tcase_add_test(tcase, test_hint_of_a_check_is_for_the_agent);
    tcase_add_loop_test(tcase, test_hint_is_for_the_agent_that_is_prompted_next, 0, 2);
    tcase_add_test(tcase, test_hint_of_a_step_before_the_agent);
    tcase_add_test(tcase, test_tries_count_from_now);
    tcase_add_test(tcase, test_a_task_without_tries_gets_a_new_set);
    tcase_add_test(tcase, test_a_queued_task_keeps_it_for_its_first_try);
    tcase_add_test(tcase, test_a_running_task_takes_none);
    tcase_add_test(tcase, test_hint_is_for_one_task);
    tcase_add_test(tcase, test_last_hint_counts);
    tcase_add_test(tcase, test_the_event_in_words);
    return suite;
}
