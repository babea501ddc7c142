/* Runs the app in a child on a pseudo-terminal; the test plays the user and the engine. */
#define _XOPEN_SOURCE 700

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "app_child.h"
#include "app_internal.h"
#include "attr.h"
#include "clock.h"
#include "log_writer.h"
#include "plan.h"
#include "story.h"
#include "test_main.h"

static void start_now(const char *id)
{
    story.now = clock_now();
    story_start(&story, id);
}

static void all_pass(void)
{
    static const char *const ids[] = {"alpha", "beta", "gamma"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        story_start(&story, ids[i]);
        story_pass(&story, ids[i]);
    }
    story_end_run(&story);
}

START_TEST(test_ended_run_does_nothing_while_idle)
{
    struct app_options options = live_options();
    all_pass();
    begin_for(&options, "ENDED");
    wait_for("3 of 3 passed");
    ck_assert(comes_to_rest());
    quit();
}
END_TEST

START_TEST(test_events_of_another_process_are_shown)
{
    struct app_options options = live_options();
    begin_for(&options, "queued");
    start_now("beta");
    commit();
    wait_for("running");
    story_pass(&story, "beta");
    commit();
    wait_for("passed");
    quit();
}
END_TEST

START_TEST(test_P6_a_retry_is_asked_for_by_a_key_and_answered)
{
    struct app_options options = live_options();
    start_now("alpha");
    story_fail(&story, "alpha", REASON_TEST_FAIL, NULL);
    story_wait(&story, "alpha", 1000);
    begin_for(&options, "backoff");
    press("r");
    struct control control = wait_for_control("");
    ck_assert_int_eq(control.verb, CONTROL_RETRY);
    ck_assert_int_eq(control.task, 0);
    ck_assert_int_eq(control.attempt, 1);
    ck_assert_str_eq(control.by, "ann@tty2");
    answer(&control, true, "starts with the next free slot");
    wait_for("alpha: starts with");
    quit();
}
END_TEST

/* These tasks wait because of the same fault. */
static void meet_one_fault(const char *const *ids, size_t count)
{
    story.now = clock_now();
    for (size_t i = 0; i < count; i++) {
        story_start(&story, ids[i]);
        story_fail_by_world(&story, ids[i], TRANSIENT_NETWORK_TIMEOUT, 1, NULL);
        story_wait(&story, ids[i], 1000);
    }
}

START_TEST(test_hold_of_all_is_answered_once)
{
    static const char *const ids[] = {"alpha", "beta", "gamma"};
    struct app_options options = live_options();
    meet_one_fault(ids, ARRAY_LEN(ids));
    begin_for(&options, "3 tasks");
    press("p");
    for (int i = 0; i < 3; i++) {
        struct control control = wait_for_control("");
        ck_assert_int_eq(control.verb, CONTROL_HOLD);
        ck_assert_int_eq(control.task, i);
        ck_assert_int_eq(control.step, -1);
        ck_assert_str_eq(control.by, "ann@tty2");
        answer(&control, i != 1, "it is already held");
    }
    wait_for("2 tasks held, 1 not: beta: it is already held");
    quit();
}
END_TEST

/* More acts than may be pending at a time: the rest are sent as there is room. */
START_TEST(test_act_on_very_many_is_carried_out)
{
    enum { MANY = 3 * APP_ACTS_MAX };
    static char names[MANY][16];
    static const char *ids[MANY];
    struct app_options options = live_options();
    struct str all = {0};
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "t%02d", i);
        ids[i] = names[i];
        str_addf(&all, "%s%s", i > 0 ? " " : "", names[i]);
    }
    story_done(&story);
    story_init(&story, all.data, "G");
    str_done(&all);
    meet_one_fault(ids, MANY);
    begin(&options);
    log_writer_close(writer); /* the run has no owner, so the desk answers */
    writer = NULL;
    go();
    wait_for("48 tasks");
    press_for("p", "48 tasks held");
    wait_for("release all");
    press_for("x", "Cancel all 48 tasks of one fault?");
    wait_pressing("K", "48 tasks killed"); /* a key without any other meaning */
    quit();
}
END_TEST

START_TEST(test_refusal_is_shown_in_words)
{
    struct app_options options = live_options();
    start_now("beta");
    begin_for(&options, "running");
    press_for("jx", "Cancel beta");
    struct control control = wait_for_control("K");
    ck_assert_int_eq(control.verb, CONTROL_CANCEL);
    ck_assert_int_eq(control.mode, CANCEL_KILL);
    ck_assert_int_eq(control.task, 1);
    ck_assert_int_eq(control.attempt, 1);
    answer(&control, false, "it is over");
    wait_for("beta not killed: it is over");
    quit();
}
END_TEST

