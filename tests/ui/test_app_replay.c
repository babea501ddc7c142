/* A recording on a real terminal and a real log: its records, failures, bookmarks, and later
 * events. */
#define _XOPEN_SOURCE 700

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_child.h"
#include "bookmark.h"
#include "log_reader.h"
#include "test_main.h"

/* alpha passes; beta fails once, waits, and passes. Event 1 is the run's start. */
static void tell(void)
{
    story_start(&story, "alpha");
    story_start(&story, "beta");
    story_pass(&story, "alpha");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    story_add(&story, story_event(&story, "beta", EVENT_WAIT_ENDED));
    story_start(&story, "beta");
    story_pass(&story, "beta");
    story_end_run(&story);
}

static bool read_policies(const char *path, size_t max_bytes, struct str *out, struct err *err);

static void begin_replay(void)
{
    static struct app_options options;
    options = live_options();
    options.mode = APP_REPLAY;
    options.by = "mona";
    options.read_file = read_policies;
    tell();
    begin_for(&options, "REPLAY");
}

/* Reads the run's bookmarks from the log. */
static size_t bookmarks(struct bookmark *out, size_t max)
{
    struct log_reader *reader = NULL;
    struct err err = {0};
    size_t count = 0;
    ck_assert(log_reader_open(&reader, &place, &err));
    ck_assert_msg(bookmark_list(reader, 0, out, max, &count, &err), "%s", err.message);
    log_reader_close(reader);
    return count;
}

START_TEST(test_P6_records_stand_around_the_moment)
{
    begin_replay();
    press_for("0...", " events ");
    wait_for("alpha try 1");
    wait_for("event 3 of");
    quit();
}
END_TEST

START_TEST(test_a_recording_opens_where_it_is_asked_to)
{
    static struct app_options options;
    options = live_options();
    options.mode = APP_REPLAY;
    options.opens_at = "#4";
    options.opens_view = "detail";
    options.opens_task = "beta";
    tell();
    begin_for(&options, "Tasks > beta");
    wait_for("event 4 of");
    press("q");
    quit();
}
END_TEST

START_TEST(test_a_place_that_is_not_there_ends_it)
{
    static struct app_options options;
    options = live_options();
    options.mode = APP_REPLAY;
    options.opens_at = "noon";
    tell();
    begin(&options);
    go();
    ck_assert_int_ne(left(), APP_LEFT);
}
END_TEST

START_TEST(test_failures_are_gone_to_in_time)
{
    begin_replay();
    press_for("0e", "beta try 1");
    wait_for("▸");
    press_for("e", "nothing fails after this");
    press_for("0E", "nothing failed before this");
    quit();
}
END_TEST

START_TEST(test_what_came_later_is_shown_when_asked_for)
{
    begin_replay();
    press_for("0e", "L shows what happened next");
    wait_for("up to here");
    press_for("L", "showing later events");
    wait_for("try 2 starts: make check");
    wait_for("all lines");
    press_for("L", "hiding later events");
    quit();
}
END_TEST

/* Redacts nothing. The tests of bundles check redaction. */
static bool cuts_nothing(struct redactor **out, const struct plan *plan,
                         const struct secret_settings *secrets, struct err *err)
{
    (void)plan;
    (void)secrets;
    (void)err;
    *out = NULL;
    return true;
}

/* Uses the folder of the log, which is deleted after the test. */
static void begin_where_files_go(void)
{
    static struct app_options options;
    options = live_options();
    options.mode = APP_REPLAY;
    options.open_redactor = cuts_nothing;
    tell();
    ck_assert_int_eq(chdir(place.dir), 0);
    begin_for(&options, "REPLAY");
}

START_TEST(test_run_is_written_as_one_file_once_that_is_confirmed)
{
    struct place written;
    struct err err = {0};
    struct log_reader *reader = NULL;
    begin_where_files_go();
    press_for("W", "one file to share");
    wait_for("run #1 as run-1.devs");
    wait_for("no secrets found");
    wait_for("y write");
    press_for("y", "written: run-1.devs");
    ck_assert(place_of_file("run-1.devs", &written, &err));
    ck_assert_msg(log_reader_open(&reader, &written, &err), "%s", err.message);
    struct log_run_info run;
    ck_assert_msg(log_reader_run(reader, 1, &run, &err), "%s", err.message);
    log_run_info_done(&run);
    log_reader_close(reader);
    quit();
}
END_TEST

START_TEST(test_run_is_not_written_unless_that_is_confirmed)
{
    begin_where_files_go();
    press_for("W", "y write");
    press_for("\033", "nothing was written");
    ck_assert_int_ne(access("run-1.devs", F_OK), 0);
    press_for("W", "y write");
    press_for("qy", "nothing was written");
    ck_assert_int_ne(access("run-1.devs", F_OK), 0);
    quit();
}
END_TEST

