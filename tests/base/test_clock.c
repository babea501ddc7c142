#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rounded.h"
#include "test_main.h"
#include "zone.h"

typedef const char *clock_text_fn(int64_t at_ms, char out[CLOCK_TEXT_MAX]);

static void set_zone(const char *zone)
{
    ck_assert_int_eq(setenv("TZ", zone, 1), 0);
    tzset();
}

static const struct {
    const char *name;
    clock_text_fn *text;
    const char *zone;
    int64_t at_ms;
    const char *want;
} texts[] = {
    {"hms", clock_hms, "UTC", 1700000000123, "22:13:20"},
    {"hms_ms", clock_hms_ms, "UTC", 1700000000123, "22:13:20.123"},
    {"hms_ms pads", clock_hms_ms, "UTC", 1700000000007, "22:13:20.007"},
    {"date", clock_date, "UTC", 1700000000123, "2023-11-14 22:13:20"},
    {"rfc3339", clock_rfc3339, "UTC", 1700000000123, "2023-11-14T22:13:20.123Z"},
    {"epoch", clock_rfc3339, "UTC", 0, "1970-01-01T00:00:00.000Z"},
    {"before 1970", clock_rfc3339, "UTC", -1, "1969-12-31T23:59:59.999Z"},
    {"leap day", clock_rfc3339, "UTC", 1709164800000, "2024-02-29T00:00:00.000Z"},
    {"hms is local", clock_hms, "XYZ-2", 1700000000123, "00:13:20"},
    {"hms_ms is local", clock_hms_ms, "XYZ-2", 1700000000123, "00:13:20.123"},
    {"date is local", clock_date, "XYZ-2", 1700000000123, "2023-11-15 00:13:20"},
    {"rfc3339 is UTC", clock_rfc3339, "XYZ-2", 1700000000123, "2023-11-14T22:13:20.123Z"},
    {"the last date fits", clock_rfc3339, "UTC", INT64_MAX, "292278994-08-17T07:12:55.807Z"},
};

START_TEST(test_text)
{
    char out[CLOCK_TEXT_MAX];
    set_zone(texts[_i].zone);

    const char *text = texts[_i].text(texts[_i].at_ms, out);

    ck_assert_ptr_eq(text, out);
    ck_assert_msg(strcmp(text, texts[_i].want) == 0, "%s: %s", texts[_i].name, text);
}
END_TEST

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS };

/* From 22:13:20 on Tuesday, 14 November 2023, UTC. */
static const struct {
    const char *name;
    const char *zone;
    int64_t later_ms;
    const char *want;
} shorts[] = {
    {"the same day", "UTC", HOUR_MS, "23:13"},
    {"earlier that day", "UTC", -2 * (int64_t)HOUR_MS, "20:13"},
    {"the next day", "UTC", 2 * (int64_t)HOUR_MS, "Wed 00:13"},
    {"the day is the zone's", "XYZ-2", 2 * (int64_t)HOUR_MS, "02:13"},
    {"within a week", "UTC", 6 * (int64_t)DAY_MS, "Mon 22:13"},
    {"a week away", "UTC", 7 * (int64_t)DAY_MS, "21 Nov 22:13"},
};

START_TEST(test_short)
{
    char out[CLOCK_TEXT_MAX];
    const int64_t now_ms = 1700000000123;
    set_zone(shorts[_i].zone);
    const char *text = clock_short(now_ms + shorts[_i].later_ms, now_ms, out);
    ck_assert_msg(strcmp(text, shorts[_i].want) == 0, "%s: %s", shorts[_i].name, text);
}
END_TEST

START_TEST(test_now_agrees_with_the_system)
{
    struct timespec before = {0};
    struct timespec after = {0};

    ck_assert_int_eq(clock_gettime(CLOCK_REALTIME, &before), 0);
    struct moment now = clock_now();
    ck_assert_int_eq(clock_gettime(CLOCK_REALTIME, &after), 0);

    ck_assert_int_ge(now.at_ms / 1000, before.tv_sec);
    ck_assert_int_le(now.at_ms / 1000, after.tv_sec);
}
END_TEST

