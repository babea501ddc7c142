#include "moment_text.h"

#include <string.h>

#include "test_main.h"

enum { NOW_S = 1795223940 }; /* 21 Nov 2026 01:19:00 UTC */

/* want_s -1: it is none of the three forms, or no such day. */
static const struct {
    const char *text;
    int64_t want_s;
} http_dates[] = {
    {"Sat, 21 Nov 2026 01:19:00 GMT", NOW_S},
    {"Saturday, 21-Nov-26 01:19:00 GMT", NOW_S},
    {"Sat Nov 21 01:19:00 2026", NOW_S},
    {"Sun Nov  1 01:19:00 2026", NOW_S - 20 * 86400},
    {"Thu, 31 Dec 2026 23:59:60 GMT", 1798761600}, /* a leap second */
    {"Mon, 29 Feb 2028 00:00:00 GMT", 1835395200},
    {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},    /* 2094 would be too far away */
    {"Thursday, 31-Dec-76 00:00:00 GMT", 3376598400}, /* 2076: fifty years are not */
    {"Friday, 01-Jan-77 00:00:00 GMT", 220924800},
    {"", -1},
    {"S", -1},
    {"Xyz, 21 Nov 2026 01:19:00 GMT", -1},
    {"Sat; 21 Nov 2026 01:19:00 GMT", -1},
    {"Sat, 2 Nov 2026 01:19:00 GMT", -1},
    {"Sat, 21-Nov 2026 01:19:00 GMT", -1},
    {"Sat, 21 Now 2026 01:19:00 GMT", -1},
    {"Sat, 21 No", -1},
    {"Sat, 21 Nov-2026 01:19:00 GMT", -1},
    {"Sat, 21 Nov 26 01:19:00 GMT", -1},
    {"Sat, 21 Nov 2026T01:19:00 GMT", -1},
    {"Sat, 21 Nov 2026 1:19:00 GMT", -1},
    {"Sat, 21 Nov 2026 01-19:00 GMT", -1},
    {"Sat, 21 Nov 2026 01:9:00 GMT", -1},
    {"Sat, 21 Nov 2026 01:19-00 GMT", -1},
    {"Sat, 21 Nov 2026 01:19:0 GMT", -1},
    {"Sat, 21 Nov 2026 01:19:00 CET", -1},
    {"Sat, 21 Nov 2026 01:19:00 GMT+1", -1},
    {"Sat, 21 Nov 2026 24:00:00 GMT", -1},
    {"Sat, 21 Nov 2026 23:60:00 GMT", -1},
    {"Sat, 21 Nov 2026 23:59:61 GMT", -1},
    {"Sat, 00 Nov 2026 01:19:00 GMT", -1},
    {"Sat, 31 Nov 2026 01:19:00 GMT", -1},
    {"Mon, 29 Feb 2027 00:00:00 GMT", -1},
    {"Thu, 32 Dec 2026 00:00:00 GMT", -1},
    {"Sat, 21-Nov-26 01:19:00 GMT", -1},
    {"Saturday; 21-Nov-26 01:19:00 GMT", -1},
    {"Saturday, 1-Nov-26 01:19:00 GMT", -1},
    {"Saturday, 21 Nov-26 01:19:00 GMT", -1},
    {"Saturday, 21-Now-26 01:19:00 GMT", -1},
    {"Saturday, 21-Nov 26 01:19:00 GMT", -1},
    {"Saturday, 21-Nov-6 01:19:00 GMT", -1},
    {"Saturday, 21-Nov-26T01:19:00 GMT", -1},
    {"Saturday, 21-Nov-26 01:19 GMT", -1},
    {"Saturday, 21-Nov-26 01:19:00 CET", -1},
    {"Saturday, 21-Nov-26 01:19:00 GMT.", -1},
    {"Sat-Nov 21 01:19:00 2026", -1},
    {"Sat Now 21 01:19:00 2026", -1},
    {"Sat Nov-21 01:19:00 2026", -1},
    {"Sat Nov x1 01:19:00 2026", -1},
    {"Sat Nov 21-01:19:00 2026", -1},
    {"Sat Nov 21 01:19 2026", -1},
    {"Sat Nov 21 01:19:00-2026", -1},
    {"Sat Nov 21 01:19:00 26", -1},
    {"Sat Nov 21 01:19:00 2026 GMT", -1},
};

START_TEST(test_http_date)
{
    int64_t at_s = -1;
    const char *text = http_dates[_i].text;
    bool ok = moment_text_http(text, strlen(text), NOW_S, &at_s);
    ck_assert_msg(ok == (http_dates[_i].want_s >= 0), "%s", text);
    ck_assert_msg(at_s == http_dates[_i].want_s, "%s: %lld", text, (long long)at_s);
}
END_TEST

