#include "classify_internal.h"

#include <string.h>

#include "test_main.h"

enum { HOUR = 3600 * 1000 };
#define NOW_MS 1795223940000LL /* 21 Nov 2026 01:19:00 UTC */

static bool east(void *ctx, const char *zone, int64_t at_s, int *offset_s)
{
    (void)ctx;
    (void)at_s;
    *offset_s = 2 * 3600;
    return strcmp(zone, "Europe/Helsinki") == 0;
}

static const char long_zone[] = "Etc/0123456789012345678901234567890123456789012345678901234567890"
                                "12345678901234567890123456789012345678901234567890123456789";

static const struct {
    const char *form;
    const char *time;
    int64_t want_ms;
    const char *zone;
    bool no_clock, no_zones;
} cases[] = {
    {.form = "duration", .time = "30", .want_ms = 30000},
    {.form = "duration", .time = "1.5s", .want_ms = 1500},
    {.form = "duration", .time = "1.5.5s", .want_ms = -1},
    {.form = "duration", .time = "5.", .want_ms = -1},
    {.form = "duration", .time = "5.x", .want_ms = -1},
    {.form = "duration", .time = ".5s", .want_ms = -1},
    {.form = "duration",
     .time = "3 days, 4 hours",
     .want_ms = 100 * (int64_t)HOUR - 24 * (int64_t)HOUR},
    {.form = "duration", .time = "1 Hour and 5 MIN", .want_ms = 65 * 60000},
    {.form = "duration", .time = "1 hour and", .want_ms = -1},
    {.form = "duration", .time = "2h,", .want_ms = 2 * HOUR},
    {.form = "duration", .time = "2h,30m", .want_ms = 150 * 60000},
    {.form = "duration", .time = "5 fortnights", .want_ms = -1},
    {.form = "duration", .time = "5_s", .want_ms = -1},
    {.form = "duration", .time = "0s", .want_ms = 0},
    {.form = "duration", .time = "366 days", .want_ms = 366 * 24 * (int64_t)HOUR},
    {.form = "duration", .time = "367 days", .want_ms = -1},
    {.form = "pushback", .time = "1500", .want_ms = 1500},
    {.form = "pushback", .time = "-1", .want_ms = HINT_STOP},
    {.form = "pushback", .time = "x", .want_ms = HINT_STOP},
    {.form = "http-date", .time = "Sat, 21 Nov 2026 01:20:00 GMT", .want_ms = 60000},
    {.form = "http-date", .time = "Sat, 21 Nov 2026 01:18:00 GMT", .want_ms = 0},
    {.form = "http-date", .time = "Sat, 21 Nov 2026 01:20:00 GMT", .want_ms = -1, .no_clock = true},
    {.form = "http-date",
     .time = "Sat, 21 Nov 2028 01:20:00 GMT",
     .want_ms = -1}, /* two years are no wait */
    {.form = "http-date", .time = "tomorrow", .want_ms = -1},
    {.form = "rfc3339", .time = "2026-11-21T01:19:01.5Z", .want_ms = 1500},
    {.form = "rfc3339", .time = "2026-11-21", .want_ms = -1},
    {.form = "epoch", .time = "1795223950", .want_ms = 10000},
    {.form = "epoch", .time = "1795223950000", .want_ms = 10000},
    {.form = "epoch", .time = "1795223930", .want_ms = 0},
    {.form = "epoch", .time = "45", .want_ms = 45000},
    {.form = "epoch", .time = "1795223950", .want_ms = -1, .no_clock = true},
    {.form = "epoch", .time = "", .want_ms = -1},
    {.form = "epoch", .time = "12345678901234567890123", .want_ms = -1},
    {.form = "epoch", .time = "17952x3950", .want_ms = -1},
    {.form = "clock", .time = "6am", .want_ms = 2 * HOUR + 41 * 60000, .zone = "Europe/Helsinki"},
    {.form = "clock",
     .time = "3am",
     .want_ms = 23 * HOUR + 41 * 60000,
     .zone = "Europe/Helsinki"}, /* past: tomorrow's */
    {.form = "clock", .time = "3am", .want_ms = HOUR},
    {.form = "clock", .time = "3am", .want_ms = HOUR, .zone = "Mars/Olympus"},
    {.form = "clock", .time = "3am", .want_ms = HOUR, .zone = long_zone},
    {.form = "clock", .time = "3am", .want_ms = HOUR, .zone = "Europe/Helsinki", .no_zones = true},
    {.form = "clock", .time = "3am", .want_ms = HOUR, .zone = "Europe/Helsinki", .no_clock = true},
    {.form = "clock",
     .time = "Nov 24, 3:19am",
     .want_ms = 72 * (int64_t)HOUR,
     .zone = "Europe/Helsinki"},
    {.form = "clock", .time = "Nov 20, 3am", .want_ms = 0, .zone = "Europe/Helsinki"},
    {.form = "clock",
     .time = "Jan 2, 3:19am",
     .want_ms = 42 * 24 * (int64_t)HOUR,
     .zone = "Europe/Helsinki"},
    {.form = "clock", .time = "noon", .want_ms = -1, .zone = "Europe/Helsinki"},
    {.form = "hour", .time = "3pm", .want_ms = HOUR},
};

START_TEST(test_form)
{
    struct classify_input input = {.now_ms = cases[_i].no_clock ? 0 : NOW_MS,
                                   .zone_offset = cases[_i].no_zones ? NULL : east};
    struct hint_text text = {.time = cases[_i].time,
                             .time_len = strlen(cases[_i].time),
                             .zone = cases[_i].zone ? cases[_i].zone : "",
                             .zone_len = cases[_i].zone ? strlen(cases[_i].zone) : 0,
                             .unit_ms = 1000,
                             .input = &input};
    hint_form_fn *read = hint_form_find(cases[_i].form);
    ck_assert_ptr_nonnull((void *)(uintptr_t)read);
    int64_t ms = read(&text);
    ck_assert_msg(ms == cases[_i].want_ms, "%s %s: %lld", cases[_i].form, cases[_i].time,
                  (long long)ms);
}
END_TEST

START_TEST(test_unknown_form)
{
    ck_assert(hint_form_find("sundial") == NULL);
    ck_assert(hint_form_find("") == NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hint_form");
    TCase *tcase = test_case(suite, "forms");
    tcase_add_loop_test(tcase, test_form, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_unknown_form);
    return suite;
}