START_TEST(test_mono_never_goes_back_and_units_agree)
{
    int64_t first_us = clock_mono_us();
    struct moment between = clock_now();
    int64_t last_us = clock_mono_us();

    ck_assert_int_le(first_us / 1000, between.mono_ms);
    ck_assert_int_le(between.mono_ms, last_us / 1000);
    ck_assert_int_gt(first_us, 0);
}
END_TEST

START_TEST(test_a_clock_that_was_set_is_noticed)
{
    static const struct {
        const char *name;
        struct moment then, now;
        int64_t want; /* 0: not noticed */
    } cases[] = {
        {"time passes",
         {.at_ms = 1000000, .mono_ms = 5},
         {.at_ms = 9000000, .mono_ms = 8000005},
         0},
        {"an hour back",
         {.at_ms = 9000000, .mono_ms = 5},
         {.at_ms = 5401000, .mono_ms = 1005},
         -3600000},
        {"ahead",
         {.at_ms = 9000000, .mono_ms = 5},
         {.at_ms = 9002000, .mono_ms = 5},
         CLOCK_JUMP_MS},
        {"kept right", {.at_ms = 9000000, .mono_ms = 5}, {.at_ms = 9001999, .mono_ms = 5}, 0},
    };
    for (int i = 0; i < TABLE_LEN(cases); i++) {
        struct clock_jump jump = {0};
        int64_t moved_ms = 0;
        ck_assert_msg(!clock_jump_look(&jump, &cases[i].then, &moved_ms), "%s", cases[i].name);
        bool seen = clock_jump_look(&jump, &cases[i].now, &moved_ms);
        ck_assert_msg(seen == (cases[i].want != 0), "%s", cases[i].name);
        ck_assert_int_eq(moved_ms, cases[i].want);
        ck_assert_msg(!clock_jump_look(&jump, &cases[i].now, &moved_ms), "%s", cases[i].name);
    }
}
END_TEST

static const struct {
    int64_t value, unit, want;
} figures[] = {
    {-3599999, 1000, -3600},
    {-3599500, 1000, -3600},
    {-3599499, 1000, -3599},
    {-1, 1000, 0},
    {0, 1000, 0},
    {499, 1000, 0},
    {500, 1000, 1},
    {3600001, 1000, 3600},
    {7, 5, 1},
    {8, 5, 2},
    {INT64_MAX, 1, INT64_MAX},
    {INT64_MAX, 1000, INT64_MAX / 1000 + 1},
    {INT64_MIN, 1000, INT64_MIN / 1000 - 1},
    {INT64_MIN, INT64_MAX, -1},
};

START_TEST(test_figure_is_rounded)
{
    ck_assert_int_eq(rounded(figures[_i].value, figures[_i].unit), figures[_i].want);
}
END_TEST

/* 2025-11-20 13:50:00.400 to 14:02:37 UTC, and a minute before midnight. */
static const struct clock_span noon = {1763646600400, 1763647357000};
static const struct clock_span night = {1763682900000, 1763683500000}; /* 23:55 to 00:05 */

static const struct {
    const char *words, *zone;
    const struct clock_span *span;
    int64_t want_ms;
} found[] = {
    {"14:00:31", "UTC", &noon, 1763647231000},
    {"14:00", "UTC", &noon, 1763647200000},
    {"13:50", "UTC", &noon, 1763646600000},
    {"13:50:00", "UTC", &noon, 1763646600000},
    {"13:49", "UTC", &noon, 1763646540000},  /* before it, not a day later */
    {"00:30", "UTC", &night, 1763685000000}, /* after it, not a day before */
    {"23:54", "UTC", &night, 1763682840000},
    {"00:01", "UTC", &night, 1763683260000},
    {"23:57", "UTC", &night, 1763683020000},
    {"15:00:31", "XYZ-1", &noon, 1763647231000},
    {"-2m", "UTC", &noon, 1763647237000},
    {"-90s", "UTC", &noon, 1763647267000},
    {"-1:30", "UTC", &noon, 1763647267000},
    {"-1h", "UTC", &noon, 1763643757000},
    {"2025-11-20 14:00", "UTC", &noon, 1763647200000},
    {"2025-11-20T14:00:31", "UTC", &noon, 1763647231000},
    {"2025-11-20T14:00:31Z", "XYZ-1", &noon, 1763647231000},
    {"2025-11-20 15:00:31", "XYZ-1", &noon, 1763647231000},
};

