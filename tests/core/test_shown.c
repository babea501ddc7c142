#include "shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "json.h"
#include "play.h"
#include "test_main.h"

#define PLAN                                                                                       \
    "{\"version\":1,\"idempotent\":true,\"tasks\":["                                               \
    "{\"id\":\"a\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"],\"expect\":\"failure\"},"         \
    "{\"run\":[\"x\"]},{\"phase\":\"VERIFY\",\"run\":[\"y\"]}]},"                                  \
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]},"                              \
    "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"]}]}]}"

static struct play play;
static struct str text;

static void setup(void)
{
    play_open(&play, PLAN);
    play_start(&play, 1);
}

static void teardown(void)
{
    str_done(&text);
    play_close(&play);
}

static const char *fake_clock(int64_t at_ms, int64_t now_ms, char out[SHOWN_CLOCK_MAX])
{
    int64_t minutes = at_ms / 60000;
    bool same_day = at_ms / 86400000 == now_ms / 86400000;
    (void)snprintf(out, SHOWN_CLOCK_MAX, "%s%02d:%02d", same_day ? "" : "Sun ",
                   (int)(minutes / 60 % 24), (int)(minutes % 60));
    return out;
}

static const char *fake_hms(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    int64_t s = at_ms / 1000;
    (void)snprintf(out, SHOWN_CLOCK_MAX, "%02d:%02d:%02d", (int)(s / 3600 % 24), (int)(s / 60 % 60),
                   (int)(s % 60));
    return out;
}

static struct shown_time time_at(int64_t later_ms)
{
    return (struct shown_time){
        .now = {.at_ms = play.now.at_ms + later_ms, .mono_ms = play.now.mono_ms + later_ms},
        .clock = fake_clock,
        .hms = fake_hms};
}

static const char *next_of(int task, int64_t later_ms)
{
    struct shown_time time = time_at(later_ms);
    str_clear(&text);
    shown_next(&play.state, task, false, &time, &text);
    return str_text(&text);
}

static const char *strip_of(int task)
{
    str_clear(&text);
    shown_strip(&play.state, task, true, &text);
    return str_text(&text);
}

static const char *class_of(int task)
{
    str_clear(&text);
    shown_class(&play.state, task, &text);
    return str_text(&text);
}

START_TEST(test_strip_walks_through_the_phases)
{
    ck_assert_str_eq(strip_of(0), "R>G.V.");
    ck_assert_str_eq(strip_of(1), "G.");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP); /* the slot is a's alone */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_str_eq(strip_of(0), "R+G>V.");
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, 60000);
    }
    ck_assert_str_eq(strip_of(0), "R+GxV.");
    str_clear(&text);
    shown_strip(&play.state, 0, false, &text);
    ck_assert_str_eq(str_text(&text), "R✓G✗V·");
}
END_TEST

START_TEST(test_next_counts_down_and_never_below_zero)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* RED is met */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* waits 500 ms */
    ck_assert_str_eq(next_of(0, 0), "in 0:01");
    ck_assert_str_eq(next_of(0, 499), "in 0:01");
    ck_assert_str_eq(next_of(0, 500), "starting");
    ck_assert_str_eq(next_of(0, 5000), "starting");
    ck_assert_str_eq(class_of(0), "test-fail");
}
END_TEST

START_TEST(test_held_task_keeps_its_class_after_its_wait)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* RED is met */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* waits 500 ms */
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_wait(&play, 60000);
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_HELD);
    ck_assert_int_eq(play.state.tasks[0].status, TASK_QUEUED);
    ck_assert_str_eq(class_of(0), "test-fail");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP); /* it has not run */
    ck_assert_str_eq(class_of(2), "");
}
END_TEST

START_TEST(test_cancelled_task_is_stopping_until_it_has_ended)
{
    play_wait(&play, 3000);
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_STOPPING);
    ck_assert_int_eq(shown_task(&play.state, 0, true), SHOWN_LOST);
    ck_assert_str_eq(next_of(0, 7000), "0:07");
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_KILL);
    ck_assert_str_eq(next_of(0, 7000), "0:07"); /* since it was asked first */
    play_exit(&play, "a", 143, play_persistent(REASON_NONE));
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_CANCELLED);
}
END_TEST

START_TEST(test_next_says_what_each_waits_for)
{
    ck_assert_str_eq(next_of(0, 61000), "1:01");
    ck_assert_str_eq(next_of(1, 0), "needs a");
    ck_assert_str_eq(next_of(2, 0), "slot 1st");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    ck_assert_str_eq(next_of(2, 3600000), "held 1:00:00");
}
END_TEST

/* "at 13:54:10" of that task's present state. */
static void check_at(int task, bool orphaned)
{
    char hms[SHOWN_CLOCK_MAX];
    const struct shown_time time = time_at(61000);
    struct str want = {0};
    str_addf(&want, "at %s", fake_hms(play.state.tasks[task].since.at_ms, hms));
    str_clear(&text);
    shown_next(&play.state, task, orphaned, &time, &text);
    ck_assert_str_eq(str_text(&text), str_text(&want));
    str_done(&want);
}

