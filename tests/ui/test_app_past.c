/* Looking back in a run that goes on, and at other runs, on a real terminal and a real log. */
#define _XOPEN_SOURCE 700

#include "app_child.h"

#include "test_main.h"

static void start_two(void)
{
    story_start(&story, "alpha");
    story_start(&story, "beta");
}

/* Both run, and the app shows that. */
static void begin_live(void)
{
    static struct app_options options; /* the child's for as long as it lives */
    options = live_options();
    start_two();
    begin(&options);
    go();
    wait_for("LIVE");
}

static void leave(const char *keys)
{
    press(keys);
    ck_assert_int_eq(left(), APP_LEFT);
}

/* Event 1 is the run's start; two more for each that is started. */
START_TEST(test_past_shows_a_moment_and_the_run_goes_on)
{
    begin_live();
    press(",");
    wait_for("PAST -");
    wait_for("event 4 of 5");
    wait_for("(live goes on: ●2)");
    wait_for("$ = live");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    commit();
    wait_for("(live goes on: ↻1 ●1)");
    wait_for("event 4 of 8");
    press("$");
    wait_for("this is the present again");
    wait_for("backoff");
    leave("q");
}
END_TEST

/* Left on a screen that shows no records: those on the one before are not looked for in the run as
 * it goes on. */
START_TEST(test_past_that_is_left_on_another_screen_leaves_the_run_alone)
{
    begin_live();
    press(",");
    wait_for("event 4 of 5");
    press("5");
    wait_for("Timeline");
    press("$");
    wait_for("this is the present again");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    commit();
    wait_for("test-fail");
    press("1");
    wait_for("backoff");
    press(",");
    wait_for("event 7 of 8");
    leave("$q");
}
END_TEST

START_TEST(test_what_came_later_grows_with_the_run)
{
    begin_live();
    press(",L");
    wait_for("nothing more is recorded of it");
    story_fail(&story, "alpha", REASON_TEST_FAIL, NULL);
    commit();
    wait_for(":00 try 1 ");
    leave("$q");
}
END_TEST

START_TEST(test_past_refuses_acts_in_words)
{
    struct control control;
    struct err err = {0};
    size_t count = 0;
    begin_live();
    press(",");
    wait_for("PAST -");
    press("x");
    wait_for("this is the past, it is read only");
    press("r");
    wait_for("this is the past, it is read only");
    ck_assert(log_writer_controls(writer, &control, 1, &count, &err));
    ck_assert_uint_eq(count, 0);
    press("q"); /* the way back from where one has come to */
    wait_for("LIVE");
    leave("q");
}
END_TEST

START_TEST(test_past_takes_the_keys_of_a_replay)
{
    begin_live();
    press(",");
    wait_for("event 4 of 5");
    press("0");
    wait_for("event 0 of 5");
    press("..");
    wait_for("event 2 of 5");
    press("]");
    wait_for("no later try");
    press(".....");
    wait_for("nothing has come after this so far");
    press("$");
    wait_for("LIVE");
    leave("q");
}
END_TEST

START_TEST(test_go_to_enters_the_past_at_a_place_in_words)
{
    begin_live();
    press("b");
    wait_for("go to (14:00");
    press("#3\r");
    wait_for("event 3 of 5");
    press("bbeta try 1\r");
    wait_for("event 4 of 5");
    press("bnonsense\r");
    wait_for("nonsense");
    press("$");
    wait_for("LIVE");
    leave("q");
}
END_TEST

START_TEST(test_run_that_has_ended_can_be_looked_back_in)
{
    struct app_options options = live_options();
    start_two();
    story_pass(&story, "alpha");
    story_pass(&story, "beta");
    story_start(&story, "gamma");
    story_pass(&story, "gamma");
    story_end_run(&story);
    begin(&options);
    go();
    wait_for("ENDED");
    press(",,");
    wait_for("PAST -0:00");
    wait_for("(the run has ended)");
    ck_assert(comes_to_rest()); /* nothing counts: it sleeps */
    press("$");
    wait_for("ENDED");
    leave("q");
}
END_TEST

/* The run before has ended, the present one goes on. */
static void begin_two_runs(const struct app_options *options)
{
    start_child(options);
    open_log();
    start_two();
    story_pass(&story, "alpha");
    story_pass(&story, "beta");
    story_start(&story, "gamma");
    story_pass(&story, "gamma");
    story_end_run(&story);
    commit();
    begin_another("nightly");
    start_two();
    commit();
    go();
}

START_TEST(test_runs_are_listed_and_another_one_is_opened)
{
    struct app_options options = live_options();
    begin_two_runs(&options);
    wait_for("LIVE");
    press("6");
    wait_for("2 runs, 5 tries");
    wait_for("nightly");
    press("j\r");
    wait_for("REPLAY");
    wait_for("run #2 goes on meanwhile");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    commit(); /* to the run that is not shown */
    press("q");
    wait_for("2 runs, 5 tries");
    press("q");
    wait_for("LIVE");
    wait_for("backoff");
    leave("q");
}
END_TEST

/* From one that is not the app's own, too; that one is never opened twice. */
START_TEST(test_run_is_opened_from_another_one)
{
    struct app_options options = live_options();
    begin_two_runs(&options);
    wait_for("LIVE");
    press(":open run 1\r");
    wait_for("run #2 goes on meanwhile");
    press(":open run 2\r");
    wait_for("LIVE");
    press(":open run 1\r");
    wait_for("REPLAY");
    press(":open run 7\r");
    wait_for("run #7 cannot be opened");
    wait_for("LIVE");
    press(":open run 1\r");
    wait_for("REPLAY");
    press("q");
    wait_for("2 runs, 5 tries");
    press("q");
    wait_for("LIVE");
    leave("q");
}
END_TEST

START_TEST(test_runs_come_first_where_no_run_is_named)
{
    struct app_options options = live_options();
    options.mode = APP_RUNS;
    begin_two_runs(&options);
    wait_for("2 runs, 5 tries");
    press("/shop\r");
    wait_for("filter: shop (/)");
    press("\r");
    wait_for("REPLAY");
    press("q");
    wait_for("filter: shop (/)");
    press("\033");
    wait_for("filter: none");
    press("k\r");
    wait_for("LIVE");
    leave("qq");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("app_past");
    TCase *tcase = test_case(suite, "app_past");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_past_shows_a_moment_and_the_run_goes_on);
    tcase_add_test(tcase, test_past_that_is_left_on_another_screen_leaves_the_run_alone);
    tcase_add_test(tcase, test_what_came_later_grows_with_the_run);
    tcase_add_test(tcase, test_past_refuses_acts_in_words);
    tcase_add_test(tcase, test_past_takes_the_keys_of_a_replay);
    tcase_add_test(tcase, test_go_to_enters_the_past_at_a_place_in_words);
    tcase_add_test(tcase, test_run_that_has_ended_can_be_looked_back_in);
    tcase_add_test(tcase, test_runs_are_listed_and_another_one_is_opened);
    tcase_add_test(tcase, test_run_is_opened_from_another_one);
    tcase_add_test(tcase, test_runs_come_first_where_no_run_is_named);
    return suite;
}
