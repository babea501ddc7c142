/*
 * Rounds: the agent of a task is prompted again when a check after it fails. Which failures start a
 * round, and which steps it opens again: tests/sim/decisions.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "shown.h"
#include "str.h"
#include "test_main.h"
#include "xalloc.h"

#define PLAN(root, members, steps)                                                                 \
    "{\"version\": 1, \"workspace\": \"copy\"," root " \"tasks\": [{\"id\": \"tax\"," members      \
    " \"steps\": [" steps "]}]}"
#define TASK(members, steps) PLAN("", members, steps)

#define RED    "{\"phase\": \"RED\", \"run\": [\"make\", \"t\"], \"expect\": \"failure\"}"
#define AGENT  "{\"phase\": \"GREEN\", \"agent\": \"claude\", \"prompt\": \"make t green\"}"
#define CHECK  "{\"phase\": \"GREEN\", \"run\": [\"make\", \"t\"]}"
#define VERIFY "{\"phase\": \"VERIFY\", \"run\": [\"make\", \"check\"]}"

static const char plan[] = TASK("\"rounds\": 3,", RED "," AGENT "," CHECK "," VERIFY);

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

static int step(void)
{
    return run_state_step_number(&play.state, 0);
}

static const struct task_agent *agent(void)
{
    return play.state.tasks[0].agent;
}

static void pass(void)
{
    play_exit(&play, "tax", 0, play_passed());
}

static void be_red(void)
{
    play_exit(&play, "tax", 2, play_persistent(REASON_TEST_FAIL));
}

/* The red test has failed, and the agent has passed. */
static void up_to_the_check(void)
{
    be_red();
    pass();
    ck_assert_int_eq(step(), 2);
}

/* Asserts that the object of the event fits into a row. */
static void check_size(const struct event *event)
{
    char *object = event_object(event);
    ck_assert_uint_le(strlen(object), EVENT_DATA_MAX);
    free(object);
}

START_TEST(test_a_check_that_fails_goes_back_to_the_agent)
{
    up_to_the_check();
    be_red();
    const struct event *round = play_last(&play, EVENT_ROUND_STARTED);
    ck_assert_ptr_nonnull(round);
    ck_assert_int_eq(round->round_started.round, 2);
    ck_assert_int_eq(round->round_started.from_step, 1);
    ck_assert_int_eq(round->round_started.failed_step, 2);
    ck_assert_int_eq(round->round_started.failed_attempt, 1);
    ck_assert_int_eq(round->round, 1);
    ck_assert_int_eq(play_count(&play, EVENT_STEP_ENDED, "tax"), 2);
    ck_assert_int_eq(step(), 1);
    ck_assert_int_eq(agent()->round, 2);
    ck_assert_int_eq(play_status(&play, "tax"), TASK_RUNNING);
    const struct event *started = play_last(&play, EVENT_ATTEMPT_STARTED);
    ck_assert_int_eq(started->step, 1);
    ck_assert_int_eq(started->attempt, 2);
    ck_assert_int_eq(started->round, 2);
    ck_assert_int_eq(started->grant, 1);
    ck_assert_int_eq(play.state.tasks[0].entropy, 1);
    pass();
    pass();
    pass();
    ck_assert_int_eq(play_status(&play, "tax"), TASK_PASSED);
    ck_assert_int_eq(play_last(&play, EVENT_ATTEMPT_STARTED)->round, 2);
}
END_TEST

static const char *class_words(void)
{
    static char words[40];
    struct str text = {0};
    shown_class(&play.state, 0, &text);
    (void)snprintf(words, sizeof(words), "%s", str_text(&text));
    str_done(&text);
    return words;
}

