/* A recording of more records than one slice has, opened on a real terminal. */
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("app_opening");
    TCase *tcase = test_case(suite, "app_opening");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, test_first_frame_comes_before_all_is_read);
    return suite;
}