/* alpha waits after a failure with a reason. Presses C and picks the first class. A question
 * ignores keys right after it opens. */
static void open_correction(const struct app_options *options)
{
    start_now("alpha");
    story_fail(&story, "alpha", REASON_TEST_FAIL,
               "{\"rule\":\"tap.not-ok\",\"match\":\"lost (the) link\"}");
    story_wait(&story, "alpha", 1000);
    begin_for(options, "backoff");
    press_for("C", "alpha try 1: which class?");
    wait_pressing(KEY_HOME, "▸ network");
}

START_TEST(test_correction_is_asked_answered_and_shown)
{
    struct app_options options = live_options();
    open_correction(&options);
    press("\r");
    struct control control = wait_for_control("");
    ck_assert_int_eq(control.verb, CONTROL_CORRECT);
    ck_assert_int_eq(control.task, 0);
    ck_assert_int_eq(control.step, 0);
    ck_assert_int_eq(control.attempt, 1);
    ck_assert_int_eq(control.label.class, VERDICT_TRANSIENT);
    ck_assert_int_eq(control.label.type, TRANSIENT_NETWORK_TIMEOUT);
    ck_assert_str_eq(control.by, "ann@tty2");
    struct event event = story_event(&story, "alpha", EVENT_CLASS_CORRECTED);
    event.corrected.class = VERDICT_TRANSIENT;
    event.corrected.type = TRANSIENT_NETWORK_TIMEOUT;
    event.by = "ann@tty2";
    story_add(&story, event);
    answer(&control, true, "try 1 is NETWORK_TIMEOUT by your word");
    wait_for("alpha: try 1 is");
    wait_for("network, corrected by ann@tty2; was test-fail");
    quit();
}
END_TEST

static bool save_in_pipe(void *ctx, const char *rule_json, struct err *err)
{
    const int *fds = ctx;
    ssize_t len = (ssize_t)strlen(rule_json);
    return write(fds[1], rule_json, (size_t)len) == len || err_set(err, ERR_IO, "the pipe is full");
}

static void try_new_rule(const struct app_options *options)
{
    open_correction(options);
    press_for("+", "my-network");
    press_for("\r", "0 of 1 would change");
}

START_TEST(test_new_rule_is_tried_then_saved_once)
{
    struct app_options options = live_options();
    char saved[1024];
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    options.save_rule = save_in_pipe;
    options.save_ctx = fds;
    try_new_rule(&options);
    struct pollfd heard = {.fd = fds[0], .events = POLLIN};
    ck_assert_int_eq(poll(&heard, 1, 0), 0); /* not before it is told to */
    wait_pressing("s", "rule my-network saved");
    quit();
    (void)close(fds[1]);
    ssize_t len = read(fds[0], saved, sizeof(saved) - 1);
    ck_assert_int_gt(len, 0);
    saved[len] = '\0';
    ck_assert_str_eq(saved, "{\"name\":\"my-network\",\"verdict\":\"transient\","
                            "\"type\":\"NETWORK_TIMEOUT\","
                            "\"pattern\":\"lost \\\\(the\\\\) link\"}");
}
END_TEST

START_TEST(test_new_rule_has_nowhere_to_go)
{
    struct app_options options = live_options();
    try_new_rule(&options);
    wait_pressing("s", "cannot save the rule here");
    press_for("\033", "valid; it is tested");
    press_for("\033", "which class?");
    wait_pressing("\033", "alpha");
    quit();
}
END_TEST

/* Tells the engine to start nothing more. */
static void tell_leave(void *ctx)
{
    const int *fds = ctx;
    ck_assert_int_eq(write(fds[1], "l", 1), 1);
}

