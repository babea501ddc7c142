#include "classify_internal.h"

#include <math.h>
#include <string.h>

#include "data_rows.h"
#include "judge.h"
#include "test_main.h"

enum {
    HOUR = 3600 * 1000,
    NOW_S = 1795223940, /* Saturday, 21 November 2026, 01:19:00 UTC */
};
#define NOW_MS ((int64_t)NOW_S * 1000)

static bool some_zones(void *ctx, const char *zone, int64_t at_s, int *offset_s_out)
{
    static const struct {
        const char *name;
        int offset_s;
    } zones[] = {{"UTC", 0}, {"Europe/Berlin", 3600}, {"Europe/Helsinki", 7200}};
    (void)ctx;
    (void)at_s;
    for (int i = 0; i < TABLE_LEN(zones); i++) {
        if (strcmp(zone, zones[i].name) == 0) {
            *offset_s_out = zones[i].offset_s;
            return true;
        }
    }
    return false;
}

/*
 * The forms of a time.
 */

static const char long_zone[] = "Etc/0123456789012345678901234567890123456789012345678901234567890"
                                "12345678901234567890123456789012345678901234567890123456789";

static const struct {
    const char *form; /* NULL: a duration */
    const char *time;
    int64_t want_ms; /* -1: no time */
    const char *zone;
    bool no_clock, no_zones;
} forms[] = {
    {.time = "120", .want_ms = 120000},
    {.time = "0", .want_ms = 0},
    {.time = "1.574s", .want_ms = 1574},
    {.time = "564ms", .want_ms = 564},
    {.time = "6m12.5s", .want_ms = 372500},
    {.time = "20 seconds", .want_ms = 20000},
    {.time = "45 sec", .want_ms = 45000},
    {.time = "2h", .want_ms = 7200000},
    {.time = "1 minute", .want_ms = 60000},
    {.time = "", .want_ms = -1},
    {.time = "soon", .want_ms = -1},
    {.time = "-5", .want_ms = -1},
    {.time = "5 apples", .want_ms = -1},
    {.time = "99999999999999999999", .want_ms = -1},
    {.time = "1e3", .want_ms = -1},
    {.time = "5s junk", .want_ms = -1},
    {.time = "1.5.5s", .want_ms = -1},
    {.time = "5.", .want_ms = -1},
    {.time = "5.x", .want_ms = -1},
    {.time = ".5s", .want_ms = -1},
    {.time = "3 days, 4 hours", .want_ms = 76 * (int64_t)HOUR},
    {.time = "1 Hour and 5 MIN", .want_ms = 65 * 60000},
    {.time = "1 hour and", .want_ms = -1},
    {.time = "2h,", .want_ms = 2 * HOUR},
    {.time = "2h,30m", .want_ms = 150 * 60000},
    {.time = "5 fortnights", .want_ms = -1},
    {.time = "5_s", .want_ms = -1},
    {.time = "0s", .want_ms = 0},
    {.time = "366 days", .want_ms = 366 * 24 * (int64_t)HOUR},
    {.time = "367 days", .want_ms = -1},
    {.form = "pushback", .time = "1500", .want_ms = 1500},
    {.form = "pushback", .time = "-1", .want_ms = HINT_STOP},
    {.form = "pushback", .time = "x", .want_ms = HINT_STOP},
    {.form = "http-date", .time = "Sat, 21 Nov 2026 01:20:00 GMT", .want_ms = 60000},
    {.form = "http-date", .time = "Sat, 21 Nov 2026 01:18:00 GMT", .want_ms = 0},
    {.form = "http-date", .time = "Sat, 21 Nov 2026 01:20:00 GMT", .want_ms = -1, .no_clock = true},
    {.form = "http-date",
     .time = "Sat, 21 Nov 2028 01:20:00 GMT",
     .want_ms = -1}, /* two years ahead */
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
     .zone = "Europe/Helsinki"}, /* past, so tomorrow */
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

