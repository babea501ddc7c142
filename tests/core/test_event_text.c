#include "event_text.h"

#include <stdio.h>
#include <string.h>

#include "play.h"
#include "test_main.h"

static struct play play;
static struct str text;

static const char one_step[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"transport\","
    "\"jitter\":0}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"GREEN\",\"policy\":\"p\","
    "\"run\":[\"true\"]}]}]}";

static void setup(void)
{
    play_open(&play, one_step);
    play_start(&play, 1);
    text = (struct str){0};
}

static void teardown(void)
{
    play_close(&play);
    str_done(&text);
}

static void want(const struct str *in, const char *part)
{
    ck_assert_msg(strstr(str_text(in), part) != NULL, "'%s' is not in: %s", part, str_text(in));
}

START_TEST(test_E4_each_retry_says_attempt_max_delay_and_error)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    (void)snprintf(verdict.match, sizeof(verdict.match), "HTTP 429 Too Many Requests");
    play_exit(&play, "a", 1, verdict);
    const struct event *wait = play_last(&play, EVENT_WAIT_STARTED);
    event_words(&play.state, wait, &text);
    ck_assert_str_eq(str_text(&text),
                     "a try 1/4 GREEN [TRANSIENT RETRY] attempt 1/3 for taskId=a, "
                     "reason=API_RATE_LIMIT: waits 2 s, then try 2; error: HTTP 429 Too Many "
                     "Requests");

    str_clear(&text);
    event_json(&play.state, 1, wait, &text);
    want(&text, "\"attempt\":1,");
    want(&text, "\"delay_ms\":2000,");
    want(&text, "\"retry\":1,\"retries_max\":3,\"error\":\"HTTP 429 Too Many Requests\"");
}
END_TEST

static const char many_tries[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"default\","
    "\"max_attempts\":10}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"policy\":\"p\","
    "\"run\":[\"true\"]}]}]}";

/* What runs fails and has printed the same as ever, but for what is masked. */
static void fail_alike(int attempt)
{
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .attempt = attempt,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                     .fingerprint = {.hi = 1, .lo = 2},
                                     .has_fact = true,
                                     .fact = {.bits = ENTROPY_FAILED | ENTROPY_MASKED,
                                              .raw = (uint64_t)attempt,
                                              .new_permille = attempt > 1 ? 0 : 1000,
                                              .lines = 4},
                                     .verdict = play_persistent(REASON_TEST_FAIL)});
    play_wait(&play, 60 * 1000);
}

START_TEST(test_suspicion_and_stop_have_words_and_members)
{
    play_close(&play);
    play_open(&play, many_tries);
    play_start(&play, 1);
    for (int i = 1; i <= 5; i++)
        fail_alike(i);
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);

    const struct event *suspected = play_last(&play, EVENT_LOOP_SUSPECTED);
    event_words(&play.state, suspected, &text);
    ck_assert_str_eq(str_text(&text), "a try 3/10 GREEN may be looping: same result 3 times, "
                                      "tries 1 to 3");
    str_clear(&text);
    event_json(&play.state, 1, suspected, &text);
    want(&text, "\"kind\":\"loop_suspected\",\"level\":\"info\"");
    want(&text, "\"rung\":\"repeat\",\"first_attempt\":1,\"last_attempt\":3,\"count\":3");
    want(&text, "\"why\":\"the same call with the same result, 3 times in a row\"");

    str_clear(&text);
    event_words(&play.state, play_last(&play, EVENT_STEP_ENDED), &text);
    ck_assert_str_eq(str_text(&text),
                     "a try 5/10 GREEN entropy detected after 5 of 10 attempts in phase GREEN, "
                     "step a/1: exit 1: same result 5 times, tries 1 to 5");

    str_clear(&text);
    ck_assert(event_details(&play.state, play_last(&play, EVENT_ATTEMPT_ENDED), &text));
    want(&text, ", 5 equal in a row, new .00");
}
END_TEST

START_TEST(test_without_a_matched_line_the_error_is_how_it_ended)
{
    play_exit(&play, "a", 125, play_transient(TRANSIENT_RESOURCE_BUSY));
    event_words(&play.state, play_last(&play, EVENT_WAIT_STARTED), &text);
    want(&text, "; error: exit 125");
}
END_TEST