/* The engine is in this process and runs alpha; q w told it to leave. */
static void quit_waiting(struct app_options *options, int told[2])
{
    char byte = 0;
    ck_assert_int_eq(pipe(told), 0);
    options->engine_here = true;
    options->leave = tell_leave;
    options->leave_ctx = told;
    start_now("alpha");
    begin_for(options, "running");
    press_for("q", "Quit devs?");
    struct pollfd heard = {.fd = told[0], .events = POLLIN};
    do {
        press("w"); /* the prompt ignores keys at first */
        (void)take_screen(PACE_MS);
    } while (poll(&heard, 1, PACE_MS) == 0);
    ck_assert_int_eq(read(told[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'l');
    wait_for("quitting when 1 try has ended");
    ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
}

START_TEST(test_quit_waits_for_what_runs)
{
    struct app_options options = live_options();
    int told[2];
    quit_waiting(&options, told);
    story_pass(&story, "alpha");
    commit();
    ck_assert_int_eq(left(), APP_LEFT_WAIT);
}
END_TEST

START_TEST(test_quit_waits_for_the_engine)
{
    struct app_options options = live_options();
    int told[2], done[2];
    ck_assert_int_eq(pipe(done), 0);
    options.engine_done_fd = done[0];
    quit_waiting(&options, told);
    ck_assert_int_eq(write(done[1], "d", 1), 1);
    ck_assert_int_eq(left(), APP_LEFT_WAIT);
}
END_TEST

static const struct {
    const char *key;
    int leave;
} quit_cases[] = {{"w", APP_LEFT_WAIT}, {"c", APP_LEFT_CANCEL}};

/* The caller does what the answer says. */
START_TEST(test_quit_tells_the_caller_its_answer)
{
    struct app_options options = live_options();
    options.engine_here = true;
    start_now("alpha");
    begin_for(&options, "running");
    press_for("q", "Quit devs?");
    ck_assert_int_eq(left_pressing(quit_cases[_i].key), quit_cases[_i].leave);
}
END_TEST

static const int signals[] = {SIGTERM, SIGHUP};

START_TEST(test_signal_leaves)
{
    struct app_options options = live_options();
    begin_for(&options, "LIVE");
    ck_assert_int_eq(kill(child, signals[_i]), 0);
    ck_assert_int_eq(left(), APP_LEFT_SIGNAL | signals[_i] << SIGNAL_SHIFT);
}
END_TEST

/* The run has no owner, so the desk answers for it. */
START_TEST(test_acts_on_an_interrupted_run_are_answered)
{
    struct app_options options = live_options();
    start_now("alpha");
    begin(&options);
    log_writer_close(writer);
    writer = NULL;
    go();
    wait_for("INTERRUPTED");
    ck_assert_ptr_null(strstr(screen, "LIVE")); /* not even for a moment */
    wait_for("lost");
    press_for("r", "no devs is running this run: resume it with devs run --continue 1");
    press_for("jp", "beta held: no new tries");
    press_for("x", "Cancel beta?");
    wait_pressing("K", "beta: cancelled, nothing was running");
    quit();
}
END_TEST

/* Commits the end of an attempt that was never started. */
static void commit_nonsense(void)
{
    struct err err = {0};
    struct event event = story_event(&story, "alpha", EVENT_ATTEMPT_ENDED);
    event.seq = story.state.last_seq + 1;
    event.at = clock_now();
    event.attempt = 7;
    struct log_batch batch = {.events = &event, .event_count = 1};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
}

START_TEST(test_damaged_log_is_told_and_keys_work)
{
    struct app_options options = live_options();
    begin_for(&options, "LIVE");
    commit_nonsense();
    wait_for("log damaged at event 2; shown up to there");
    press_for("j\r", "Tasks > ");
    press_for("q", "gamma");
    quit();
}
END_TEST

START_TEST(test_what_is_behind_the_damage_of_a_recording_is_no_place_in_it)
{
    struct app_options options = live_options();
    options.mode = APP_REPLAY;
    begin(&options);
    commit_nonsense();
    go();
    wait_for("log damaged at event 2; shown up to there");
    press_for(".", "this is the end of the recording");
    quit();
}
END_TEST

START_TEST(test_stopped_engine_is_told)
{
    struct app_options options = live_options();
    int done[2];
    ck_assert_int_eq(pipe(done), 0);
    options.engine_here = true;
    options.engine_done_fd = done[0];
    start_now("alpha");
    begin_for(&options, "running");
    ck_assert_int_eq(write(done[1], "d", 1), 1);
    wait_for("the engine stopped before the run ended");
    wait_for("INTERRUPTED");
    wait_for("lost");
    quit();
}
END_TEST

START_TEST(test_engine_that_ends_with_its_run_is_no_fault)
{
    struct app_options options = live_options();
    int done[2];
    ck_assert_int_eq(pipe(done), 0);
    options.engine_here = true;
    options.engine_done_fd = done[0];
    all_pass();
    begin(&options);
    ck_assert_int_eq(write(done[1], "d", 1), 1);
    go();
    wait_for("ENDED");
    wait_for("3 of 3 passed");
    ck_assert_ptr_null(strstr(screen, "engine stopped"));
    quit();
}
END_TEST

START_TEST(test_P6_a_replay_steps_through_the_log)
{
    struct app_options options = live_options();
    options.mode = APP_REPLAY;
    all_pass();
    begin_for(&options, "REPLAY");
    wait_for("event 14 of 14");
    press_for("0", "event 0 of 14");
    press_for("..", "event 2 of 14");
    press_for(",", "event 1 of 14");
    press_for("]", "event 2 of 14");
    press("G");
    press_for("]", "event 10 of 14");
    press_for("r", "a replay is read only");
    press_for("0 ", "event 14 of 14");
    quit();
}
END_TEST

START_TEST(test_no_log_is_an_error)
{
    struct app_options options = live_options();
    struct app_result result;
    struct err err = {0};
    ck_assert(!app_run(&options, &result, &err));
    ck_assert_int_ne(err.code, ERR_NONE);
}
END_TEST

static void add_app_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "app");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_ended_run_does_nothing_while_idle);
    tcase_add_test(tcase, test_events_of_another_process_are_shown);
    tcase_add_test(tcase, test_P6_a_retry_is_asked_for_by_a_key_and_answered);
    tcase_add_test(tcase, test_hold_of_all_is_answered_once);
    tcase_add_test(tcase, test_act_on_very_many_is_carried_out);
    tcase_add_test(tcase, test_refusal_is_shown_in_words);
    tcase_add_test(tcase, test_correction_is_asked_answered_and_shown);
    tcase_add_test(tcase, test_new_rule_is_tried_then_saved_once);
    tcase_add_test(tcase, test_new_rule_has_nowhere_to_go);
    tcase_add_test(tcase, test_quit_waits_for_what_runs);
    tcase_add_test(tcase, test_quit_waits_for_the_engine);
    tcase_add_loop_test(tcase, test_quit_tells_the_caller_its_answer, 0, TABLE_LEN(quit_cases));
    tcase_add_loop_test(tcase, test_signal_leaves, 0, TABLE_LEN(signals));
    tcase_add_test(tcase, test_acts_on_an_interrupted_run_are_answered);
    tcase_add_test(tcase, test_damaged_log_is_told_and_keys_work);
    tcase_add_test(tcase, test_what_is_behind_the_damage_of_a_recording_is_no_place_in_it);
    tcase_add_test(tcase, test_stopped_engine_is_told);
    tcase_add_test(tcase, test_engine_that_ends_with_its_run_is_no_fault);
    tcase_add_test(tcase, test_P6_a_replay_steps_through_the_log);
    tcase_add_test(tcase, test_no_log_is_an_error);
}

