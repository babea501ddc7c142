/* Recordings of a run on the cockpit's screens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "app_cast.h"
#include "log_sample.h"
#include "test_main.h"

static struct sample sample;
static struct theme theme;
static struct str cast; /* what was written */
static bool stops;      /* abort when half of it is reported */
static int written;     /* pieces passed to write_none() */
static int64_t told;    /* the latest progress reported */

static void setup(void)
{
    ck_assert(theme_named("auto", &theme));
    cast = (struct str){0};
    told = -1;
    written = 0;
    stops = false;
}

static void teardown(void)
{
    str_done(&cast);
    sample_done(&sample);
}

static void record(int tasks)
{
    struct place place = sample_place();
    sample_open(&sample, &place, tasks);
    sample_start(&sample);
    if (tasks == 0) {
        sample_add(&sample, 1);
        sample_drive(&sample);
        sample_add(&sample, 3);
    }
    sample_drive(&sample);
}

static bool write_bytes(void *ctx, const char *bytes, size_t len, struct err *err)
{
    (void)ctx;
    (void)err;
    str_add_n(&cast, bytes, len);
    return true;
}

static bool write_none(void *ctx, const char *bytes, size_t len, struct err *err)
{
    (void)ctx;
    (void)bytes;
    return written++ == 0 || err_set(err, ERR_IO, "full after %zu bytes", len);
}

static bool tell(void *ctx, int64_t done, int64_t all, struct err *err)
{
    (void)ctx;
    if (stops && done > all / 2)
        return err_set(err, ERR_BUSY, "enough");
    ck_assert_int_le(done, all);
    ck_assert_int_ge(done, told);
    told = done;
    return true;
}

static bool play(const struct app_cast *wanted, struct err *err)
{
    const struct app_options options = {
        .place = &sample.place, .mode = APP_LIVE, .by = "ann", .engine_done_fd = -1};
    struct app_cast asked = *wanted;
    asked.theme = &theme;
    if (asked.rows == 0) {
        asked.rows = 24;
        asked.columns = 80;
    }
    told = -1;
    asked.speed = asked.speed > 0 ? asked.speed : 1;
    asked.tell = tell;
    if (!asked.write)
        asked.write = write_bytes;
    str_clear(&cast);
    return app_cast_write(&options, &asked, err);
}

static void play_well(const struct app_cast *wanted)
{
    struct err err = {0};
    ck_assert_msg(play(wanted, &err), "%s", err.message);
    ck_assert_int_eq(strncmp(str_text(&cast), "{\"version\":2,", 13), 0);
}

/* Returns the time of the last line, in seconds. */
static double last_second(void)
{
    const char *line = strrchr(str_text(&cast), '[');
    while (line && line > str_text(&cast) && line[-1] != '\n')
        line--;
    ck_assert_ptr_nonnull(line);
    return strtod(line + strspn(line, "["), NULL);
}

START_TEST(test_a_run_is_played_from_its_start_to_its_end)
{
    const struct app_cast wanted = {0};
    record(6);
    play_well(&wanted);
    ck_assert_ptr_nonnull(strstr(str_text(&cast), "\\u001b[2J"));
    ck_assert_ptr_nonnull(strstr(str_text(&cast), "sample"));
    ck_assert_ptr_nonnull(strstr(str_text(&cast), "passed"));
    ck_assert_int_gt(told, 0);
}
END_TEST

START_TEST(test_quicker_is_shorter)
{
    record(6);
    play_well(&(const struct app_cast){.speed = 1});
    const double slow = last_second();
    play_well(&(const struct app_cast){.speed = 8});
    const double still = (double)APP_CAST_STILL_MS / 1000;
    ck_assert_double_gt(slow, 1.0 + still);
    ck_assert_double_lt(last_second() - still, (slow - still) / 4);
}
END_TEST

/* There are no tasks at first; they are added one by one. */
START_TEST(test_a_run_that_grows_is_played_on_each_screen)
{
    static const char *const views[] = {"tasks", "detail", "log", "forensics", "timeline", "runs"};
    record(0);
    for (size_t i = 0; i < ARRAY_LEN(views); i++)
        play_well(&(const struct app_cast){.view = views[i], .rows = 3, .columns = 24});
    play_well(&(const struct app_cast){.task = "t002"});
    ck_assert_ptr_nonnull(strstr(str_text(&cast), "t002"));
}
END_TEST

START_TEST(test_words_that_fit_nothing_are_refused)
{
    struct err err = {0};
    record(3);
    ck_assert(!play(&(const struct app_cast){.task = "nosuch"}, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    err = (struct err){0};
    ck_assert(!play(&(const struct app_cast){.view = "moon"}, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(test_what_cannot_be_written_ends_it)
{
    struct err err = {0};
    record(3);
    ck_assert(!play(&(const struct app_cast){.write = write_none}, &err));
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_int_eq(written, 2);
}
END_TEST

START_TEST(test_it_ends_where_it_is_told_to)
{
    struct err err = {0};
    record(6);
    stops = true;
    ck_assert(!play(&(const struct app_cast){.speed = 1}, &err));
    ck_assert_int_eq(err.code, ERR_BUSY);
}
END_TEST

static void add_cast_cases(Suite *suite)
{
    TCase *runs = test_case(suite, "runs");
    tcase_add_checked_fixture(runs, setup, teardown);
    tcase_add_test(runs, test_a_run_is_played_from_its_start_to_its_end);
    tcase_add_test(runs, test_quicker_is_shorter);
    tcase_add_test(runs, test_a_run_that_grows_is_played_on_each_screen);
    tcase_add_test(runs, test_words_that_fit_nothing_are_refused);
    tcase_add_test(runs, test_what_cannot_be_written_ends_it);
    tcase_add_test(runs, test_it_ends_where_it_is_told_to);
}

static struct sample sample_grow;
static struct str frame;

static void setup_grow(void)
{
    struct place place = sample_place();
    sample_open(&sample_grow, &place, 0);
    sample_start(&sample_grow);
    frame = (struct str){0};
}

static void teardown_grow(void)
{
    str_done(&frame);
    sample_done(&sample_grow);
}

static void draw(int64_t seq)
{
    const struct app_options options = {
        .place = &sample_grow.place, .mode = APP_LIVE, .by = "ann", .engine_done_fd = -1};
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
    sample_add(&sample_grow, 2);
    int64_t then = sample_grow.state.last_seq;
    sample_add(&sample_grow, 5);
    sample_drive(&sample_grow);
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
    sample_add(&sample_grow, 7);
    sample_drive(&sample_grow);
    for (int64_t seq = 1; seq <= sample_grow.state.last_seq; seq++)
        draw(seq);
    ck_assert(shows("t006"));
}
END_TEST

/* The cockpit on the log of a run whose plan grows: a frame at any event. */
static void add_grow_cases(Suite *suite)
{
    TCase *frames = test_case(suite, "frames");
    tcase_add_checked_fixture(frames, setup_grow, teardown_grow);
    tcase_add_test(frames, test_a_run_without_tasks_is_shown);
    tcase_add_test(frames, test_rows_appear_as_tasks_are_added);
    tcase_add_test(frames, test_every_event_can_be_drawn);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("app_picture");
    add_cast_cases(suite);
    add_grow_cases(suite);
    return suite;
}