/* Each round is new work: a check that failed before it did not pass by chance. */
START_TEST(test_a_check_that_the_agent_repaired_is_not_flaky)
{
    up_to_the_check();
    pass();
    be_red(); /* VERIFY; the agent's step and the check pass twice */
    pass();
    be_red();
    pass();
    pass();
    pass();
    ck_assert_int_eq(play_status(&play, "tax"), TASK_PASSED);
    ck_assert_str_eq(class_words(), "");
}
END_TEST

START_TEST(test_a_pass_after_a_failure_in_the_same_round_is_flaky)
{
    up_to_the_check();
    be_red();
    play_exit(&play, "tax", 1, play_transient(TRANSIENT_API_OVERLOADED));
    play_wait(&play, 60000);
    pass();
    pass();
    pass();
    ck_assert_int_eq(play_status(&play, "tax"), TASK_PASSED);
    ck_assert_str_eq(class_words(), "flaky 1x");
}
END_TEST

START_TEST(test_rounds_that_are_used_up_end_the_task)
{
    up_to_the_check();
    for (int round = 1; round < 3; round++) {
        be_red();
        pass();
    }
    be_red();
    ck_assert_int_eq(play_count(&play, EVENT_ROUND_STARTED, "tax"), 2);
    ck_assert_int_eq(play_status(&play, "tax"), TASK_GAVE_UP);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_FAILED);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->round, 3);
    struct str why = {0};
    shown_ending(&play.state, 0, &why);
    ck_assert_str_eq(str_text(&why), "gave up: policy infrastructure does not retry a persistent "
                                     "failure, the agent used 3 of 3 rounds");
    str_done(&why);
    ck_assert_int_eq(play.state.tasks[0].entropy, 3);
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.exit_code, 1);
}
END_TEST

START_TEST(test_a_persons_retry_gives_as_many_rounds_again)
{
    up_to_the_check();
    for (int round = 1; round < 3; round++) {
        be_red();
        pass();
    }
    be_red();
    play_control(&play, CONTROL_RETRY, "tax", CANCEL_STOP);
    ck_assert_ptr_nonnull(
        strstr(play_last(&play, EVENT_CONTROL_ANSWERED)->answered.answer, "up to 3 more rounds"));
    ck_assert_int_eq(agent()->round, 3);
    ck_assert_int_eq(agent()->rounds, 6);
    ck_assert_int_eq(step(), 2);
    be_red();
    ck_assert_int_eq(agent()->round, 4);
    ck_assert_int_eq(step(), 1);
}
END_TEST

/* Each round has its own tries: "try 2 of 6" would be wrong. */
START_TEST(test_the_total_of_tries_is_not_shown_over_rounds)
{
    up_to_the_check();
    be_red();
    pass();
    be_red();
    ck_assert_uint_eq(play.state.tasks[0].steps[2].attempt_count, 2);
    ck_assert_int_eq(run_state_try_count(&play.state, 0, 2, 1).of, 0);
}
END_TEST

START_TEST(test_what_a_person_cancels_starts_no_round)
{
    up_to_the_check();
    play_control(&play, CONTROL_CANCEL, "tax", CANCEL_STOP);
    be_red();
    ck_assert_int_eq(play_status(&play, "tax"), TASK_CANCELLED);
    ck_assert_int_eq(play_count(&play, EVENT_ROUND_STARTED, "tax"), 0);
}
END_TEST

static void break_contract(bool may_mend, const char *repair)
{
    struct verdict verdict = play_persistent(REASON_CONTRACT);
    verdict.no_retry = !may_mend;
    ck_assert(verdict_add_line(&verdict, "[MISSING_FIELD] /a: required", 28));
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .step = 1,
                                     .attempt = 1,
                                     .outcome = {.kind = OUTCOME_EXIT},
                                     .verdict = verdict,
                                     .repair = repair});
}