#define NOW_MS (NOW_S * 1000LL)

static const struct {
    const char *text;
    int64_t want_ms;
} times[] = {
    {"2026-11-21T01:19:00Z", NOW_MS},
    {"2026-11-21t01:19:00z", NOW_MS},
    {"2026-11-21 03:19:00+02:00", NOW_MS},
    {"2026-11-20T20:49:00-04:30", NOW_MS},
    {"2026-11-21T01:19:00.5Z", NOW_MS + 500},
    {"2026-11-21T01:19:00.123456789Z", NOW_MS + 123},
    {"2026-11-21T01:19:00", -1},
    {"2026-11-21T01:19:00.Z", -1},
    {"2026-11-21T01:19:00Z.", -1},
    {"26-11-21T01:19:00Z", -1},
    {"2026/11-21T01:19:00Z", -1},
    {"2026-1-21T01:19:00Z", -1},
    {"2026-11/21T01:19:00Z", -1},
    {"2026-11-1T01:19:00Z", -1},
    {"2026-11-21_01:19:00Z", -1},
    {"2026-11-21T01:19Z", -1},
    {"2026-13-21T01:19:00Z", -1},
    {"2026-00-21T01:19:00Z", -1},
    {"2026-11-31T01:19:00Z", -1},
    {"2026-11-21T01:19:00+2:00", -1},
    {"2026-11-21T01:19:00+0200", -1},
    {"2026-11-21T01:19:00+02:0", -1},
    {"2026-11-21T01:19:00+24:00", -1},
    {"2026-11-21T01:19:00+02:60", -1},
    {"", -1},
};

START_TEST(test_rfc3339)
{
    int64_t at_ms = -1;
    const char *text = times[_i].text;
    bool ok = moment_text_rfc3339(text, strlen(text), &at_ms);
    ck_assert_msg(ok == (times[_i].want_ms >= 0), "%s", text);
    ck_assert_msg(at_ms == times[_i].want_ms, "%s: %lld", text, (long long)at_ms);
}
END_TEST

static const struct {
    const char *text;
    bool ok;
    int month, day, minute;
} clocks[] = {
    {"3am", true, 0, 0, 180},
    {"12am", true, 0, 0, 0},
    {"12:05pm", true, 0, 0, 725},
    {"3:30 PM", true, 0, 0, 930},
    {"11 AM", true, 0, 0, 660},
    {"15:00", true, 0, 0, 900},
    {"0:00", true, 0, 0, 0},
    {"Nov 24, 3am", true, 11, 24, 180},
    {"Jan 1 at 15:00", true, 1, 1, 900},
    {"Nov 24, at 9pm", true, 11, 24, 1260},
    {"Jun 18th, 2026 8:41 AM", true, 6, 18, 521},
    {"Jun 1st 3pm", true, 6, 1, 900},
    {"Jun 18th2026 8:41 AM", false, 0, 0, 0},
    {"3", false, 0, 0, 0},
    {"", false, 0, 0, 0},
    {"am", false, 0, 0, 0},
    {"0am", false, 0, 0, 0},
    {"13pm", false, 0, 0, 0},
    {"3:3am", false, 0, 0, 0},
    {"3:60am", false, 0, 0, 0},
    {"24:00", false, 0, 0, 0},
    {"15:00h", false, 0, 0, 0},
    {"3amx", false, 0, 0, 0},
    {"3xm", false, 0, 0, 0},
    {"Nov24, 3am", false, 0, 0, 0},
    {"Nov x, 3am", false, 0, 0, 0},
    {"Nov 0, 3am", false, 0, 0, 0},
    {"Nov 32, 3am", false, 0, 0, 0},
    {"Nov 24,3am", false, 0, 0, 0},
    {"Nov 24", false, 0, 0, 0},
};

START_TEST(test_time_of_the_day)
{
    struct clock_text clock;
    const char *text = clocks[_i].text;
    ck_assert_msg(moment_text_clock(text, strlen(text), &clock) == clocks[_i].ok, "%s", text);
    if (!clocks[_i].ok)
        return;
    ck_assert_msg(clock.month == clocks[_i].month && clock.day == clocks[_i].day, "%s", text);
    ck_assert_msg(clock.minute == clocks[_i].minute, "%s: %d", text, clock.minute);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("moment_text");
    TCase *tcase = test_case(suite, "dates");
    tcase_add_loop_test(tcase, test_http_date, 0, TABLE_LEN(http_dates));
    tcase_add_loop_test(tcase, test_rfc3339, 0, TABLE_LEN(times));
    tcase_add_loop_test(tcase, test_time_of_the_day, 0, TABLE_LEN(clocks));
    return suite;
}
