#include "event_lines.h"

#include "story.h"
#include "test_main.h"

static struct story story;

static void set_up(void)
{
    story_init_agents(&story);
}

static void tear_down(void)
{
    story_done(&story);
}

/* What the engine made of this attempt of the task of three rounds. */
static void check_decision(int step, int attempt, const char *expected)
{
    const struct log_output_key key = {
        .task = story_task(&story, "tax"), .step = step, .attempt = attempt};
    struct str words = {0};
    log_words_decision(&story.state, &key, &words);
    ck_assert_str_eq(str_text(&words), expected);
    str_done(&words);
}

/* The check's tries are given anew with each round, and what followed it was no wait. */
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_words");
    TCase *tcase = test_case(suite, "decision");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_an_attempt_that_a_round_followed);
    tcase_add_test(tcase, test_an_attempt_that_passed_in_a_round);
    return suite;
}
