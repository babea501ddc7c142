#include "clock_find.h"

#include <stdlib.h>
#include <time.h>

#include "test_main.h"

/* 2025-11-20 13:50:00.400 to 14:02:37 UTC, and a minute before midnight. */
static const struct clock_span noon = {1763646600400, 1763647357000};
static const struct clock_span night = {1763682900000, 1763683500000}; /* 23:55 to 00:05 */

static void set_zone(const char *zone)
{
    ck_assert_int_eq(setenv("TZ", zone, 1), 0);
    tzset();
}

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

Suite *test_suite(void)
{
    Suite *suite = suite_create("clock_find");
    TCase *tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_words_are_a_moment, 0, TABLE_LEN(found));
    tcase_add_loop_test(tcase, test_other_words_are_refused, 0, TABLE_LEN(nonsense));
    return suite;
}