enum { NOTES = 3000 };

static void tell_at_length(void)
{
    story_start(&story, "alpha");
    struct event note = event_new(EVENT_NOTE);
    note.note.note = "it goes on";
    for (int i = 0; i < NOTES; i++)
        story_add(&story, note);
    story_pass(&story, "alpha");
    story_end_run(&story);
}

START_TEST(test_first_frame_comes_before_all_is_read)
{
    struct app_options options = live_options();
    options.mode = APP_REPLAY;
    tell_at_length();
    begin_for(&options, "reading the recording [######..............] 34%: 1024 of 3006 records");
    wait_for("event 3006 of 3006");
    press_for("0", "event 0 of 3006");
    press_for("..", "event 2 of 3006");
    press_for("$", "event 3006 of 3006");
    quit();
}
END_TEST

/* Applies to a live run, too: the first frame comes before the rest is read, and acts come after
 * it. */
START_TEST(test_live_run_is_read_in_slices)
{
    struct app_options options = live_options();
    tell_at_length();
    begin_for(&options, "reading the log [######..............] 34%: 1024 of 3006 records");
    wait_for("ENDED");
    wait_for("1 passed");
    press_for(",", "event 3005 of 3006");
    press_for("$", "ENDED");
    quit();
}
END_TEST

/* With both keys pressed at once, only the first slice of the long run is read. */
START_TEST(test_recording_that_is_left_while_it_is_read_leaves_the_other_one_alone)
{
    struct app_options options = live_options();
    options.mode = APP_REPLAY;
    tell_at_length();
    begin(&options);
    begin_another("brief");
    story_start(&story, "alpha");
    story_pass(&story, "alpha");
    story_end_run(&story);
    commit();
    go();
    wait_for("REPLAY");
    press_for("0..", "event 2 of");
    press_for("6", "brief");
    press_for("j\rq", "2 runs");
    press("q");
    struct str still = {0};
    str_addf(&still, "event 2 of %lld", (long long)story.state.last_seq);
    wait_for(still.data);
    str_done(&still);
    quit();
}
END_TEST

/* A run with more records than one slice, opened on a real terminal. */
static void add_opening_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "app_opening");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_first_frame_comes_before_all_is_read);
    tcase_add_test(tcase, test_live_run_is_read_in_slices);
    tcase_add_test(tcase, test_recording_that_is_left_while_it_is_read_leaves_the_other_one_alone);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("app");
    add_app_cases(suite);
    add_opening_cases(suite);
    return suite;
}
