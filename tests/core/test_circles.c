#include "circles.h"

#include <string.h>

#include "play.h"
#include "scheduler.h"
#include "test_main.h"

/* Ten tries, no windows: only a rung can stop it. Two steps, so that the facts of the first one
 * are still needed after it. */
static const char plan[] =
    "{\"version\":1,\"idempotent\":true,"
    "\"policies\":{\"ten\":{\"like\":\"default\",\"max_attempts\":10},"
    "\"many\":{\"like\":\"default\",\"max_attempts\":100}},"
    "\"tasks\":[{\"id\":\"a\",\"steps\":["
    "{\"phase\":\"GREEN\",\"run\":[\"m\",\"tax\"],\"policy\":\"ten\"},"
    "{\"phase\":\"VERIFY\",\"run\":[\"make\",\"check\"],\"policy\":\"many\"}]}]}";

enum { LONG_MS = 60 * 1000 };

static struct play play;

static void begin(const char *json)
{
    play_open(&play, json);
    play_start(&play, 1);
}

static void setup(void)
{
    begin(plan);
}

static void teardown(void)
{
    play_close(&play);
}

/* How the running attempt ends. Equal contents are equal results. */
struct ending {
    struct verdict verdict;
    struct outcome outcome;
    uint64_t content;
    enum entropy_gain gain;
};

static void end_with(const struct ending *ending)
{
    const struct step_state *step = run_state_step(&play.state, 0);
    bool failed = ending->verdict.class != VERDICT_SUCCESS;
    bool transient = ending->verdict.class == VERDICT_TRANSIENT;
    play_input(&play, (struct input){
                          .kind = INPUT_ENDED,
                          .task = 0,
                          .step = run_state_step_number(&play.state, 0),
                          .attempt = step_state_attempt(step)->number,
                          .outcome = ending->outcome,
                          .verdict = ending->verdict,
                          .fingerprint = {.hi = ending->content, .lo = 1},
                          .fact = {.gain = ending->gain,
                                   .call = {5, 5},
                                   .outcome = {6, 6},
                                   .bits = (failed ? (unsigned)ENTROPY_FAILED : 0) |
                                           (transient ? (unsigned)ENTROPY_POLL : 0),
                                   .new_permille = ending->gain == ENTROPY_GAIN_NONE ? 0 : 1000,
                                   .lines = 3},
                          .has_fact = true,
                      });
}

/* Fails, without news, and waits for the next attempt. */
static void fail_with(uint64_t content)
{
    end_with(&(struct ending){
        .verdict = play_persistent(REASON_TEST_FAIL), .outcome = {.code = 1}, .content = content});
    play_wait(&play, LONG_MS);
}

static void fail_equally(int times)
{
    for (int i = 0; i < times; i++)
        fail_with(7);
}

/* Fails in a new way. */
static void fail_with_news(uint64_t content)
{
    end_with(&(struct ending){.verdict = play_persistent(REASON_TEST_FAIL),
                              .outcome = {.code = 1},
                              .content = content,
                              .gain = ENTROPY_GAIN_LINE});
    play_wait(&play, LONG_MS);
}

static void pass(uint64_t content)
{
    end_with(
        &(struct ending){.verdict = play_passed(), .content = content, .gain = ENTROPY_GAIN_LINE});
}

static const struct entropy_verdict *verdict(void)
{
    ck_assert_ptr_nonnull(play.state.tasks[0].circles);
    return &play.state.tasks[0].circles->verdict;
}

/* Continues the task; `answer` is part of what the request is answered with. */
static void retry(const char *answer)
{
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_ptr_nonnull(
        strstr(play_last(&play, EVENT_CONTROL_ANSWERED)->answered.answer, answer));
}