/* Starts that fail use up no try: how many tries there may be is told of those that run. */
START_TEST(test_a_start_that_fails_is_no_try_of_so_many)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = START_DAEMON_DOWN};
    play_outcome(&play, "a", not_started, play_transient(TRANSIENT_DOCKER_SOCKET_UNAVAILABLE));
    ck_assert_int_eq(play.state.attempts, 0);
    event_words(&play.state, play_last(&play, EVENT_ATTEMPT_ENDED), &text);
    want(&text, "a try 1 GREEN not started: the container daemon does not answer");
    play_wait(&play, 60 * 1000);
    str_clear(&text);
    event_words(&play.state, play_last(&play, EVENT_ATTEMPT_STARTED), &text);
    want(&text, "a try 2 GREEN start 2/4: ");
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_int_eq(play.state.attempts, 1);
    str_clear(&text);
    event_words(&play.state, play_last(&play, EVENT_ATTEMPT_ENDED), &text);
    want(&text, "a try 2/5 GREEN exit 1"); /* what started shows where it stands */
}
END_TEST

static const char no_delay[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"default\","
    "\"base_delay_ms\":3}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"policy\":\"p\","
    "\"run\":[\"true\"]}]}]}";

START_TEST(test_what_is_no_wait_is_at_once)
{
    play_close(&play);
    play_open(&play, no_delay);
    play_start(&play, 1);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    event_words(&play.state, play_last(&play, EVENT_WAIT_STARTED), &text);
    want(&text, "reason=test-fail: at once, try 2; error: ");
}
END_TEST

static const char one_retry[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"transport\","
    "\"max_attempts\":2,\"jitter\":0}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"policy\":\"p\","
    "\"run\":[\"true\"]}]}]}";

START_TEST(test_a_free_wait_after_the_last_retry_is_not_past_the_most)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    play_close(&play);
    play_open(&play, one_retry);
    play_start(&play, 1);
    play_exit(&play, "a", 1, verdict);
    play_wait(&play, 60000);
    verdict.retry_after_ms = 90000;
    play_exit(&play, "a", 1, verdict);
    event_words(&play.state, play_last(&play, EVENT_WAIT_STARTED), &text);
    want(&text, "attempt 2/2 for taskId=a");
    want(&text, ": waits 90 s (uses up no attempt), then try 3; error: ");
    str_clear(&text);
    event_json(&play.state, 1, play_last(&play, EVENT_WAIT_STARTED), &text);
    want(&text, "\"retry\":2,\"retries_max\":2,");

    str_clear(&text);
    play_wait(&play, 90000);
    verdict.retry_after_ms = -1;
    play_exit(&play, "a", 1, verdict);
    event_words(&play.state, play_last(&play, EVENT_STEP_ENDED), &text);
    want(&text, "transient exhausted after 2 of 2 attempts (+1 free) in phase ");
}
END_TEST

START_TEST(test_starts_are_counted_as_starts)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = 24};
    for (int i = 0; i < 4; i++) {
        play_outcome(&play, "a", not_started, play_transient(TRANSIENT_RESOURCE_BUSY));
        play_wait(&play, 60000);
    }
    event_words(&play.state, play_last(&play, EVENT_ATTEMPT_STARTED), &text);
    want(&text, "start 4/4: true");
    str_clear(&text);
    event_words(&play.state, play_last(&play, EVENT_STEP_ENDED), &text);
    want(&text, "transient exhausted after 4 of 4 starts in phase GREEN");
}
END_TEST

START_TEST(test_a_recovery_says_who_and_after_what)
{
    play_crash(&play, play.event_count, true);
    event_words(&play.state, play_last(&play, EVENT_RUN_RECOVERED), &text);
    want(&text, "run continued by ");
    want(&text, ", after a reboot");
}
END_TEST

START_TEST(test_a_correction_leaves_the_first_verdict)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_input(&play, (struct input){.kind = INPUT_CONTROL,
                                     .control = {.verb = CONTROL_CORRECT,
                                                 .task = 0,
                                                 .step = -1,
                                                 .label = {.class = VERDICT_TRANSIENT,
                                                           .type = TRANSIENT_NETWORK_TIMEOUT},
                                                 .by = "ann"}});
    event_words(&play.state, play_last(&play, EVENT_CLASS_CORRECTED), &text);
    want(&text, "GREEN reclassified as NETWORK_TIMEOUT by ann; the original verdict is kept");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_text");
    TCase *words = test_case(suite, "words");
    tcase_add_checked_fixture(words, setup, teardown);
    tcase_add_test(words, test_E4_each_retry_says_attempt_max_delay_and_error);
    tcase_add_test(words, test_without_a_matched_line_the_error_is_how_it_ended);
    tcase_add_test(words, test_suspicion_and_stop_have_words_and_members);
    tcase_add_test(words, test_what_is_no_wait_is_at_once);
    tcase_add_test(words, test_a_start_that_fails_is_no_try_of_so_many);
    tcase_add_test(words, test_a_free_wait_after_the_last_retry_is_not_past_the_most);
    tcase_add_test(words, test_starts_are_counted_as_starts);
    tcase_add_test(words, test_a_recovery_says_who_and_after_what);
    tcase_add_test(words, test_a_correction_leaves_the_first_verdict);
    return suite;
}
