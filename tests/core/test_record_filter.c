#include "filter.h"

#include <stdio.h>
#include <string.h>

#include "play.h"
#include "test_main.h"

static struct play play;
static struct record_filter filter;
static struct err err;

/* "a" meets a limit once and passes, "b" fails for good; "c" needs it. */
static const char plan[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"transport\","
    "\"jitter\":0}},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"phase\":\"GREEN\",\"policy\":\"p\","
    "\"run\":[\"true\"]}]},{\"id\":\"b\",\"steps\":[{\"phase\":\"RED\",\"policy\":\"p\","
    "\"run\":[\"true\"]}]},{\"id\":\"c\",\"needs\":[\"b\"],\"steps\":[{\"run\":[\"true\"]}]}]}";

static void setup(void)
{
    filter = (struct record_filter){.level = EVENT_LEVEL_DEBUG};
    err = (struct err){0};
    play_open(&play, plan);
    play_start(&play, 2);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_exit(&play, "b", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, 60 * 1000);
    play_exit(&play, "a", 0, play_passed());
}

static void teardown(void)
{
    record_filter_done(&filter);
    play_close(&play);
}

static bool passes(const struct event *event)
{
    struct str words = {0};
    event_words(&play.state, event, &words);
    bool fits = record_filter_wants(&filter, &play.state, event) &&
                record_filter_finds(&filter, str_text(&words), words.len);
    str_done(&words);
    return fits;
}

static int count_wanted(void)
{
    int count = 0;
    for (size_t i = 0; i < play.event_count; i++)
        count += passes(&play.events[i]);
    return count;
}

static bool wants_kind(enum event_kind kind)
{
    return passes(play_last(&play, kind));
}

START_TEST(test_an_empty_filter_wants_all)
{
    ck_assert_int_eq(count_wanted(), (int)play.event_count);
}
END_TEST

START_TEST(test_the_level_is_the_least_important_that_is_wanted)
{
    filter.level = EVENT_LEVEL_ERROR;
    ck_assert_int_eq(count_wanted(), 2); /* b gave up, c is blocked */
    ck_assert(wants_kind(EVENT_TASK_BLOCKED));
    filter.level = EVENT_LEVEL_INFO;
    ck_assert(wants_kind(EVENT_ATTEMPT_STARTED));
}
END_TEST

START_TEST(test_several_tasks_and_kinds_are_wanted_together)
{
    ck_assert(record_filter_add_task(&filter, "b", &err));
    ck_assert(record_filter_add_task(&filter, "c", &err));
    ck_assert(wants_kind(EVENT_TASK_BLOCKED));
    ck_assert(!wants_kind(EVENT_WAIT_STARTED));
    ck_assert(!wants_kind(EVENT_RUN_STARTED)); /* of no task */
    ck_assert(record_filter_add_kind(&filter, "step_ended", &err));
    ck_assert_int_eq(count_wanted(), 1);
    ck_assert(record_filter_add_kind(&filter, "task_blocked", &err));
    ck_assert_int_eq(count_wanted(), 2);
}
END_TEST

START_TEST(test_the_bounds_belong_to_what_is_wanted)
{
    const struct event *wait = play_last(&play, EVENT_WAIT_STARTED);
    filter.since.seq = wait->seq;
    filter.until.seq = wait->seq;
    ck_assert_int_eq(count_wanted(), 1);
    filter.since = (struct record_bound){.at_ms = play_last(&play, EVENT_WAIT_ENDED)->at.at_ms};
    filter.until = (struct record_bound){0};
    ck_assert(wants_kind(EVENT_WAIT_ENDED));
    ck_assert(!wants_kind(EVENT_RUN_STARTED));
    filter.until = filter.since;
    filter.since = (struct record_bound){0};
    filter.until.at_ms--;
    ck_assert(!wants_kind(EVENT_WAIT_ENDED));
    ck_assert(wants_kind(EVENT_RUN_STARTED));
}
END_TEST

START_TEST(test_a_pattern_is_looked_for_in_the_words)
{
    ck_assert(record_filter_set_search(&filter, "TRANSIENT RETRY.*taskId=a\\b", &err));
    ck_assert_int_eq(count_wanted(), 1);
    ck_assert(record_filter_set_search(&filter, "(?i)transient retry", &err)); /* another one */
    ck_assert_int_eq(count_wanted(), 1);
    ck_assert(!record_filter_set_search(&filter, "(", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(test_what_takes_too_long_to_match_does_not)
{
    enum { LETTERS = 4000 };
    char words[LETTERS];
    memset(words, 'a', sizeof(words));
    ck_assert(record_filter_set_search(&filter, "(a+)+b", &err));
    ck_assert(!record_filter_finds(&filter, words, sizeof(words)));
}
END_TEST

START_TEST(test_a_kind_that_there_is_not_has_the_nearest_word)
{
    ck_assert(!record_filter_add_kind(&filter, "wait_start", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.hint, "did you mean wait_started?");
    err = (struct err){0};
    ck_assert(!record_filter_add_kind(&filter, "", &err));
    ck_assert_ptr_nonnull(strstr(err.hint, "docs/run-log.md"));
}
END_TEST

START_TEST(test_tasks_have_a_limit)
{
    char id[PLAN_ID_MAX + 2];
    for (int i = 0; i < RECORD_TASKS_MAX; i++) {
        (void)snprintf(id, sizeof(id), "t%d", i);
        ck_assert(record_filter_add_task(&filter, id, &err));
    }
    ck_assert(!record_filter_add_task(&filter, "more", &err));
    memset(id, 'x', sizeof(id) - 1);
    id[sizeof(id) - 1] = '\0';
    ck_assert(!record_filter_add_task(&filter, id, &err));
    ck_assert(!record_filter_add_task(&filter, "", &err));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("record_filter");
    TCase *tcase = test_case(suite, "record_filter");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_an_empty_filter_wants_all);
    tcase_add_test(tcase, test_the_level_is_the_least_important_that_is_wanted);
    tcase_add_test(tcase, test_several_tasks_and_kinds_are_wanted_together);
    tcase_add_test(tcase, test_the_bounds_belong_to_what_is_wanted);
    tcase_add_test(tcase, test_a_pattern_is_looked_for_in_the_words);
    tcase_add_test(tcase, test_what_takes_too_long_to_match_does_not);
    tcase_add_test(tcase, test_a_kind_that_there_is_not_has_the_nearest_word);
    tcase_add_test(tcase, test_tasks_have_a_limit);
    return suite;
}