START_TEST(test_C4_equal_failures_are_entropy_before_attempts_run_out)
{
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        fail_equally(1);
    }
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(end->step_ended.decision, DECISION_ENTROPY);
    ck_assert_int_eq(end->step_ended.attempts, 5);
    ck_assert_int_eq(end->step_ended.entropy, 1);
    ck_assert_int_eq(end->step_ended.capture, 1);
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert_int_eq(play.state.tasks[0].entropy, 1);
    ck_assert_int_eq(play.state.exit_code, 3);
    ck_assert_int_eq(verdict()->rung, ENTROPY_RUNG_REPEAT);
}
END_TEST

START_TEST(test_results_that_differ_use_up_all_attempts)
{
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        fail_with_news((uint64_t)i);
    }
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision,
                     DECISION_RETRY_EXHAUSTED);
    ck_assert_int_eq(play_count(&play, EVENT_LOOP_SUSPECTED, NULL), 0);
    ck_assert_ptr_null(play.state.tasks[0].circles);
}
END_TEST

START_TEST(test_a_nudge_does_not_quote_how_the_agent_was_called)
{
    static const char rounds[] =
        "{\"version\":1,\"workspace\":\"copy\",\"tasks\":[{\"id\":\"a\",\"rounds\":9,\"steps\":["
        "{\"agent\":\"claude\",\"prompt\":\"do it\"},"
        "{\"phase\":\"VERIFY\",\"run\":[\"make\",\"check\"],\"policy\":\"many\"}]}],"
        "\"policies\":{\"many\":{\"like\":\"default\",\"max_attempts\":1}}}";
    teardown();
    begin(rounds);
    for (int round = 0; round < 9 && play_count(&play, EVENT_LOOP_SUSPECTED, NULL) == 0; round++) {
        end_with(&(struct ending){.verdict = play_passed(),
                                  .content = 7,
                                  .gain = round == 0 ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE});
        if (play_count(&play, EVENT_LOOP_SUSPECTED, NULL) == 0)
            fail_with(8 + (uint64_t)round);
    }
    const struct event *suspected = play_last(&play, EVENT_LOOP_SUSPECTED);
    ck_assert_int_eq(suspected->step, 0);
    ck_assert_ptr_nonnull(suspected->loop.nudge);
    ck_assert_ptr_null(strstr(suspected->loop.nudge, "claude"));
}
END_TEST

START_TEST(test_a_success_is_never_stuck)
{
    fail_equally(4);
    pass(7);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_SUCCEEDED);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    pass(7);
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
    ck_assert_ptr_null(play.state.tasks[0].circles);
}
END_TEST

/* An attempt without a fact has no verdict, whatever the one before had. */
START_TEST(test_the_verdict_on_another_attempt_does_not_count)
{
    struct circles circles = {.verdict = {.level = ENTROPY_STUCK, .last_number = 3},
                              .last_step = 1};
    ck_assert(circles_is_about(&circles, 1, 3));
    ck_assert(!circles_is_about(&circles, 1, 4));
    ck_assert(!circles_is_about(&circles, 0, 3));
    ck_assert(!circles_is_about(NULL, 1, 3));
    circles.verdict.level = ENTROPY_OK;
    ck_assert(!circles_is_about(&circles, 1, 3));
}
END_TEST

/* The same command in another step is not a repeat. */
START_TEST(test_the_same_command_in_another_step_is_another_call)
{
    const struct digest call = {3, 4};
    for (int i = 0; i < PLAN_STEPS_MAX; i++) {
        for (int k = 0; k < i; k++)
            ck_assert(!digest_equal(circles_call(call, i), circles_call(call, k)));
    }
    ck_assert(digest_equal(circles_call(call, 0), call));
    ck_assert(!digest_equal(circles_call((struct digest){4, 4}, 1), circles_call(call, 1)));
}
END_TEST

START_TEST(test_transient_failures_have_higher_thresholds)
{
    const struct ending limited = {
        .verdict = play_transient(TRANSIENT_API_RATE_LIMIT), .outcome = {.code = 1}, .content = 9};
    pass(1);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        end_with(&limited);
        play_wait(&play, LONG_MS);
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert(verdict()->poll);
    ck_assert_int_eq(verdict()->count, 20);
}
END_TEST

