#include "shown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "play.h"
#include "test_main.h"

static const char plan[] =
    "{\"version\":1,\"idempotent\":true,\"tasks\":["
    "{\"id\":\"a\",\"steps\":[{\"phase\":\"GREEN\",\"run\":[\"x\"],\"policy\":{\"max_attempts\":4,"
    "\"base_delay_ms\":1000,\"jitter\":0.5}}]},"
    "{\"id\":\"b\",\"steps\":[{\"phase\":\"GREEN\",\"run\":[\"x\"],\"policy\":{\"max_attempts\":9,"
    "\"base_delay_ms\":60000,\"cap_ms\":600000,\"deadline_ms\":400000,\"same_stops\":2}}]}]}";

static struct play play;
static struct tries_ahead ahead;

static void setup(void)
{
    play_open(&play, plan);
    play_start(&play, 2);
}

static void teardown(void)
{
    play_close(&play);
}

static const char *hms(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    (void)snprintf(out, SHOWN_CLOCK_MAX, "@%" PRId64, at_ms / 1000);
    return out;
}

static void want_words(const char *want)
{
    const struct shown_time time = {.hms = hms};
    struct str words = {0};
    tries_ahead_words(&ahead, &time, &words);
    ck_assert_str_eq(str_text(&words), want);
    str_done(&words);
}

/* Every wait that was foretold is the one that comes, jitter and all. */
START_TEST(test_what_is_foretold_comes)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    const struct tries_ahead foretold = ahead;
    ck_assert_int_eq(foretold.first, 2);
    ck_assert_int_eq(foretold.count, 3);
    ck_assert_int_eq(foretold.end, DECISION_RETRY_EXHAUSTED);
    for (int i = 0; i < foretold.count; i++) {
        const struct step_state *step = run_state_step(&play.state, 0);
        ck_assert_int_eq(step_state_formulas(step)->delay.delay_ms, foretold.waits_ms[i]);
        play_wait(&play, step_state_formulas(step)->delay.delay_ms);
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    }
    ck_assert_int_eq(run_state_step(&play.state, 0)->end, foretold.end);
    ck_assert(!tries_ahead(&play.state, 0, &ahead));
}
END_TEST

START_TEST(test_a_deadline_ends_it_before_the_tries_do)
{
    play_exit(&play, "b", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert(tries_ahead(&play.state, 1, &ahead));
    ck_assert_int_eq(ahead.count, 2); /* after 1 and 3 min; 7 min would be too late */
    ck_assert_int_eq(ahead.end, DECISION_DEADLINE);
    want_words("try 2 at @1065; if it fails try 3 2:00 later; then gave-up, no sooner than @1185 "
               "plus the run times; 2 equal results in a row end it earlier");
}
END_TEST

START_TEST(test_the_last_one_is_said_to_be_it)
{
    for (int i = 0; i < 3; i++) {
        play_wait(&play, 5000);
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    }
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    ck_assert_int_eq(ahead.count, 1);
    ck_assert_int_eq(ahead.more_ms, 0);
    const struct shown_time time = {.hms = hms};
    struct str words = {0};
    tries_ahead_words(&ahead, &time, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), ", the last one: else gave-up"));
    str_done(&words);
}
END_TEST

START_TEST(test_a_wait_for_a_server_uses_up_nothing)
{
    struct verdict limited = play_transient(TRANSIENT_API_RATE_LIMIT);
    limited.retry_after_ms = 5000;
    play_exit(&play, "a", 1, limited);
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    ck_assert_int_eq(ahead.first, 2);
    ck_assert_int_eq(ahead.count, 4);
    ck_assert_int_eq(ahead.waits_ms[0], 5000);
}
END_TEST

START_TEST(test_starts_have_their_own_count)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = START_DAEMON_DOWN};
    play_outcome(&play, "a", not_started, play_transient(TRANSIENT_DOCKER_SOCKET_UNAVAILABLE));
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    ck_assert(ahead.is_start);
    ck_assert_int_eq(ahead.shown, 2);
    ck_assert_int_eq(ahead.count, 3);
    want_words("start 2 at @1006; if it fails start 3 0:02 later, start 4 0:04 later; then "
               "gave-up, no sooner than @1012 plus the run times");
}
END_TEST

START_TEST(test_what_does_not_wait_has_nothing_ahead)
{
    ck_assert(!tries_ahead(&play.state, 0, &ahead)); /* runs */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    ck_assert(!tries_ahead(&play.state, 0, &ahead)); /* a person holds it */
    play_control(&play, CONTROL_RELEASE, "a", CANCEL_STOP);
    ck_assert(tries_ahead(&play.state, 0, &ahead));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tries_ahead");
    TCase *tcase = test_case(suite, "tries_ahead");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_what_is_foretold_comes);
    tcase_add_test(tcase, test_a_deadline_ends_it_before_the_tries_do);
    tcase_add_test(tcase, test_the_last_one_is_said_to_be_it);
    tcase_add_test(tcase, test_a_wait_for_a_server_uses_up_nothing);
    tcase_add_test(tcase, test_starts_have_their_own_count);
    tcase_add_test(tcase, test_what_does_not_wait_has_nothing_ahead);
    return suite;
}
