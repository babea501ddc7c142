#include "classify_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "judge.h"
#include "test_main.h"

static const struct {
    const char *text;
    int64_t want_ms;
} hint_cases[] = {
    {"120", 120000},
    {"0", 0},
    {"1.574s", 1574},
    {"564ms", 564},
    {"6m12.5s", 372500},
    {"20 seconds", 20000},
    {"45 sec", 45000},
    {"2h", 7200000},
    {"1 minute", 60000},
    {"12ms", 12},
    {"", -1},
    {"soon", -1},
    {"-5", -1},
    {"5 apples", -1},
    {"99999999999999999999", -1},
    {"1e3", -1},
    {"5s junk", -1},
};

START_TEST(test_hint_parse)
{
    const char *text = hint_cases[_i].text;

    const int64_t ms = hint_duration(text, strlen(text), 1000);

    ck_assert_msg(ms == hint_cases[_i].want_ms, "'%s': %lld", text, (long long)ms);
}
END_TEST

static const struct {
    const char *line;
    int64_t want_ms;
} retry_cases[] = {
    {"Retry-After: 120", 120000},
    {"retry-after:0", 0},
    {"  Retry-After: 90", 90000},
    {"{'error': 'slow down', 'retry_after': 12}", 12000},
    {"{\"retry-after\": \"8\"}", 8000},
    {"{ retryAfter: 30 }", 30000},
    {"{\"retry_after_ms\": 1500}", 1500},
    {"retry_after=7", 7000},
    {"int retry_after = 120;", -1},
    {"< Retry-After: 30", 30000},
    {"> Retry-After: 30", -1},
    {"parse_retry_after(\"Retry-After: 120\")", -1},
    {"Retry-After: soon", -1},
    {"Retry-After: 99999999999999999999", -1},
    {"retry-after-ms: 1500\nretry-after: 2", 1500},
    {"grpc-retry-pushback-ms: 750", 750},
    {"x-ratelimit-reset-requests: 6m0s", 360000},
    {"x-ratelimit-reset-tokens: 12ms", 12},
    {"Please try again in 564ms.", 564},
    {"Please try again in 6m12.5s.", 372500},
    {"Please try again in 20 seconds", 20000},
    {"Please retry in 2.337s.", 2337},
    {"\"retryDelay\": \"26s\"", 26000},
    {"\\\"retryDelay\\\": \\\"26s\\\"", 26000},
    {"Suggested retry after 60s.", 60000},
    {"Please retry after 45 seconds.", 45000},
    {"\"resets_in_seconds\":900", 900000},
    {"Retrying in 18 seconds", -1},
    {"429 Too Many Requests", -1},
};

START_TEST(test_retry_after)
{
    char err[200];
    (void)snprintf(err, sizeof(err), "HTTP 429\n%s\n", retry_cases[_i].line);

    const struct verdict verdict = judge(1, err, "");

    ck_assert_int_eq(verdict.type, TRANSIENT_API_RATE_LIMIT);
    ck_assert_msg(verdict.retry_after_ms == retry_cases[_i].want_ms, "%s: %lld",
                  retry_cases[_i].line, (long long)verdict.retry_after_ms);
}
END_TEST

START_TEST(test_persistent_has_no_hint)
{
    ck_assert_int_eq(judge(1, "a.c:1:1: error: x\nRetry-After: 120\n", "").retry_after_ms, -1);
}
END_TEST

enum { NOW_S = 1795224000 }; /* Saturday, 21 November 2026, 01:20:00 UTC */

static bool some_zones(void *ctx, const char *zone, int64_t at_s, int *offset_s_out)
{
    (void)ctx;
    (void)at_s;
    if (strcmp(zone, "UTC") == 0)
        *offset_s_out = 0;
    else if (strcmp(zone, "Europe/Berlin") == 0)
        *offset_s_out = 3600;
    else
        return false;
    return true;
}

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

START_TEST(test_vectors)
{
    char *text = test_read_file(test_source_path("tests/data/retry-after.jsonl"));
    ck_assert_ptr_nonnull(text);
    int rows = 0;
    for (const char *line = text; *line != '\0'; rows++) {
        const size_t len = strcspn(line, "\n");
        struct json *row = NULL;
        ck_assert(json_parse(line, len, &row, NULL, NULL));
        const char *words = json_text(json_get(row, "text"), "");
        const struct classify_input input = input_at(json_i64(json_get(row, "now"), 0), words);
        const double want_s = json_number(json_get(row, "want_s"), -0.001);

        const int64_t ms = classify_hint(judge_classifier(), &input);

        ck_assert_msg(ms == llround(want_s * 1000), "'%s': %lld ms, %s", words, (long long)ms,
                      json_text(json_get(row, "why"), ""));
        json_free(row);
        line += len + (line[len] == '\n');
    }
    free(text);
    ck_assert_int_ge(rows, 60);
}
END_TEST

START_TEST(test_without_a_clock)
{
    struct classify_input input = input_at(0, "x-ratelimit-reset: 1795224060\n");
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
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_int_eq(verdict.retry_after_ms, 2400000);
    ck_assert_int_eq(verdict.resume_at_ms, (int64_t)NOW_S * 1000 + 2400000);
    ck_assert_str_eq(verdict.hint_rule, "hint.clock-zone");
    ck_assert(!verdict.ask);
}
END_TEST

START_TEST(test_window_without_a_time_asks)
{
    const struct classify_input input = input_at(NOW_S, "You've hit your usage limit.\n");
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

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
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_int_eq(verdict.resume_at_ms, -1);
    ck_assert(verdict.ask);
}
END_TEST

START_TEST(test_rate_limit_that_ends_hours_away_is_parked)
{
    struct classify_input input = input_at(NOW_S, "HTTP 429\nRetry-After: 86400\n");
    struct verdict verdict;

    classify(judge_classifier(), &input, &verdict);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.type, TRANSIENT_NONE);
    ck_assert_int_eq(verdict.reason, REASON_QUOTA);
    ck_assert_str_eq(verdict.rule, "b1.http-429");
    ck_assert_int_eq(verdict.retry_after_ms, 86400000);
    ck_assert_int_eq(verdict.resume_at_ms, (int64_t)NOW_S * 1000 + 86400000);
    ck_assert(!verdict.ask);

    input.err = text_of("HTTP 429\nRetry-After: 3599\n");
    classify(judge_classifier(), &input, &verdict);
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("retry_hint");
    TCase *forms = judge_case(suite, "forms");
    tcase_add_loop_test(forms, test_hint_parse, 0, TABLE_LEN(hint_cases));
    tcase_add_loop_test(forms, test_retry_after, 0, TABLE_LEN(retry_cases));
    tcase_add_test(forms, test_vectors);
    tcase_add_test(forms, test_without_a_clock);
    TCase *verdicts = judge_case(suite, "verdicts");
    tcase_add_test(verdicts, test_persistent_has_no_hint);
    tcase_add_test(verdicts, test_window_with_a_time_is_parked);
    tcase_add_test(verdicts, test_window_without_a_time_asks);
    tcase_add_test(verdicts, test_money_is_not_waited_for);
    tcase_add_test(verdicts, test_rate_limit_that_ends_hours_away_is_parked);
    tcase_add_test(verdicts, test_a_request_over_the_limit_never_passes);
    tcase_add_test(verdicts, test_a_hint_over_two_lines);
    tcase_add_test(verdicts, test_a_server_that_says_when_is_a_cause);
    return suite;
}