START_TEST(test_words_are_a_moment)
{
    struct err err = {0};
    int64_t at_ms = 0;
    set_zone(found[_i].zone);
    ck_assert_msg(clock_find(found[_i].words, found[_i].span, &at_ms, &err), "%s: %s",
                  found[_i].words, err.message);
    ck_assert_msg(at_ms == found[_i].want_ms, "%s: %lld", found[_i].words, (long long)at_ms);
}
END_TEST

static const char *const nonsense[] = {
    "",
    "noon",
    "-",
    "-m",
    "2m",
    "-1:5",
    "-1:75",
    "14",
    "25:00",
    "14:00:31 x",
    "-99999999h",
    "2025-11-20",
    "2025-02-31 14:00",
    "2025-11-31T14:00Z",
};

START_TEST(test_other_words_are_refused)
{
    struct err err = {0};
    int64_t at_ms = 0;
    set_zone("UTC");
    ck_assert_msg(!clock_find(nonsense[_i], &noon, &at_ms, &err), "%s", nonsense[_i]);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(test_zones_of_the_system)
{
    int offset = -1;
    if (!zone_offset(NULL, "UTC", 1795224000, &offset)) {
        (void)printf("skipped: no zones are installed\n");
        return;
    }
    ck_assert_int_eq(offset, 0);
    if (!zone_offset(NULL, "Europe/Berlin", 1795224000, &offset)) {
        (void)printf("skipped: UTC alone is installed\n");
        return;
    }
    ck_assert_int_eq(offset, 3600);
    ck_assert(zone_offset(NULL, "Europe/Berlin", 1782000000, &offset));
    ck_assert_int_eq(offset, 7200);
    ck_assert(zone_offset(NULL, "America/Los_Angeles", 1795224000, &offset));
    ck_assert_int_eq(offset, -28800);
    ck_assert(zone_offset(NULL, "Asia/Kolkata", 1795224000, &offset));
    ck_assert_int_eq(offset, 19800);
    ck_assert(zone_offset(NULL, "Europe/Berlin", 315532800, &offset)); /* 1980 */
    ck_assert_int_eq(offset, 3600);
    /* 2100, after the last listed change: with and without daylight saving time */
    ck_assert(!zone_offset(NULL, "Europe/Berlin", 4102444800, &offset));
    ck_assert(zone_offset(NULL, "Asia/Kolkata", 4102444800, &offset));
    ck_assert_int_eq(offset, 19800);
}
END_TEST

static const char *const bad_names[] = {
    "", "/etc/passwd", "../../../etc/passwd", "Europe/Nowhere", "Europe", "zone.tab", "a b",
};

START_TEST(test_bad_name)
{
    int offset = 0;
    ck_assert(!zone_offset(NULL, bad_names[_i], 0, &offset));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("clock");
    tcase_add_loop_test(test_case(suite, "text"), test_text, 0, TABLE_LEN(texts));
    tcase_add_loop_test(test_case(suite, "short"), test_short, 0, TABLE_LEN(shorts));
    tcase_add_loop_test(test_case(suite, "rounded"), test_figure_is_rounded, 0, TABLE_LEN(figures));
    TCase *now = test_case(suite, "now");
    tcase_add_test(now, test_now_agrees_with_the_system);
    tcase_add_test(now, test_mono_never_goes_back_and_units_agree);
    tcase_add_test(now, test_a_clock_that_was_set_is_noticed);
    TCase *words = test_case(suite, "words");
    tcase_add_loop_test(words, test_words_are_a_moment, 0, TABLE_LEN(found));
    tcase_add_loop_test(words, test_other_words_are_refused, 0, TABLE_LEN(nonsense));
    TCase *zones = test_case(suite, "zone");
    tcase_add_test(zones, test_zones_of_the_system);
    tcase_add_loop_test(zones, test_bad_name, 0, TABLE_LEN(bad_names));
    return suite;
}
