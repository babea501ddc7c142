#include "classify.h"

#include <string.h>

#include "judge.h"
#include "test_main.h"

static bool two_hours_east(void *ctx, const char *zone, int64_t at_s, int *offset_s)
{
    (void)ctx;
    (void)at_s;
    *offset_s = 7200;
    return strcmp(zone, "Europe/Helsinki") == 0;
}

/* 21 Nov 2026 01:19:00.250 UTC */
static const struct classify_edge edge = {.now_ms = 1795223940250, .zone_offset = two_hours_east};

static bool take(const char *text, struct str *out, struct err *err)
{
    struct str row = {0};
    str_add(&row, text);
    bool ok = classify_row(judge_classifier(), &row, &edge, out, err);
    str_done(&row);
    return ok;
}

/* What the facts alone tell, so that no rule of assets/rules.json matters. */
static const struct {
    const char *row;
    const char *want; /* stands in the answer */
} rows[] = {
    {"{\"id\":\"a\",\"exit\":0}", "{\"id\":\"a\",\"verdict\":\"success\",\"type\":null,"},
    {"{\"id\":7,\"exit\":0,\"signal\":null}", "{\"id\":7,\"verdict\":\"success\""},
    {"{\"exit\":0}", "{\"id\":null,"},
    {"{\"exit\":1,\"stderr\":\"x-ratelimit-reset-requests: 6m0s\"}", "\"retry_after_ms\":360000,"},
    {"{\"exit\":1,\"stderr\":\"  9 | retry in 20s\"}", "\"retry_after_ms\":null,"},
    {"{\"exit\":1}", "\"verdict\":\"persistent\",\"type\":null,"},
    {"{\"exit\":255}", "\"verdict\":\"persistent\""},
    {"{\"exit\":null,\"signal\":11}", "\"subtype\":\"SIGSEGV\",\"reason\":\"crash\""},
    {"{\"signal\":\"SIGSEGV\"}", "\"subtype\":\"SIGSEGV\",\"reason\":\"crash\""},
    {"{\"exit\":1,\"stderr\":null,\"stdout\":null,\"agent\":null,\"program\":null}",
     "\"stream\":null,\"offset\":null,\"match\":null,\"retry_after_ms\":null,\"resume_at\":null,"
     "\"near\":[]}\n"},
    {"{\"text\":\"Retry-After: 30\"}", "\"retry_after_ms\":30000"},
    {"{\"text\":\"Retry-After: Sat, 21 Nov 2026 01:20:00 GMT\"}", "\"retry_after_ms\":59750"},
    {"{\"text\":\"Retry-After: Sat, 21 Nov 2026 01:20:00 GMT\",\"now\":1795223990}",
     "\"retry_after_ms\":10000"},
    {"{\"text\":\"nothing\",\"now\":0}", "\"retry_after_ms\":null"},
    {"{\"exit\":0,\"argv\":[\"srun\"],\"stderr\":\"srun: error: Node failure on n2\"}",
     "\"rule\":\"launch.node\""},
    {"{\"exit\":4,\"argv\":[\"/usr/bin/wget\"]}", "\"rule\":\"net.wget-exit\""},
    {"{\"exit\":0,\"argv\":null}", "\"verdict\":\"success\""},
};

START_TEST(test_row_gets_an_answer)
{
    struct err err = {0};
    struct str out = {0};
    ck_assert_msg(take(rows[_i].row, &out, &err), "%s: %s", rows[_i].row, err.message);
    ck_assert_msg(strstr(str_text(&out), rows[_i].want) != NULL, "%s: %s", rows[_i].row,
                  str_text(&out));
    ck_assert_int_eq(str_text(&out)[out.len - 1], '\n');
    str_done(&out);
}
END_TEST

static const struct {
    const char *row;
    const char *why;
} damaged[] = {
    {"[]", "expected an object"},
    {"1", "expected an object"},
    {"{", ""},
    {"{}", "exit is missing"},
    {"{\"exit\":null}", "exit is missing"},
    {"{\"exit\":null,\"text\":null}", "exit is missing"},
    {"{\"exit\":\"1\"}", "exit must be a whole number from 0 to 255"},
    {"{\"exit\":1.5}", "exit must be a whole number from 0 to 255"},
    {"{\"exit\":-1}", "exit must be a whole number from 0 to 255"},
    {"{\"exit\":256}", "exit must be a whole number from 0 to 255"},
    {"{\"signal\":0}", "signal must be"},
    {"{\"signal\":65}", "signal must be"},
    {"{\"signal\":\"SIGNOT\"}", "signal must be"},
    {"{\"signal\":true}", "signal must be"},
    {"{\"exit\":1,\"stderr\":1}", "stderr must be a string"},
    {"{\"exit\":1,\"stdout\":[]}", "stdout must be a string"},
    {"{\"exit\":1,\"agent\":{}}", "agent must be a string"},
    {"{\"exit\":1,\"program\":false}", "program must be a string"},
    {"{\"text\":1}", "text must be a string"},
    {"{\"exit\":1,\"argv\":\"srun\"}", "argv must be a list of at most 64 strings"},
    {"{\"exit\":1,\"argv\":[\"a\",1]}", "argv must be a list of strings"},
    {"{\"exit\":1,\"now\":1e300}", "now must be seconds"},
    {"{\"exit\":1,\"now\":9223372036850000}", "now must be seconds"},
    {"{\"exit\":1,\"now\":-1}", "now must be seconds"},
    {"{\"exit\":1,\"now\":\"soon\"}", "now must be seconds"},
};

START_TEST(test_damaged_row_is_refused)
{
    struct err err = {0};
    struct str out = {0};
    ck_assert_msg(!take(damaged[_i].row, &out, &err), "%s", damaged[_i].row);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.message, damaged[_i].why) != NULL, "%s: %s", damaged[_i].row,
                  err.message);
    ck_assert_uint_eq(out.len, 0);
}
END_TEST

/* A usage window that is over at a time of the day, in a zone that the edge knows. */
START_TEST(test_window_has_a_time_to_resume)
{
    struct err err = {0};
    struct str out = {0};
    ck_assert(take("{\"exit\":1,\"agent\":\"claude\",\"stdout\":\"{\\\"type\\\":\\\"result\\\","
                   "\\\"is_error\\\":true,\\\"result\\\":\\\"You've hit your session limit "
                   "\\u00b7 resets 6am (Europe/Helsinki)\\\"}\"}",
                   &out, &err));
    ck_assert_msg(strstr(str_text(&out), "\"verdict\":\"persistent\"") != NULL, "%s",
                  str_text(&out));
    ck_assert_msg(strstr(str_text(&out), "\"reason\":\"quota\"") != NULL, "%s", str_text(&out));
    ck_assert_msg(strstr(str_text(&out), "\"resume_at\":\"2026-11-21T04:00:00") != NULL, "%s",
                  str_text(&out));
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classify_row");
    TCase *tcase = judge_case(suite, "rows");
    tcase_add_loop_test(tcase, test_row_gets_an_answer, 0, TABLE_LEN(rows));
    tcase_add_loop_test(tcase, test_damaged_row_is_refused, 0, TABLE_LEN(damaged));
    tcase_add_test(tcase, test_window_has_a_time_to_resume);
    return suite;
}