START_TEST(test_continuing_doubles_the_thresholds_each_time)
{
    static const struct {
        int scale, failures;
        const char *answer;
    } rounds[] = {{2, 5, "continues; stops again after 5 more equal results"},
                  {4, 10, "after 10 more"},
                  {8, 20, "for at most 10 more tries"}};
    fail_equally(5);
    for (size_t i = 0; i < ARRAY_LEN(rounds); i++) {
        retry(rounds[i].answer);
        ck_assert_int_eq(play_last(&play, EVENT_STEP_REOPENED)->reopened.scale, rounds[i].scale);
        ck_assert_int_eq(verdict()->level, ENTROPY_OK);
        for (int k = 0; k < rounds[i].failures && play_status(&play, "a") == TASK_RUNNING; k++)
            fail_equally(1);
        /* In the end, ten tries are not enough to reach the threshold. */
        ck_assert_int_eq(play_status(&play, "a"),
                         i < ARRAY_LEN(rounds) - 1 ? TASK_STUCK : TASK_GAVE_UP);
    }
}
END_TEST

START_TEST(test_another_end_begins_again)
{
    fail_equally(4);
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    fail_equally(1);
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
    retry("");
    ck_assert_int_eq(play_last(&play, EVENT_STEP_REOPENED)->reopened.scale, 0);
    ck_assert_ptr_null(play.state.tasks[0].circles);
    ck_assert_int_eq(play_count(&play, EVENT_LOOP_SUSPECTED, NULL), 1);
    fail_equally(4);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_count(&play, EVENT_LOOP_SUSPECTED, NULL), 2);
}
END_TEST

START_TEST(test_an_attempt_that_did_not_exit_is_not_a_step)
{
    static const enum outcome_kind kinds[] = {OUTCOME_NOT_STARTED, OUTCOME_CANCELLED,
                                              OUTCOME_INTERRUPTED};
    end_with(&(struct ending){.verdict = play_transient(TRANSIENT_RESOURCE_BUSY),
                              .outcome = {.kind = kinds[_i]},
                              .content = 7});
    ck_assert_ptr_null(play.state.tasks[0].circles);
    ck_assert(!play_last(&play, EVENT_ATTEMPT_ENDED)->ended.has_loop);
}
END_TEST

START_TEST(test_signals_and_timeouts_are_steps)
{
    static const enum outcome_kind kinds[] = {OUTCOME_EXIT, OUTCOME_SIGNAL, OUTCOME_TIMEOUT};
    end_with(&(struct ending){.verdict = play_persistent(REASON_NONE),
                              .outcome = {.kind = kinds[_i], .code = 9},
                              .content = 7});
    ck_assert_int_eq(entropy_state_steps(&play.state.tasks[0].circles->state), 1);
}
END_TEST

START_TEST(test_the_last_success_leaves_no_fact)
{
    pass(1);
    ck_assert(play_last(&play, EVENT_ATTEMPT_ENDED)->ended.has_loop);
    ck_assert_ptr_nonnull(play.state.tasks[0].circles);
    pass(2);
    ck_assert(!play_last(&play, EVENT_ATTEMPT_ENDED)->ended.has_loop);
    ck_assert_int_eq(play.state.tasks[0].steps[1].attempts[0].new_permille, 1000);
}
END_TEST

/* Whichever event is the last one in the log, the result is the same. */
START_TEST(test_C4_a_crash_anywhere_changes_no_verdict)
{
    fail_equally(5);
    size_t all = play.events.count;
    for (size_t keep = 1; keep < all; keep++) {
        teardown();
        setup();
        fail_equally(5);
        play_crash(&play, keep, false);
        play_wait(&play, LONG_MS);
        for (int i = 0; i < 10 && play_status(&play, "a") == TASK_RUNNING; i++)
            fail_equally(1);
        ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
        ck_assert_int_eq(verdict()->rung, ENTROPY_RUNG_REPEAT);
        ck_assert_int_eq(verdict()->count, 5);
        ck_assert_int_eq(play_count(&play, EVENT_LOOP_SUSPECTED, NULL), 1);
    }
}
END_TEST