/* Its own answer has the wrong form: its session is prompted again. */
START_TEST(test_D2_an_answer_that_breaks_its_contract_is_a_round_of_its_own)
{
    be_red();
    break_contract(true, "YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS. ...");
    const struct event *round = play_last(&play, EVENT_ROUND_STARTED);
    ck_assert_ptr_nonnull(round);
    ck_assert_int_eq(round->round_started.from_step, 1);
    ck_assert_int_eq(round->round_started.failed_step, 1);
    ck_assert_str_eq(agent()->repair, "YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS. ...");
    ck_assert_int_eq(step(), 1);
    ck_assert_int_eq(play_last(&play, EVENT_ATTEMPT_STARTED)->attempt, 2);
}
END_TEST

/* If the violations were not kept, the lines of the verdict are used. */
START_TEST(test_D2_the_lines_of_the_verdict_make_a_prompt_too)
{
    be_red();
    break_contract(true, NULL);
    ck_assert_ptr_nonnull(strstr(agent()->repair, "VALIDATION ERRORS"));
    ck_assert_ptr_nonnull(
        strstr(agent()->repair, "  - Path: /a\n    Code: MISSING_FIELD\n    Error: required\n"));
    ck_assert_ptr_nonnull(strstr(agent()->repair, "Return ONLY valid JSON"));
}
END_TEST

START_TEST(test_D3_what_no_repair_mends_starts_no_round)
{
    be_red();
    break_contract(false, "x");
    ck_assert_int_eq(play_count(&play, EVENT_ROUND_STARTED, "tax"), 0);
    ck_assert_int_eq(play_status(&play, "tax"), TASK_GAVE_UP);
}
END_TEST

static void fail_with(const char *tail)
{
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .step = 2,
                                     .attempt = 1,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 2},
                                     .verdict = play_persistent(REASON_TEST_FAIL),
                                     .tail = tail,
                                     .tail_len = strlen(tail)});
}

/* The check of this round fails, with a result of this digest. */
static void fail_alike(int round, uint64_t result)
{
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .step = 2,
                                     .attempt = round,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 2},
                                     .fingerprint = {result, result},
                                     .verdict = play_persistent(REASON_TEST_FAIL)});
}

START_TEST(test_prompt_says_that_nothing_has_changed)
{
    static const char again[] = "This is the same result as in the previous round";
    const bool is_equal = _i >= 1;
    const bool is_off = _i == 2;
    if (is_off) {
        teardown();
        play_open(&play, PLAN("\"loops\": \"off\",", "\"rounds\": 3,",
                              RED "," AGENT "," CHECK "," VERIFY));
        play_start(&play, 1);
    }
    up_to_the_check();
    fail_alike(1, 7);
    ck_assert_ptr_null(strstr(agent()->repair, again));
    pass();
    fail_alike(2, is_equal ? 7 : 8);
    ck_assert_int_eq(agent()->round, 3);
    ck_assert_int_eq(strstr(agent()->repair, again) != NULL, is_equal && !is_off);
}
END_TEST

START_TEST(test_prompt_has_the_command_its_end_and_the_last_output)
{
    up_to_the_check();
    fail_with("one\ntwo\x1b[31m red\x1b[0m\nFAILED test_tax: 3 != 4\n");
    const char *prompt = agent()->repair;
    ck_assert_ptr_nonnull(strstr(prompt, "Command: make t\n"));
    ck_assert_ptr_nonnull(strstr(prompt, "It ended with: exit 2\n"));
    ck_assert_ptr_nonnull(strstr(prompt, "two red\nFAILED test_tax: 3 != 4\n"));
    ck_assert_ptr_null(strchr(prompt, '\x1b'));
}
END_TEST