START_TEST(test_a_time_is_read_in_its_form)
{
    struct classify_input input = {.now_ms = forms[_i].no_clock ? 0 : NOW_MS,
                                   .zone_offset = forms[_i].no_zones ? NULL : some_zones};
    struct hint_text text = {.time = forms[_i].time,
                             .time_len = strlen(forms[_i].time),
                             .zone = forms[_i].zone ? forms[_i].zone : "",
                             .zone_len = forms[_i].zone ? strlen(forms[_i].zone) : 0,
                             .unit_ms = 1000,
                             .input = &input};
    const char *form = forms[_i].form ? forms[_i].form : "duration";
    hint_form_fn *read = hint_form_find(form);
    ck_assert_ptr_nonnull((void *)(uintptr_t)read);
    int64_t ms = read(&text);
    ck_assert_msg(ms == forms[_i].want_ms, "%s %s: %lld", form, forms[_i].time, (long long)ms);
}
END_TEST

START_TEST(test_unknown_form_is_not_found)
{
    ck_assert(hint_form_find("sundial") == NULL);
    ck_assert(hint_form_find("") == NULL);
}
END_TEST

/*
 * Hints in output.
 */

static struct classify_input input_at(int64_t now_s, const char *text)
{
    return (struct classify_input){
        .outcome = {.kind = OUTCOME_EXIT, .code = 1},
        .err = text_of(text),
        .memory_killed = -1,
        .now_ms = now_s * 1000,
        .zone_offset = some_zones,
    };
}

static void check_hint(const struct json *row, void *ctx)
{
    (void)ctx;
    const char *text = data_text(row, "text");
    const struct classify_input input = input_at(json_i64(json_get(row, "now"), 0), text);
    const double want_s = json_number(json_get(row, "want_s"), -0.001);

    const int64_t ms = classify_hint(judge_classifier(), &input);

    ck_assert_msg(ms == llround(want_s * 1000), "'%s': %lld ms, %s", text, (long long)ms,
                  data_text(row, "why"));
}

START_TEST(test_hints_of_many_tools)
{
    ck_assert_int_ge(data_rows("tests/data/retry-after.jsonl", check_hint, NULL), 79);
}
END_TEST

START_TEST(test_without_a_clock)
{
    struct classify_input input = input_at(0, "x-ratelimit-reset: 1795224000\n");
    ck_assert_int_eq(classify_hint(judge_classifier(), &input), -1);
    input.err = text_of("Retry-After: Sat, 21 Nov 2026 01:21:30 GMT\n");
    ck_assert_int_eq(classify_hint(judge_classifier(), &input), -1);
    input.err = text_of("limit reached, resets 3am (UTC)\n");
    ck_assert_int_eq(classify_hint(judge_classifier(), &input), 3600000);
    input.err = text_of("Retry-After: 3\n");
    ck_assert_int_eq(classify_hint(judge_classifier(), &input), 3000);
}
END_TEST

START_TEST(test_window_with_a_time_is_parked)
{
    const struct classify_input input =
        input_at(NOW_S, "5-hour limit reached, resets 3am (Europe/Berlin)\n");
    const struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_int_eq(verdict.retry_after_ms, 2460000);
    ck_assert_int_eq(verdict.resume_at_ms, NOW_MS + 2460000);
    ck_assert_str_eq(verdict.hint_rule, "hint.clock-zone");
    ck_assert(!verdict.ask);
}
END_TEST

START_TEST(test_window_without_a_time_asks)
{
    const struct classify_input input = input_at(NOW_S, "You've hit your usage limit.\n");
    const struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_int_eq(verdict.resume_at_ms, -1);
    ck_assert_int_eq(verdict.retry_after_ms, -1);
    ck_assert(verdict.ask);
}
END_TEST

