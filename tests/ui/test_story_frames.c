/* The six screens of the shop's run at 14:02:37, as devs draws them without a terminal. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "compare.h"
#include "frame.h"
#include "golden.h"
#include "shop_log.h"
#include "stage.h"
#include "test_main.h"
#include "text.h"
#include "view.h"

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
    {{.at = "14:02:37", .view = "detail"}, "class    test-fail   rule test.tap at out:59"},
    /* captured data */
    {{.at = "14:02:37", .view = "forensics"}, "matched     stdout, byte 1388: \"not ok 3"},
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

static void add_story_cases(Suite *suite)
{
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
}

static void setup_sizes(void)
{
    stage_open(story_init_full, "T-104");
}

/* A wide rune is never split, and an ASCII canvas contains only ASCII. */
static void check(int rows, int columns, bool ascii)
{
    ck_assert_int_eq(canvas.rows, rows);
    ck_assert_int_eq(canvas.columns, columns);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const struct cell *cell = canvas_cell(&canvas, row, column);
            const struct cell *left = canvas_cell(&canvas, row, column - 1);
            ck_assert_msg(cell->rune != 0 || (left && rune_width(left->rune) == 2), "%dx%d: %d,%d",
                          columns, rows, row, column);
            ck_assert(!ascii || (cell->rune >= 0x20 && cell->rune < 0x7f));
            ck_assert(cell->rune == 0 || rune_is_shown(cell->rune));
        }
    }
}

/* As the app does before each frame. */
static void fit_report(int rows)
{
    const size_t count = facts.report ? facts.report->count : 0;
    view_report_fit(&view, (int)count, frame_report_rows(rows, count));
}

static void draw_all_sizes(void)
{
    static const int rows[] = {1, 2, 3, 4, 5, 6, 8, 11, 14};
    static const int columns[] = {1, 2, 3, 5, 8, 13, 19, 20, 21, 30, 39, 40, 59, 60, 79, 80, 120};
    for (int i = 0; i < TABLE_LEN(rows); i++) {
        for (int k = 0; k < TABLE_LEN(columns); k++) {
            const bool ascii = (i + k) % 2 == 0;
            fit_report(rows[i]);
            stage_draw(rows[i], columns[k], ascii);
            check(rows[i], columns[k], ascii);
        }
    }
}

static const struct {
    const char *keys;
    enum view_mode mode;
} cases[] = {
    {"", VIEW_LIVE},    {"", VIEW_REPLAY},  {"", VIEW_ENDED},   {"", VIEW_INTERRUPTED},
    {"2", VIEW_LIVE},   {"2", VIEW_REPLAY}, {"3", VIEW_LIVE},   {"3", VIEW_REPLAY},
    {"4", VIEW_LIVE},   {"4", VIEW_REPLAY}, {"5", VIEW_LIVE},   {"5", VIEW_REPLAY},
    {"6", VIEW_LIVE},   {"?", VIEW_LIVE},   {"?tr", VIEW_LIVE}, {"x", VIEW_LIVE},
    {"R", VIEW_LIVE},   {"q", VIEW_LIVE},   {"/no", VIEW_LIVE}, {":ho", VIEW_LIVE},
    {"s", VIEW_LIVE},   {"C", VIEW_LIVE},   {"2z", VIEW_LIVE},  {"\tz", VIEW_LIVE},
    {"b1", VIEW_LIVE},  {"!", VIEW_LIVE},   {"*", VIEW_LIVE},   {"2?", VIEW_REPLAY},
    {"m", VIEW_REPLAY}, {"L", VIEW_REPLAY}, {"=b", VIEW_LIVE},
};

START_TEST(test_every_screen_at_every_small_size)
{
    facts.mode = cases[_i].mode;
    stage_draw(24, 80, false);
    for (const char *key = cases[_i].keys; *key != '\0'; key++)
        (void)view_key(&view, (uint32_t)(unsigned char)*key, &facts);
    draw_all_sizes();
}
END_TEST

START_TEST(test_report_at_every_small_size)
{
    static struct compare compare;
    struct report_rows rows = {0};
    str_add(&compare.sides[COMPARE_FIRST].name, "#1/T-104 try 1 of GREEN");
    str_add(&compare.sides[COMPARE_SECOND].name, "#1/日本語 try 2 of GREEN");
    for (int columns = 1; columns <= 81; columns += 40) {
        const struct compare_look look = {.columns = columns, .ascii = columns > 1};
        compare_lay(&compare, &look, &rows);
        facts.report = &rows;
        view.report.kind = REPORT_COMPARE;
        view.report.top = columns; /* scrolled on a larger screen */
        draw_all_sizes();
    }
    report_rows_done(&rows);
    compare_done(&compare);
}
END_TEST

START_TEST(test_strange_titles_at_every_small_size)
{
    story_done(&story);
    view_done(&view);
    story_init_tasks(
        &story, "{\"id\": \"T-1\", \"title\": \"日本語 👩\u200d👩\u200d👧 🇩🇪 ❤\ufe0f e\u0301\u0302 "
                "\u202eevil\u202c \\u001b[2J \u061c\", \"steps\": [{\"phase\": "
                "\"GREEN\", \"run\": [\"true\"], \"idempotent\": true}]}");
    view_init(&view, story.plan->task_count);
    facts.state = &story.state;
    facts.log = &story.tail;
    story_start(&story, "T-1");
    story_say(&story, "T-1", "日本語\033[2J\tx\r\ny \xff\xfe \u2066z\n");
    view.chosen = 0;
    if (_i > 0)
        (void)view_key(&view, (uint32_t)('0' + _i), &facts);
    draw_all_sizes();
}
END_TEST

/* With a banner, a gate and the lines of a replay, the list keeps a row, and the preview gets none
 * of them. */
START_TEST(test_list_has_a_row_below_all_that_may_be_above_it)
{
    story_done(&story);
    view_done(&view);
    story_init_retries(&story);
    view_init(&view, story.plan->task_count);
    facts.state = &story.state;
    facts.mode = VIEW_REPLAY;
    facts.banner = "log not readable";
    facts.replay = &story.replay;
    const struct frame_input input = {.facts = &facts, .view = &view};
    for (int rows = 12; rows < 20; rows++) {
        for (int columns = 60; columns <= 120; columns += 20) {
            const struct frame_layout layout = frame_layout(rows, columns, &input);
            ck_assert_int_gt(layout.heads, layout.gate);
            ck_assert_int_ge(layout.list.rows, 1);
            ck_assert_int_eq(layout.preview_rule, layout.list.row + layout.list.rows);
            ck_assert_int_le(layout.preview.row + layout.preview.rows, layout.edges.bottom_rule);
        }
    }
}
END_TEST

/* Every screen at every small size: always works, draws nothing outside, and contains only what a
 * canvas allows. */
static void add_sizes_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "sizes");
    tcase_add_checked_fixture(tcase, setup_sizes, stage_close);
    tcase_add_loop_test(tcase, test_every_screen_at_every_small_size, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_report_at_every_small_size);
    tcase_add_loop_test(tcase, test_strange_titles_at_every_small_size, 0, 7);
    tcase_add_test(tcase, test_list_has_a_row_below_all_that_may_be_above_it);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("story_frames");
    add_story_cases(suite);
    add_sizes_cases(suite);
    return suite;
}