/* The prompt has the end of a long output, and the event stays within its limit. */
START_TEST(test_a_long_output_is_cut_at_its_beginning)
{
    struct str tail = {0};
    for (int i = 0; i < 2000; i++)
        str_addf(&tail, "line \"%d\"\n", i);
    up_to_the_check();
    fail_with(str_text(&tail));
    const struct event *round = play_last(&play, EVENT_ROUND_STARTED);
    const char *prompt = round->round_started.prompt;
    check_size(round);
    ck_assert_uint_le(strlen(prompt), SCHEDULER_PROMPT_MAX);
    ck_assert_ptr_nonnull(strstr(prompt, "line \"1999\"\n"));
    ck_assert_ptr_null(strstr(prompt, "line \"0\"\n"));
    ck_assert_ptr_nonnull(strstr(prompt, "\n\nline \""));
    ck_assert_str_eq(prompt, agent()->repair);
    str_done(&tail);
}
END_TEST

/* Each quote takes two bytes in JSON. */
START_TEST(test_a_prompt_that_json_makes_too_long_loses_its_beginning)
{
    char *tail = xcalloc(1, 9000);
    memset(tail, '"', 8999);
    up_to_the_check();
    fail_with(tail);
    check_size(play_last(&play, EVENT_ROUND_STARTED));
    ck_assert_ptr_nonnull(strstr(agent()->repair, "is run again."));
    free(tail);
}
END_TEST

/* As in a log that was tampered with. */
START_TEST(test_a_round_without_an_agents_step_before_it_is_refused)
{
    const struct event *last = &play.events.items[play.events.count - 1];
    struct event ended = {.kind = EVENT_ATTEMPT_ENDED, .seq = last->seq + 1, .at = play.now};
    struct event round = {.kind = EVENT_ROUND_STARTED, .seq = last->seq + 2, .at = play.now};
    struct run_state state;
    struct err err = {0};
    ended.task = round.task = 0;
    ended.step = round.step = 0; /* the red test: the agent comes after it */
    ended.attempt = round.attempt = 1;
    ended.ended.outcome.kind = OUTCOME_EXIT;
    round.round_started.round = 2;
    round.round_started.from_step = -1;
    run_state_init(&state, play.plan, play.state.seed);
    for (size_t i = 0; i < play.events.count; i++)
        ck_assert(run_state_apply(&state, &play.events.items[i], &err));
    ck_assert(run_state_apply(&state, &ended, &err));
    const uint64_t before = run_state_digest(&state);
    ck_assert(!run_state_apply(&state, &round, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_uint_eq(run_state_digest(&state), before);
    run_state_done(&state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rounds");
    TCase *rounds = test_case(suite, "rounds");
    tcase_add_checked_fixture(rounds, setup, teardown);
    tcase_add_test(rounds, test_a_check_that_fails_goes_back_to_the_agent);
    tcase_add_test(rounds, test_a_check_that_the_agent_repaired_is_not_flaky);
    tcase_add_test(rounds, test_a_pass_after_a_failure_in_the_same_round_is_flaky);
    tcase_add_test(rounds, test_rounds_that_are_used_up_end_the_task);
    tcase_add_test(rounds, test_a_persons_retry_gives_as_many_rounds_again);
    tcase_add_test(rounds, test_the_total_of_tries_is_not_shown_over_rounds);
    tcase_add_test(rounds, test_what_a_person_cancels_starts_no_round);
    tcase_add_test(rounds, test_D2_an_answer_that_breaks_its_contract_is_a_round_of_its_own);
    tcase_add_test(rounds, test_D2_the_lines_of_the_verdict_make_a_prompt_too);
    tcase_add_test(rounds, test_D3_what_no_repair_mends_starts_no_round);
    tcase_add_test(rounds, test_a_round_without_an_agents_step_before_it_is_refused);
    TCase *prompts = test_case(suite, "prompts");
    tcase_add_checked_fixture(prompts, setup, teardown);
    tcase_add_test(prompts, test_prompt_has_the_command_its_end_and_the_last_output);
    tcase_add_loop_test(prompts, test_prompt_says_that_nothing_has_changed, 0, 3);
    tcase_add_test(prompts, test_a_long_output_is_cut_at_its_beginning);
    tcase_add_test(prompts, test_a_prompt_that_json_makes_too_long_loses_its_beginning);
    return suite;
}