START_TEST(test_money_is_not_waited_for)
{
    const struct classify_input input =
        input_at(NOW_S, "Retry-After: 60\n{\"code\": \"insufficient_quota\"}\n");
    const struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_int_eq(verdict.resume_at_ms, -1);
    ck_assert(verdict.ask);
}
END_TEST

START_TEST(test_rate_limit_that_ends_hours_away_is_parked)
{
    struct classify_input input = input_at(NOW_S, "HTTP 429\nRetry-After: 86400\n");
    struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.type, TRANSIENT_NONE);
    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_str_eq(verdict.rule, "b1.http-429");
    ck_assert_int_eq(verdict.retry_after_ms, 86400000);
    ck_assert_int_eq(verdict.resume_at_ms, NOW_MS + 86400000);
    ck_assert(!verdict.ask);

    input.err = text_of("HTTP 429\nRetry-After: 3599\n");
    verdict = judge_input(&input);
    ck_assert_int_eq(verdict.class, VERDICT_TRANSIENT);
    ck_assert_int_eq(verdict.resume_at_ms, -1);
}
END_TEST

START_TEST(test_a_request_over_the_limit_never_passes)
{
    ck_assert_int_eq(judge(1,
                           "Error code: 429: Limit 7000, Used 0, Requested 7000. "
                           "Please try again in 5s.\n",
                           "")
                         .class,
                     VERDICT_TRANSIENT);
    ck_assert_int_eq(judge(1,
                           "Error code: 429: Limit 7000, Used 0, Requested ~7001. "
                           "Please try again in 5s.\n",
                           "")
                         .reason,
                     REASON_CONTEXT_LENGTH);
}
END_TEST

START_TEST(test_a_hint_over_two_lines)
{
    const char *text = "Rate limit reached. Please try again\n    in 12s. Visit us.\n";
    ck_assert_int_eq(judge(1, text, "").retry_after_ms, 12000);
    ck_assert_int_eq(judge(1, "HTTP 429\n    in 12s. Visit us.\n", "").retry_after_ms, -1);
}
END_TEST

START_TEST(test_a_server_that_says_when_is_a_cause)
{
    const struct verdict verdict = judge(1, "oops: please try again in 20 seconds\n", "");

    ck_assert_int_eq(verdict.type, TRANSIENT_API_RATE_LIMIT);
    ck_assert_str_eq(verdict.rule, "hint.again-in");
    ck_assert_int_eq(verdict.retry_after_ms, 20000);
    ck_assert_int_eq(judge(1, "x-ratelimit-reset-requests: 6m0s\n", "").class, VERDICT_PERSISTENT);
    ck_assert_int_eq(judge(1, "please try again in 2 days\n", "").reason, REASON_QUOTA);
}
END_TEST

START_TEST(test_persistent_has_no_hint)
{
    ck_assert_int_eq(judge(1, "a.c:1:1: error: x\nRetry-After: 120\n", "").retry_after_ms, -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("retry_hint");
    TCase *forms_case = test_case(suite, "forms");
    tcase_add_loop_test(forms_case, test_a_time_is_read_in_its_form, 0, TABLE_LEN(forms));
    tcase_add_test(forms_case, test_unknown_form_is_not_found);
    TCase *hints = judge_case(suite, "hints");
    tcase_add_test(hints, test_hints_of_many_tools);
    tcase_add_test(hints, test_without_a_clock);
    tcase_add_test(hints, test_window_with_a_time_is_parked);
    tcase_add_test(hints, test_window_without_a_time_asks);
    tcase_add_test(hints, test_money_is_not_waited_for);
    tcase_add_test(hints, test_rate_limit_that_ends_hours_away_is_parked);
    tcase_add_test(hints, test_a_request_over_the_limit_never_passes);
    tcase_add_test(hints, test_a_hint_over_two_lines);
    tcase_add_test(hints, test_a_server_that_says_when_is_a_cause);
    tcase_add_test(hints, test_persistent_has_no_hint);
    return suite;
}
