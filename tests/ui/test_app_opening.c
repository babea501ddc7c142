/* A run of more records than one slice has, opened on a real terminal. */
#define _XOPEN_SOURCE 700

#include "app_child.h"
#include "test_main.h"

enum { NOTES = 3000 };

static void tell_at_length(void)
{
    story_start(&story, "alpha");
    for (int i = 0; i < NOTES; i++)
        story_add(&story, (struct event){.kind = EVENT_NOTE,
                                         .task = -1,
                                         .step = -1,
                                         .text = "{\"note\":\"it goes on\"}"});
    story_pass(&story, "alpha");
    story_end_run(&story);
}

START_TEST(test_first_frame_comes_before_all_is_read)
{
    struct app_options options = live_options();
    options.mode = APP_REPLAY;
    tell_at_length();
    begin(&options);
    go();
    wait_for("reading the recording [#############.......] 68 %: 2048 of 3006 records");
    wait_for("event 3006 of 3006");
    press("0");
    wait_for("event 0 of 3006");
    press("..");
    wait_for("event 2 of 3006");
    press("$");
    wait_for("event 3006 of 3006");
    press("q");
    ck_assert_int_eq(left(), APP_LEFT);
}
END_TEST

/* Of a run that goes on, too: the first frame comes before the rest, the acts after it. */
START_TEST(test_live_run_is_read_in_slices)
{
    struct app_options options = live_options();
    tell_at_length();
    begin(&options);
    go();
    wait_for("reading the log [#############.......] 68 %: 2048 of 3006 records");
    wait_for("ENDED");
    wait_for("1 passed");
    press(",");
    wait_for("event 3005 of 3006");
    press("$");
    wait_for("ENDED");
    press("q");
    ck_assert_int_eq(left(), APP_LEFT);
}
END_TEST

/* With both keys at once nothing of the long one is read beyond its first slice. */
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
    press("0..");
    wait_for("event 2 of");
    press("6");
    wait_for("brief");
    press("j\rq");
    wait_for("2 runs");
    press("q");
    struct str still = {0};
    str_addf(&still, "event 2 of %lld", (long long)story.state.last_seq);
    wait_for(still.data);
    str_done(&still);
    press("q");
    ck_assert_int_eq(left(), APP_LEFT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("app_opening");
    TCase *tcase = test_case(suite, "app_opening");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_first_frame_comes_before_all_is_read);
    tcase_add_test(tcase, test_live_run_is_read_in_slices);
    tcase_add_test(tcase, test_recording_that_is_left_while_it_is_read_leaves_the_other_one_alone);
    return suite;
}