START_TEST(test_a_window_is_doubled_too)
{
    teardown();
    begin("{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":["
          "{\"phase\":\"RED\",\"run\":[\"x\"],\"policy\":{\"like\":\"research\","
          "\"max_attempts\":9}}]}]}");
    fail_equally(3);
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert_int_eq(verdict()->level, ENTROPY_SUSPECT);
    retry("after 3 more");
    for (int i = 0; i < 5; i++)
        fail_with_news((uint64_t)i % 2);
    fail_equally(3);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

/* How "loops" ends a step of 20 tries that always fails in the same way. */
static const struct {
    const char *loops, *policy;
    int tries;        /* until it ends */
    int suspected_at; /* 0: never */
    enum decision_kind end;
} choices[] = {
    {"\"strict\"", "default", 3, 2, DECISION_ENTROPY},
    {"\"normal\"", "default", 5, 3, DECISION_ENTROPY},
    {"{}", "default", 5, 3, DECISION_ENTROPY},
    {"\"off\"", "default", 20, 0, DECISION_RETRY_EXHAUSTED},
    {"{\"preset\":\"strict\",\"repeat_stop\":6,\"failure_stop\":7}", "default", 6, 2,
     DECISION_ENTROPY},
    {"{\"preset\":\"off\",\"repeat_nudge\":4}", "default", 20, 4, DECISION_RETRY_EXHAUSTED},
    {"\"normal\"", "research", 3, 0, DECISION_ENTROPY},
    {"\"off\"", "research", 20, 0, DECISION_MAX_RETRIES},
    {"{\"preset\":\"off\",\"repeat_stop\":4}", "research", 4, 0, DECISION_ENTROPY},
};

START_TEST(test_the_loops_of_the_plan_decide_when_a_step_ends)
{
    struct str text = {0};
    str_addf(&text,
             "{\"version\":1,\"idempotent\":true,\"loops\":%s,\"tasks\":[{\"id\":\"a\",\"steps\":[{"
             "\"run\":[\"x\"],\"policy\":{\"like\":\"%s\",\"max_attempts\":20}}]}]}",
             choices[_i].loops, choices[_i].policy);
    teardown();
    begin(text.data);
    str_done(&text);
    int suspected_at = 0;
    int tries = 0;
    while (play_status(&play, "a") == TASK_RUNNING) {
        fail_equally(1);
        tries++;
        if (suspected_at == 0 && play_last(&play, EVENT_LOOP_SUSPECTED))
            suspected_at = tries;
    }
    ck_assert_int_eq(tries, choices[_i].tries);
    ck_assert_int_eq(suspected_at, choices[_i].suspected_at);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, choices[_i].end);
}
END_TEST

/* The agent's own loop guard may still end it. After that, equal results no longer end it. */
START_TEST(test_after_off_a_retry_has_all_its_tries)
{
    teardown();
    begin(
        "{\"version\":1,\"idempotent\":true,\"loops\":\"off\",\"tasks\":[{\"id\":\"a\",\"steps\":["
        "{\"run\":[\"x\"],\"policy\":{\"like\":\"research\",\"max_attempts\":9}}]}]}");
    end_with(&(struct ending){
        .verdict = play_persistent(REASON_LOOP), .outcome = {.code = 1}, .content = 7});
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    retry("for at most 9 more tries");
    fail_equally(9);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_MAX_RETRIES);
}
END_TEST

/* Results stay in the window: three more fill the doubled window of `research`, which has no more
 * tries than that. The next window is larger than all tries. */
