#include "classify_internal.h"

#include <math.h>
#include <string.h>

#include "data_rows.h"
#include "judge.h"
#include "moment_text.h"
#include "test_main.h"

enum {
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

/* A row has a "time" in a "form", perhaps a "zone", and the time to wait: null if it is none,
 * "stop" if the server asks not to retry. Neither the clock nor the zones are known if "clock" or
 * "zones" is false. */
static void check_form(const struct json *row, void *ctx)
{
    (void)ctx;
    const struct json *want = json_get(row, "want_ms");
    const bool has_clock = json_bool(json_get(row, "clock"), true);
    const bool has_zones = json_bool(json_get(row, "zones"), true);
    const struct classify_input input = {.now_ms = has_clock ? NOW_MS : 0,
                                         .zone_offset = has_zones ? some_zones : NULL};
    const struct hint_text text = {.time = data_text(row, "time"),
                                   .time_len = strlen(data_text(row, "time")),
                                   .zone = data_text(row, "zone"),
                                   .zone_len = strlen(data_text(row, "zone")),
                                   .unit_ms = 1000,
                                   .input = &input};
    hint_form_fn *read = hint_form_find(data_text(row, "form"));
    ck_assert_ptr_nonnull((void *)(uintptr_t)read);
    const int64_t ms = read(&text);
    ck_assert_msg(ms == (json_text(want, NULL) ? HINT_STOP : json_i64(want, HINT_NONE)),
                  "%s '%s': %lld", data_text(row, "form"), text.time, (long long)ms);
}

START_TEST(test_times_are_read_in_their_form)
{
    ck_assert_int_eq(data_rows("tests/data/retry-forms.jsonl", check_form, NULL), 60);
}
END_TEST

/* A row has a text and the moment "at": seconds of an HTTP date, milliseconds of an RFC 3339
 * time, members of a time of day; null if it is not one. */
static void check_moment(const struct json *row, void *ctx)
{
    (void)ctx;
    const struct json *at = json_get(row, "at");
    const char *http = json_text(json_get(row, "http"), NULL);
    const char *rfc3339 = json_text(json_get(row, "rfc3339"), NULL);
    const char *clock = data_text(row, "clock");
    int64_t got = -1;
    struct clock_text time;
    if (http) {
        ck_assert_msg(moment_text_http(http, strlen(http), NOW_S, &got) == (json_i64(at, -1) >= 0),
                      "%s", http);
        ck_assert_msg(got == json_i64(at, -1), "%s: %lld", http, (long long)got);
    } else if (rfc3339) {
        ck_assert_msg(moment_text_rfc3339(rfc3339, strlen(rfc3339), &got) ==
                          (json_i64(at, -1) >= 0),
                      "%s", rfc3339);
        ck_assert_msg(got == json_i64(at, -1), "%s: %lld", rfc3339, (long long)got);
    } else if (moment_text_clock(clock, strlen(clock), &time)) {
        ck_assert_msg(time.month == json_i64(json_get(at, "month"), -1) &&
                          time.day == json_i64(json_get(at, "day"), -1) &&
                          time.minute == json_i64(json_get(at, "minute"), -1),
                      "%s", clock);
    } else {
        ck_assert_msg(json_kind(at) == JSON_KIND_NULL, "%s", clock);
    }
}

START_TEST(test_moments_are_read)
{
    ck_assert_int_eq(data_rows("tests/data/moments.jsonl", check_moment, NULL), 109);
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("retry_hint");
    TCase *forms = test_case(suite, "forms");
    tcase_add_test(forms, test_times_are_read_in_their_form);
    tcase_add_test(forms, test_moments_are_read);
    tcase_add_test(forms, test_unknown_form_is_not_found);
    TCase *hints = judge_case(suite, "hints");
    tcase_add_test(hints, test_hints_of_many_tools);
    tcase_add_test(hints, test_without_a_clock);
    tcase_add_test(hints, test_window_with_a_time_is_parked);
    tcase_add_test(hints, test_window_without_a_time_asks);
    tcase_add_test(hints, test_money_is_not_waited_for);
    tcase_add_test(hints, test_rate_limit_that_ends_hours_away_is_parked);
    return suite;
}