START_TEST(test_run_is_not_written_over_a_file)
{
    begin_where_files_go();
    FILE *file = fopen("run-1.devs", "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fclose(file), 0);
    press_for("W", "run #1 as run-1-2.devs");
    press_for("y", "written: run-1-2.devs");
    struct stat first;
    ck_assert_int_eq(stat("run-1.devs", &first), 0);
    ck_assert_int_eq(first.st_size, 0);
    quit();
}
END_TEST

START_TEST(test_moment_is_kept_gone_back_to_and_let_go)
{
    struct bookmark found[2];
    begin_replay();
    press_for("0..m", "bookmark (a name");
    press_for("first look\r", "bookmarked as first look");
    ck_assert_uint_eq(bookmarks(found, 2), 1);
    ck_assert_str_eq(found[0].name, "first look");
    ck_assert_str_eq(found[0].by, "mona");
    ck_assert_int_eq(found[0].seq, 2);
    press_for("$", "event");
    press_for("bFirst Look\r", "m first look");
    press_for("m", "bookmark removed");
    ck_assert_uint_eq(bookmarks(found, 2), 0);
    quit();
}
END_TEST

START_TEST(test_moment_before_the_first_event_is_gone_back_to)
{
    begin_replay();
    press_for("0m", "bookmark (a name");
    press_for("the beginning\r", "bookmarked as the beginning");
    press_for("...", "event 3 of");
    press_for("bthe beginning\r", "event 0 of");
    quit();
}
END_TEST

START_TEST(test_name_that_is_not_wanted_keeps_nothing)
{
    struct bookmark found[1];
    begin_replay();
    press("0..mname\033");
    press_for("..", "event 4 of");
    ck_assert_uint_eq(bookmarks(found, 1), 0);
    quit();
}
END_TEST

START_TEST(test_two_tries_are_compared)
{
    begin_replay();
    press("G\r"); /* gamma has none */
    press_for("=", "no try yet");
    press_for("qk\r=", "try 2 marked");
    press_for("=", "no try marked");
    press_for("=k=", "two tries");
    wait_for("beta try 1");
    wait_for("exit 0");
    press_for("q", "why try 1 failed");
    press("q");
    quit();
}
END_TEST

START_TEST(test_try_that_is_marked_and_not_there_yet_is_not_compared)
{
    begin_replay();
    press_for("j\r=", "try 2 marked");
    press_for("bbeta try 1\r=", "try 1 is marked instead");
    press_for("=", "no try marked");
    press("q");
    quit();
}
END_TEST

/* The user's policy file: its contents. */
static const char *policies;
static bool read_policies(const char *path, size_t max_bytes, struct str *out, struct err *err)
{
    (void)max_bytes;
    if (strcmp(path, "b.json") != 0)
        return err_set(err, ERR_NOT_FOUND, "No such file or directory");
    str_add(out, policies);
    return true;
}

START_TEST(test_other_policies_are_asked_for_and_shown)
{
    policies = "{\"policy\": {\"max_attempts\": 1}}";
    begin_replay();
    press_for("=none.json\r", "none.json: No such file or directory");
    press_for("=\025b.json\r", "what if");
    wait_for("as recorded");
    wait_for("first difference");
    press_for("q", "event");
    quit();
}
END_TEST

START_TEST(test_policies_that_are_wrong_are_said_so)
{
    policies = "{\"policy\": {\"attempts\": \"x\"}}";
    begin_replay();
    press_for("=b.json\r", "b.json: [");
    quit();
}
END_TEST

static void add_replay_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "app_replay");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_P6_records_stand_around_the_moment);
    tcase_add_test(tcase, test_a_recording_opens_where_it_is_asked_to);
    tcase_add_test(tcase, test_a_place_that_is_not_there_ends_it);
    tcase_add_test(tcase, test_failures_are_gone_to_in_time);
    tcase_add_test(tcase, test_what_came_later_is_shown_when_asked_for);
    tcase_add_test(tcase, test_run_is_written_as_one_file_once_that_is_confirmed);
    tcase_add_test(tcase, test_run_is_not_written_unless_that_is_confirmed);
    tcase_add_test(tcase, test_run_is_not_written_over_a_file);
    tcase_add_test(tcase, test_moment_is_kept_gone_back_to_and_let_go);
    tcase_add_test(tcase, test_moment_before_the_first_event_is_gone_back_to);
    tcase_add_test(tcase, test_name_that_is_not_wanted_keeps_nothing);
    tcase_add_test(tcase, test_two_tries_are_compared);
    tcase_add_test(tcase, test_try_that_is_marked_and_not_there_yet_is_not_compared);
    tcase_add_test(tcase, test_other_policies_are_asked_for_and_shown);
    tcase_add_test(tcase, test_policies_that_are_wrong_are_said_so);
}

static void start_two(void)
{
    story_start(&story, "alpha");
    story_start(&story, "beta");
}