START_TEST(test_C1_the_window_holds_after_go_on)
{
    teardown();
    begin("{\"version\":1,\"idempotent\":true,\"tasks\":[{\"id\":\"a\",\"steps\":["
          "{\"phase\":\"RED\",\"run\":[\"x\"],\"policy\":\"research\"}]}]}");
    fail_equally(3);
    retry("after 3 more");
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
        fail_equally(1);
    }
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_ENTROPY);
    retry("for at most 3 more tries");
    fail_equally(3);
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_MAX_RETRIES);
    retry("");
    fail_equally(2);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING); /* begins again */
}
END_TEST

/* As in old logs. */
START_TEST(test_without_facts_no_rung_reacts)
{
    for (int i = 0; i < 10; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, LONG_MS);
    }
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision,
                     DECISION_RETRY_EXHAUSTED);
    ck_assert_ptr_null(play.state.tasks[0].circles);
}
END_TEST

/* Anybody may have written a log; test_entropy.c has the other cases. */
START_TEST(test_an_invalid_fact_is_refused)
{
    static const char *const texts[] = {
        "{\"loop\":1}",
        "{\"loop\":{\"gain\":\"luck\"}}",
        "{\"new_permille\":1001}",
        "{\"new_permille\":-2}",
    };
    uint64_t before = run_state_digest(&play.state);
    struct event event = {
        .seq = play.state.last_seq + 1, .at = play.now, .kind = EVENT_ATTEMPT_ENDED, .attempt = 1};
    struct str room = {0};
    str_reserve(&room, strlen(texts[_i]));
    ck_assert(!event_read(&event, texts[_i], strlen(texts[_i]), &room));
    event.is_damaged = true;
    ck_assert(!run_state_apply(&play.state, &event, NULL));
    str_done(&room);
    ck_assert_uint_eq(run_state_digest(&play.state), before);
}
END_TEST

START_TEST(test_a_loop_over_steps_names_them)
{
    struct circles circles = {0};
    struct str why = {0};
    const struct entropy_limits limits = {.barren_stop = 2};
    const struct entropy_fact fact = {.bits = ENTROPY_FAILED};
    const struct circles_attempt tries[] = {{.step = 1, .number = 4}, {.step = 2, .number = 1}};
    for (size_t i = 0; i < ARRAY_LEN(tries); i++)
        circles_apply(&circles, &fact, &tries[i], &limits);
    const struct loop_facts facts = circles_facts(&circles, 2, 5, &why);
    ck_assert_int_eq(facts.first, 4);
    ck_assert_int_eq(facts.last, 1);
    ck_assert_int_eq(facts.first_step, 1);
    ck_assert_int_eq(facts.last_step, -1);
    ck_assert_uint_eq(facts.masks, 5);
    entropy_state_done(&circles.state);
    str_done(&why);
}
END_TEST

static const struct {
    struct circles circles;
    const char *want; /* before "why" */
} members[] = {
    {.circles = {.verdict = {.level = ENTROPY_OK, .rung = ENTROPY_RUNG_REPEAT}},
     .want = "\"rung\":\"none\",\"first\":0,\"last\":0,\"count\":0"},
    {.circles = {.verdict = {.level = ENTROPY_SUSPECT,
                             .rung = ENTROPY_RUNG_BARREN,
                             .count = 4,
                             .first_number = 2,
                             .last_number = 6,
                             .identity = {0, 0x1f}},
                 .first_step = 3,
                 .last_step = 3},
     .want = "\"rung\":\"barren\",\"first\":2,\"last\":6,\"count\":4,\"identity\":"
             "\"0000000000000000000000000000001f\",\"why\":"},
    {.circles = {.verdict = {.level = ENTROPY_STUCK,
                             .rung = ENTROPY_RUNG_CYCLE,
                             .poll = true,
                             .masked = true,
                             .count = 3,
                             .period = 2,
                             .first_number = 1,
                             .last_number = 9,
                             .identity = {1, 0}},
                 .first_step = 1,
                 .last_step = 4},
     .want = "\"rung\":\"cycle\",\"first\":1,\"last\":9,\"count\":3,\"period\":2,"
             "\"first_step\":1,\"last_step\":4,\"identity\":"
             "\"00000000000000010000000000000000\",\"masked\":true,\"poll\":true,\"why\":"},
};