START_TEST(test_nothing_is_so_long_ago_once_nothing_goes_on)
{
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* RED is met */
    for (int i = 0; i < 4; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_ptr_nonnull(strstr(next_of(0, 0), "ended "));
    check_at(0, true);
    play_control(&play, CONTROL_CANCEL, "c", CANCEL_STOP);
    ck_assert(play.state.ended);
    check_at(0, false);
    check_at(2, false);
}
END_TEST

START_TEST(test_an_orphaned_run_shows_what_ran_as_lost)
{
    ck_assert_int_eq(shown_task(&play.state, 0, true), SHOWN_LOST);
    ck_assert_int_eq(shown_task(&play.state, 2, true), SHOWN_QUEUED);
    ck_assert(!shown_counts(&play.state, true));
}
END_TEST

START_TEST(test_flaky_says_how_often_it_failed_first)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_wait(&play, 500);
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "a", 0, play_passed());
    ck_assert_str_eq(class_of(0), "flaky 1x");
    struct attempt_state *failed = &play.state.tasks[0].steps[1].attempts[0];
    failed->outcome.kind = OUTCOME_INTERRUPTED; /* devs' end is no failure of the task's */
    ck_assert_str_eq(class_of(0), "");
    failed->outcome.kind = OUTCOME_NOT_STARTED;
    ck_assert_str_eq(class_of(0), "");
    failed->outcome.kind = OUTCOME_CANCELLED;
    failed->outcome.stop = STOP_ASKED; /* a person's act is none either */
    ck_assert_str_eq(class_of(0), "");
    failed->outcome.kind = OUTCOME_EXIT; /* as the events say: they are played again */
}
END_TEST

/* Whatever happens has a line and a JSON object that can be read back. */
START_TEST(test_every_event_has_words_and_json)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_TERM);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_TERM);
    for (size_t i = 0; i < play.event_count; i++) {
        struct json *json = NULL;
        struct err err = {0};
        str_clear(&text);
        event_json(&play.state, 1, &play.events[i], &text);
        ck_assert_msg(json_parse(text.data, text.len, &json, NULL, &err), "%s: %s", err.message,
                      text.data);
        ck_assert_int_eq(json_i64(json_get(json, "v"), 0), 1);
        ck_assert_int_eq(json_i64(json_get(json, "seq"), 0), (int64_t)i + 1);
        ck_assert_str_ne(json_text(json_get(json, "message"), ""), "");
        ck_assert_ptr_null(strpbrk(json_text(json_get(json, "message"), ""), "\n\r"));
        json_free(json);
    }
}
END_TEST

static const struct {
    int64_t ms;
    const char *want;
} durations[] = {{-5, "0:00"},       {0, "0:00"},          {999, "0:00"},         {61000, "1:01"},
                 {3599999, "59:59"}, {3600000, "1:00:00"}, {90061000, "25:01:01"}};

START_TEST(test_durations)
{
    shown_duration(durations[_i].ms, &text);
    ck_assert_str_eq(str_text(&text), durations[_i].want);
}
END_TEST

/* "ran 0:00" of what ran for an hour before devs died was never so. */
START_TEST(test_how_long_it_ran_is_told_where_its_end_was_seen)
{
    shown_ran(&(struct outcome){.kind = OUTCOME_EXIT, .ran_ms = 61000}, &text);
    ck_assert_str_eq(str_text(&text), "1:01");
    str_clear(&text);
    shown_ran(&(struct outcome){.kind = OUTCOME_EXIT, .ran_ms = 0}, &text);
    ck_assert_str_eq(str_text(&text), "0:00");
    str_clear(&text);
    shown_ran(&(struct outcome){.kind = OUTCOME_INTERRUPTED, .ran_ms = 0}, &text);
    ck_assert_str_eq(str_text(&text), "?");
    str_clear(&text);
    shown_ran(&(struct outcome){.kind = OUTCOME_INTERRUPTED, .ran_ms = 61000}, &text);
    ck_assert_str_eq(str_text(&text), "1:01"); /* another process took its exit code */
}
END_TEST

START_TEST(test_docs_have_every_state_with_its_signs)
{
    char *doc = test_read_file(test_source_path("docs/screens.md"));
    ck_assert_ptr_nonnull(doc);
    for (int i = 0; i < SHOWN_COUNT; i++) {
        enum shown shown = (enum shown)i;
        str_clear(&text);
        str_addf(&text, "\n| %s | `%s` | `%s` | ", shown_word(shown), shown_sign(shown, false),
                 shown_sign(shown, true));
        ck_assert_msg(strstr(doc, str_text(&text)) != NULL, "docs/screens.md: no row%s",
                      str_text(&text));
    }
    free(doc);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shown");
    TCase *tcase = test_case(suite, "shown");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_strip_walks_through_the_phases);
    tcase_add_test(tcase, test_next_counts_down_and_never_below_zero);
    tcase_add_test(tcase, test_held_task_keeps_its_class_after_its_wait);
    tcase_add_test(tcase, test_cancelled_task_is_stopping_until_it_has_ended);
    tcase_add_test(tcase, test_next_says_what_each_waits_for);
    tcase_add_test(tcase, test_nothing_is_so_long_ago_once_nothing_goes_on);
    tcase_add_test(tcase, test_an_orphaned_run_shows_what_ran_as_lost);
    tcase_add_test(tcase, test_flaky_says_how_often_it_failed_first);
    tcase_add_test(tcase, test_every_event_has_words_and_json);
    tcase_add_loop_test(tcase, test_durations, 0, TABLE_LEN(durations));
    tcase_add_test(tcase, test_how_long_it_ran_is_told_where_its_end_was_seen);
    tcase_add_test(tcase, test_docs_have_every_state_with_its_signs);
    return suite;
}