/* Both tasks run, and the app shows that. */
static void begin_live(void)
{
    static struct app_options options; /* must outlive the child */
    options = live_options();
    start_two();
    begin_for(&options, "LIVE");
}

/* Event 1 is the run's start; each started task adds two more. */
START_TEST(test_past_shows_a_moment_and_the_run_goes_on)
{
    begin_live();
    press_for(",", "PAST -");
    wait_for("event 4 of 5");
    wait_for("(live continues: ●2)");
    wait_for("$ = live");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    commit();
    wait_for("(live continues: ↻1 ●1)");
    wait_for("event 4 of 8");
    press_for("$", "back in the present");
    wait_for("backoff");
    quit();
}
END_TEST

/* Leaves the past on a screen without records. The previous screen's records must not be looked up
 * in the live run then. */
START_TEST(test_past_that_is_left_on_another_screen_leaves_the_run_alone)
{
    begin_live();
    press_for(",", "event 4 of 5");
    press_for("5", "Timeline");
    press_for("$", "back in the present");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    commit();
    wait_for("test-fail");
    press_for("1", "backoff");
    press_for(",", "event 7 of 8");
    press("$");
    quit();
}
END_TEST

START_TEST(test_what_came_later_grows_with_the_run)
{
    begin_live();
    press_for(",L", "nothing more was recorded for this task");
    story_fail(&story, "alpha", REASON_TEST_FAIL, NULL);
    commit();
    wait_for(":00 try 1 ");
    press("$");
    quit();
}
END_TEST

START_TEST(test_past_refuses_acts_in_words)
{
    struct control control;
    struct err err = {0};
    size_t count = 0;
    begin_live();
    press_for(",", "PAST -");
    press_for("x", "the past is read only");
    press_for("r", "the past is read only");
    ck_assert(log_writer_controls(writer, &control, 1, &count, &err));
    ck_assert_uint_eq(count, 0);
    press("q"); /* back to where we came from */
    wait_for("LIVE");
    quit();
}
END_TEST

START_TEST(test_past_takes_the_keys_of_a_replay)
{
    begin_live();
    press_for(",", "event 4 of 5");
    press_for("0", "event 0 of 5");
    press_for("..", "event 2 of 5");
    press_for("]", "no later try");
    press_for(".....", "nothing has happened after this yet");
    press_for("$", "LIVE");
    quit();
}
END_TEST

START_TEST(test_go_to_enters_the_past_at_a_place_in_words)
{
    begin_live();
    press_for("b", "go to (14:00");
    press_for("#3\r", "event 3 of 5");
    press_for("bbeta try 1\r", "event 4 of 5");
    press_for("bnonsense\r", "nonsense");
    press_for("$", "LIVE");
    quit();
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
    begin_for(&options, "ENDED");
    press_for(",,", "PAST -0:00");
    wait_for("(the run has ended)");
    ck_assert(comes_to_rest()); /* no running clock: it sleeps */
    press_for("$", "ENDED");
    quit();
}
END_TEST

/* The previous run has ended, the present one is live. */
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
    press_for("6", "2 runs, 5 tries");
    wait_for("nightly");
    press_for("j\r", "REPLAY");
    wait_for("run #2 continues meanwhile");
    story_fail(&story, "beta", REASON_TEST_FAIL, NULL);
    story_wait(&story, "beta", 60);
    commit(); /* to the run that is not shown */
    press_for("q", "2 runs, 5 tries");
    press_for("q", "LIVE");
    wait_for("backoff");
    quit();
}
END_TEST

/* Also from a run that is not the app's own, which is never opened twice. */
START_TEST(test_run_is_opened_from_another_one)
{
    struct app_options options = live_options();
    begin_two_runs(&options);
    wait_for("LIVE");
    press_for(":open run 1\r", "run #2 continues meanwhile");
    press_for(":open run 2\r", "LIVE");
    press_for(":open run 1\r", "REPLAY");
    press_for(":open run 7\r", "cannot open run #7");
    wait_for("LIVE");
    press_for(":open run 1\r", "REPLAY");
    press_for("q", "2 runs, 5 tries");
    press_for("q", "LIVE");
    quit();
}
END_TEST

START_TEST(test_runs_come_first_where_no_run_is_named)
{
    struct app_options options = live_options();
    options.mode = APP_RUNS;
    begin_two_runs(&options);
    wait_for("2 runs, 5 tries");
    press_for("/shop\r", "filter: shop (/)");
    press_for("\r", "REPLAY");
    press_for("q", "filter: shop (/)");
    press_for("\033", "filter: none");
    press_for("k\r", "LIVE");
    press("q");
    quit();
}
END_TEST

/* Looking back in a live run, and at other runs, on a real terminal and a real log. */
static void add_past_cases(Suite *suite)
{
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
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("app_replay");
    add_replay_cases(suite);
    add_past_cases(suite);
    return suite;
}