START_TEST(test_members_with_a_meaning_are_written)
{
    struct str text = {0};
    struct str out = {0};
    struct event event = event_new(EVENT_LOOP_SUSPECTED);
    event.loop.facts = circles_facts(&members[_i].circles, 3, 0, &text);
    event_write_members(&event, &out);
    const char *why = strstr(str_text(&out), "\"why\":");
    size_t len = why ? (size_t)(why - out.data) + strlen("\"why\":") : out.len;
    ck_assert_uint_eq(len, strlen(members[_i].want));
    ck_assert_mem_eq(str_text(&out), members[_i].want, len);
    str_done(&out);
    str_done(&text);
}
END_TEST

/* Other calls are a new suspicion. */
START_TEST(test_a_suspicion_lasts_as_long_as_its_calls)
{
    struct circles circles = {0};
    const struct entropy_limits limits = {.repeat_nudge = 1};
    struct entropy_fact fact = {.call = {1, 1}};
    circles_apply(&circles, &fact, &(struct circles_attempt){.at = {10, 10}}, &limits);
    circles_apply(&circles, &fact, &(struct circles_attempt){.at = {20, 20}}, &limits);
    ck_assert_int_eq(circles.since.at_ms, 10);
    fact.call = (struct digest){2, 2};
    circles_apply(&circles, &fact, &(struct circles_attempt){.at = {30, 30}}, &limits);
    ck_assert_int_eq(circles.since.at_ms, 30);
    entropy_state_done(&circles.state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("circles");
    TCase *stop = test_case(suite, "stop");
    tcase_add_checked_fixture(stop, setup, teardown);
    tcase_add_test(stop, test_C4_equal_failures_are_entropy_before_attempts_run_out);
    tcase_add_test(stop, test_results_that_differ_use_up_all_attempts);
    tcase_add_test(stop, test_a_nudge_does_not_quote_how_the_agent_was_called);
    tcase_add_test(stop, test_a_success_is_never_stuck);
    tcase_add_test(stop, test_transient_failures_have_higher_thresholds);
    tcase_add_test(stop, test_continuing_doubles_the_thresholds_each_time);
    tcase_add_test(stop, test_another_end_begins_again);
    tcase_add_test(stop, test_a_window_is_doubled_too);
    tcase_add_loop_test(stop, test_the_loops_of_the_plan_decide_when_a_step_ends, 0,
                        TABLE_LEN(choices));
    tcase_add_test(stop, test_after_off_a_retry_has_all_its_tries);
    tcase_add_test(stop, test_C1_the_window_holds_after_go_on);
    tcase_add_test(stop, test_C4_a_crash_anywhere_changes_no_verdict);
    TCase *facts = test_case(suite, "facts");
    tcase_add_checked_fixture(facts, setup, teardown);
    tcase_add_loop_test(facts, test_an_attempt_that_did_not_exit_is_not_a_step, 0, 3);
    tcase_add_loop_test(facts, test_signals_and_timeouts_are_steps, 0, 3);
    tcase_add_test(facts, test_the_last_success_leaves_no_fact);
    tcase_add_test(facts, test_without_facts_no_rung_reacts);
    tcase_add_loop_test(facts, test_an_invalid_fact_is_refused, 0, 4);
    TCase *words = test_case(suite, "words");
    tcase_add_test(words, test_a_loop_over_steps_names_them);
    tcase_add_loop_test(words, test_members_with_a_meaning_are_written, 0, TABLE_LEN(members));
    tcase_add_test(words, test_the_verdict_on_another_attempt_does_not_count);
    tcase_add_test(words, test_the_same_command_in_another_step_is_another_call);
    tcase_add_test(words, test_a_suspicion_lasts_as_long_as_its_calls);
    return suite;
}
