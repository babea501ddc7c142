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
    ck_assert_int_eq(data_rows("tests/data/retry-forms.jsonl", check_form, NULL), 65);
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
    ck_assert_int_eq(data_rows("tests/data/retry-after.jsonl", check_hint, NULL), 83);
}
END_TEST

static const struct {
    const char *text;
    const char *rule, *hint_rule; /* NULL: any */
    int64_t wait_ms;              /* until the step is resumed; -1: a person is asked */
} quotas[] = {
    {"5-hour limit reached, resets 3am (Europe/Berlin)\n", NULL, "hint.clock-zone", 2460000},
    {"HTTP 429\nRetry-After: 86400\n", "b1.http-429", NULL, 86400000}, /* too long to wait */
    {"You've hit your usage limit.\n", NULL, NULL, -1},
    {"Retry-After: 60\n{\"code\": \"insufficient_quota\"}\n", NULL, NULL, -1},
};

START_TEST(test_a_quota_is_parked_until_its_time_or_asks)
{
    const int64_t wait_ms = quotas[_i].wait_ms;
    const struct classify_input input = input_at(NOW_S, quotas[_i].text);
    const struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.type, TRANSIENT_NONE);
    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_int_eq(verdict.retry_after_ms, wait_ms);
    ck_assert_int_eq(verdict.resume_at_ms, wait_ms >= 0 ? NOW_MS + wait_ms : -1);
    ck_assert(verdict.ask == (wait_ms < 0));
    if (quotas[_i].rule)
        ck_assert_str_eq(verdict.rule, quotas[_i].rule);
    if (quotas[_i].hint_rule)
        ck_assert_str_eq(verdict.hint_rule, quotas[_i].hint_rule);
}
END_TEST

START_TEST(test_a_rate_limit_of_less_than_an_hour_is_waited_for)
{
    const struct classify_input input = input_at(NOW_S, "HTTP 429\nRetry-After: 3599\n");
    const struct verdict verdict = judge_input(&input);

    ck_assert_int_eq(verdict.class, VERDICT_TRANSIENT);
    ck_assert_int_eq(verdict.retry_after_ms, 3599000);
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
    tcase_add_loop_test(hints, test_a_quota_is_parked_until_its_time_or_asks, 0, TABLE_LEN(quotas));
    tcase_add_test(hints, test_a_rate_limit_of_less_than_an_hour_is_waited_for);
    return suite;
}
