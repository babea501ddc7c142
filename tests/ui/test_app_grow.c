/* The cockpit on the log of a run whose plan grows: a frame of any event. */
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "log_sample.h"
#include "test_main.h"

static struct sample sample;
static struct str frame;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 0);
    sample_start(&sample);
    frame = (struct str){0};
}

static void teardown(void)
{
    str_done(&frame);
    sample_done(&sample);
}

static void draw(int64_t seq)
{
    const struct app_options options = {
        .place = &sample.place, .mode = APP_LIVE, .by = "ann", .engine_done_fd = -1};
    char at[24];
    (void)snprintf(at, sizeof(at), "#%lld", (long long)seq);
    const struct app_picture picture = {.at = seq > 0 ? at : NULL, .rows = 40, .columns = 100};
    struct err err = {0};
    str_clear(&frame);
    ck_assert_msg(app_draw_picture(&options, &picture, &frame, &err), "%s", err.message);
}

static bool shows(const char *text)
{
    return strstr(str_text(&frame), text) != NULL;
}

START_TEST(test_a_run_without_tasks_is_shown)
{
    draw(0);
    ck_assert(shows("sample"));
    ck_assert(!shows("t000"));
}
END_TEST

START_TEST(test_rows_appear_as_tasks_are_added)
{
    sample_add(&sample, 2);
    int64_t then = sample.state.last_seq;
    sample_add(&sample, 5);
    sample_drive(&sample);
    draw(then);
    ck_assert(shows("t000"));
    ck_assert(shows("t001"));
    ck_assert(!shows("t002"));
    draw(0);
    ck_assert(shows("t006"));
    ck_assert(shows("gave up") || shows("gave-up"));
}
END_TEST

START_TEST(test_every_event_can_be_drawn)
{
    sample_add(&sample, 7);
    sample_drive(&sample);
    for (int64_t seq = 1; seq <= sample.state.last_seq; seq++)
        draw(seq);
    ck_assert(shows("t006"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("app_grow");
    TCase *frames = test_case(suite, "frames");
    tcase_add_checked_fixture(frames, setup, teardown);
    tcase_add_test(frames, test_a_run_without_tasks_is_shown);
    tcase_add_test(frames, test_rows_appear_as_tasks_are_added);
    tcase_add_test(frames, test_every_event_can_be_drawn);
    return suite;
}
