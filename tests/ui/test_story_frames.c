/* The six screens of the shop's run at 14:02:37, as devs draws them without a terminal. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "golden.h"
#include "shop_log.h"
#include "test_main.h"

static struct place place;

static void setup(void)
{
    char path[PATH_MAX];
    struct err err = {0};
    ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
    tzset();
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert_msg(place_find(path, true, &place, &err), "%s", err.message);
    ck_assert_msg(shop_log_write(&place, &err), "%s", err.message);
}

static void draw(const struct app_picture *picture, bool ascii, struct str *out)
{
    const struct app_options options = {
        .place = &place, .mode = APP_LIVE, .by = "ann", .engine_done_fd = -1, .ascii = ascii};
    struct err err = {0};
    str_clear(out);
    ck_assert_msg(app_draw_picture(&options, picture, out, &err), "%s", err.message);
}

static const char *const views[] = {"tasks", "detail", "log", "forensics", "timeline", "runs"};

static const struct {
    int columns, rows;
} sizes[] = {{80, 24}, {140, 40}, {60, 20}, {40, 12}, {24, 3}};

static void check_size(size_t size, bool ascii)
{
    struct str frame = {0};
    for (int i = 0; i < TABLE_LEN(views); i++) {
        const struct app_picture picture = {.at = "14:02:37",
                                            .task = "T-104",
                                            .view = views[i],
                                            .rows = sizes[size].rows,
                                            .columns = sizes[size].columns};
        char name[64];
        (void)snprintf(name, sizeof(name), "story-%s-%dx%d%s", views[i], picture.columns,
                       picture.rows, ascii ? "-ascii" : "");
        draw(&picture, ascii, &frame);
        golden_check_text(str_text(&frame), name);
    }
    str_done(&frame);
}

/* The tasks of a recording at 14:00:31. */
static void check_replay(size_t size, bool ascii)
{
    const struct app_picture picture = {.at = "14:00:31",
                                        .task = "T-104",
                                        .is_replay = true,
                                        .rows = sizes[size].rows,
                                        .columns = sizes[size].columns};
    struct str frame = {0};
    char name[64];
    (void)snprintf(name, sizeof(name), "story-replay-%dx%d%s", picture.columns, picture.rows,
                   ascii ? "-ascii" : "");
    draw(&picture, ascii, &frame);
    golden_check_text(str_text(&frame), name);
    str_done(&frame);
}

START_TEST(test_P6_a_recording_has_its_records_and_its_time)
{
    check_replay((size_t)_i, false);
    check_replay((size_t)_i, true);
}
END_TEST

START_TEST(test_P4_views_of_a_run)
{
    check_size((size_t)_i, false);
}
END_TEST

START_TEST(test_P4_views_of_a_run_in_ascii)
{
    check_size((size_t)_i, true);
}
END_TEST

static const struct {
    struct app_picture picture;
    const char *wants;
} told[] = {
    /* phase, tries, countdown, class */
    {{.at = "14:02:37"}, "checkout: tax rounding R✓G▸V·F·  3/6  in 0:18     test-fail"},
    {{.at = "14:02:50"}, "checkout: tax rounding R✓G▸V·F·  3/6  in 0:05     test-fail"},
    {{.at = "14:02:37"}, "next   try 4 in 0:18, at 14:02:55"},
    {{.at = "14:01:00"}, "checkout: tax rounding R✓G▸V·F·  3/6  0:37        —"},
    /* for each try, with the reason */
    {{.at = "14:02:37", .view = "detail"}, "G✗    14:00:23 1:47    0:22   1           test-fail"},
    {{.at = "14:02:37", .view = "detail"},
     "why      rule test.tap at out:59: \"not ok 3 - rounds half to even\""},
    /* captured data */
    {{.at = "14:02:37", .view = "forensics"}, "why         rule test.tap at out:59: \"not ok 3"},
    {{.at = "14:02:37", .view = "forensics"}, "exit 1  test-fail  14:02:10  ran 1:47"},
};

START_TEST(test_P4_phase_tries_countdown_class_and_captures_are_told)
{
    struct app_picture picture = told[_i].picture;
    struct str frame = {0};
    picture.task = "T-104";
    picture.rows = 24;
    picture.columns = 80;
    draw(&picture, false, &frame);
    ck_assert_msg(strstr(str_text(&frame), told[_i].wants) != NULL, "no '%s' in:\n%s",
                  told[_i].wants, str_text(&frame));
    str_done(&frame);
}
END_TEST

/* The state at a moment depends only on the log up to it, never on later events. */
START_TEST(test_an_earlier_moment)
{
    struct str frame = {0};
    draw(&(struct app_picture){.at = "14:00:31", .task = "T-104", .rows = 24, .columns = 80}, false,
         &frame);
    golden_check_text(str_text(&frame), "story-then-80x24");
    str_done(&frame);
}
END_TEST

static const struct {
    struct app_picture picture;
    enum err_code code;
} refused[] = {
    {{.at = "noon", .rows = 24, .columns = 80}, ERR_INVALID},
    {{.at = "#4000", .rows = 24, .columns = 80}, ERR_NOT_FOUND},
    {{.view = "clock", .rows = 24, .columns = 80}, ERR_INVALID},
    {{.task = "T-1", .rows = 24, .columns = 80}, ERR_NOT_FOUND},
};

START_TEST(test_what_is_not_there_is_told)
{
    const struct app_options options = {.place = &place, .engine_done_fd = -1};
    struct str frame = {0};
    struct err err = {0};
    ck_assert(!app_draw_picture(&options, &refused[_i].picture, &frame, &err));
    ck_assert_msg(err.code == refused[_i].code, "%s", err.message);
    ck_assert_uint_eq(frame.len, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("story_frames");
    TCase *tcase = test_case(suite, "story");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, test_P4_views_of_a_run, 0, TABLE_LEN(sizes));
    tcase_add_loop_test(tcase, test_P6_a_recording_has_its_records_and_its_time, 0,
                        TABLE_LEN(sizes));
    tcase_add_loop_test(tcase, test_P4_views_of_a_run_in_ascii, 0, TABLE_LEN(sizes));
    tcase_add_loop_test(tcase, test_P4_phase_tries_countdown_class_and_captures_are_told, 0,
                        TABLE_LEN(told));
    tcase_add_test(tcase, test_an_earlier_moment);
    tcase_add_loop_test(tcase, test_what_is_not_there_is_told, 0, TABLE_LEN(refused));
    return suite;
}
