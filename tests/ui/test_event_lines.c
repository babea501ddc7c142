#include <string.h>

#include "event_lines.h"
#include "story.h"
#include "test_main.h"

static struct story story;
static struct event_lines lines;

static void set_up(void)
{
    story_init(&story, "alpha beta", "RG");
    memset(&lines, 0, sizeof(lines));
}

static void tear_down(void)
{
    event_lines_done(&lines);
    story_done(&story);
}

static bool add(int64_t seq)
{
    struct event event = event_new(EVENT_NOTE);
    event.seq = seq;
    event.at.at_ms = seq;
    event.note.note = "x";
    return event_lines_add(&lines, &story.state, &event);
}

static void add_all(int64_t first, int count)
{
    event_lines_begin(&lines, 7);
    for (int i = 0; i < count; i++)
        (void)add(first + i);
}

START_TEST(test_lines_end_where_there_is_no_more_room)
{
    event_lines_begin(&lines, 7);
    for (int i = 1; i < EVENT_LINES_MAX; i++)
        ck_assert(add(i));
    ck_assert(!add(EVENT_LINES_MAX));
    ck_assert(!add(EVENT_LINES_MAX + 1));
    ck_assert_uint_eq(lines.count, EVENT_LINES_MAX);
    ck_assert_ptr_nonnull(strstr(event_lines_text(&lines, EVENT_LINES_MAX - 1), "x"));
}
END_TEST

/* A run of 1000 records, with the lines 201 to 456 loaded. */
static const struct {
    int64_t run, at;
    bool want;
} places[] = {
    {7, 300, true},
    {7, 201 + EVENT_LINES_MARGIN, true},
    {7, 200 + EVENT_LINES_MARGIN, false},
    {7, 456 - EVENT_LINES_MARGIN, true},
    {7, 457 - EVENT_LINES_MARGIN, false},
    {8, 300, false},
};

START_TEST(test_lines_cover_a_moment_with_those_around_it)
{
    add_all(201, EVENT_LINES_MAX);
    ck_assert_int_eq(event_lines_cover(&lines, places[_i].run, places[_i].at, 1000),
                     places[_i].want);
}
END_TEST

START_TEST(test_ends_of_a_run_need_nothing_beyond_them)
{
    add_all(1, 5);
    ck_assert(event_lines_cover(&lines, 7, 0, 5));
    ck_assert(event_lines_cover(&lines, 7, 5, 5));
    ck_assert(!event_lines_cover(&lines, 7, 5, 6));
    event_lines_begin(&lines, 7);
    ck_assert(event_lines_cover(&lines, 7, 0, 0));
    ck_assert(!event_lines_cover(&lines, 7, 0, 1));
}
END_TEST

START_TEST(test_lines_read_for_a_moment_cover_it)
{
    const int64_t at = 500;
    add_all(event_lines_after(at) + 1, EVENT_LINES_MAX);
    ck_assert(event_lines_cover(&lines, 7, at, 1000));
    ck_assert_int_eq(event_lines_after(3), 0);
}
END_TEST

START_TEST(test_find_is_the_last_that_had_happened)
{
    add_all(10, 3);
    ck_assert_int_eq(event_lines_find(&lines, 9), -1);
    ck_assert_int_eq(event_lines_find(&lines, 10), 0);
    ck_assert_int_eq(event_lines_find(&lines, 99), 2);
}
END_TEST

START_TEST(test_strange_text_is_cleaned_and_cut)
{
    struct str note = {0};
    str_add(&note, "\033[31m");
    for (int i = 0; i < 2 * EVENT_LINE_BYTES_MAX; i++)
        str_add_char(&note, 'x');
    struct event event = event_new(EVENT_NOTE);
    event.seq = 1;
    event.note.note = str_text(&note);
    event_lines_begin(&lines, 7);
    ck_assert(event_lines_add(&lines, &story.state, &event));
    const char *text = event_lines_text(&lines, 0);
    ck_assert_ptr_null(strchr(text, '\033'));
    ck_assert_uint_le(strlen(text), EVENT_LINE_BYTES_MAX);
    str_done(&note);
}
END_TEST

static void add_lines_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "lines");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_lines_end_where_there_is_no_more_room);
    tcase_add_loop_test(tcase, test_lines_cover_a_moment_with_those_around_it, 0,
                        (int)ARRAY_LEN(places));
    tcase_add_test(tcase, test_ends_of_a_run_need_nothing_beyond_them);
    tcase_add_test(tcase, test_lines_read_for_a_moment_cover_it);
    tcase_add_test(tcase, test_find_is_the_last_that_had_happened);
    tcase_add_test(tcase, test_strange_text_is_cleaned_and_cut);
}

static void set_up_words(void)
{
    story_init_agents(&story);
}

static void tear_down_words(void)
{
    story_done(&story);
}

/* Checks the decision after this attempt of the task with three rounds. */
static void check_decision(int step, int attempt, const char *expected)
{
    const struct log_output_key key = {
        .task = story_task(&story, "tax"), .step = step, .attempt = attempt};
    struct str words = {0};
    log_words_decision(&story.state, &key, &words);
    ck_assert_str_eq(str_text(&words), expected);
    str_done(&words);
}

/* Each round gives the check new tries, and the attempt was not followed by a wait. */
START_TEST(test_an_attempt_that_a_round_followed)
{
    story_pass(&story, "tax"); /* the agent's second round */
    story_start(&story, "tax");
    check_decision(1, 1, "== engine: test-fail, try 1 in round 1, then round 2");
}
END_TEST

START_TEST(test_an_attempt_that_passed_in_a_round)
{
    check_decision(0, 1, "== engine: passed, try 1 in round 1, then round 2");
}
END_TEST

static void add_words_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "decision");
    tcase_add_checked_fixture(tcase, set_up_words, tear_down_words);
    tcase_add_test(tcase, test_an_attempt_that_a_round_followed);
    tcase_add_test(tcase, test_an_attempt_that_passed_in_a_round);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_lines");
    add_lines_cases(suite);
    add_words_cases(suite);
    return suite;
}
