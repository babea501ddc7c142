#include <string.h>

#include "attr.h"
#include "fingerprint.h"
#include "str.h"
#include "test_main.h"

static const struct {
    const char *text, *form;
    int64_t passed, failed, skipped, total;
} cases[] = {
    {"x.py F\n==== 1 failed, 13 passed, 2 skipped in 0.21s ====\n", "pytest", 13, 1, 2, -1},
    {"==== 3 passed, 1 error in 1.00s ====\n", "pytest", 3, 1, -1, -1},
    {"test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out\n"
     "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; finished in 0.00s\n",
     "cargo", 15, 1, 2, -1},
    {"Tests:       1 failed, 13 passed, 14 total\nTime: 1.2 s\n", "jest", 13, 1, -1, 14},
    {" Tests  2 failed | 11 passed (13)\n", "vitest", 11, 2, -1, -1},
    {"[ERROR] Tests\nTests run: 14, Failures: 1, Errors: 2, Skipped: 3\n", "junit", -1, 3, 3, 14},
    {"# tests 14\n# pass 13\n# fail 1\n# skipped 0\n", "tap", 13, 1, -1, 14},
    {"# tests 14, passed 13, failed 1\n", "tap", 13, 1, -1, 14},
    {"Ran 14 tests in 0.002s\n\nFAILED (failures=1, errors=2, skipped=1)\n", "unittest", -1, 3, 1,
     14},
    {"[  PASSED  ] 13 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Tax.Rounds\n",
     "gtest", 13, 1, -1, -1},
    {"92%: Checks: 13, Failures: 1, Errors: 0\n", "check", -1, 1, -1, 13},
    {"92% tests passed, 1 tests failed out of 13\n", "ctest", 12, 1, -1, 13},
    {"  13 passing (20ms)\n  1 failing\n", "mocha", 13, 1, -1, -1},
    {"\x1b[31m==== 1 failed in 0.21s ====\x1b[0m\n", "pytest", -1, 1, -1, -1},
    {"==== 1 failed in 0.2s ====\n# tests 3\n# pass 3\n", "tap", 3, -1, -1, 3},
};

static struct classify_text text_of(const char *text)
{
    return (struct classify_text){.bytes = text, .len = strlen(text)};
}

START_TEST(test_summaries_are_read)
{
    struct classify_text text = text_of(cases[_i].text);
    struct test_report report;
    ck_assert_msg(test_report_find(&text, &report), "%s: none found", cases[_i].form);
    ck_assert_str_eq(report.form, cases[_i].form);
    ck_assert_int_eq(report.passed, cases[_i].passed);
    ck_assert_int_eq(report.failed, cases[_i].failed);
    ck_assert_int_eq(report.skipped, cases[_i].skipped);
    ck_assert_int_eq(report.total, cases[_i].total);
    ck_assert_ptr_null(strchr(report.line, '\x1b'));
}
END_TEST

static const char *const no_summaries[] = {
    "",
    "ok 1 - adds\nnot ok 2 - rounds\n",
    "I ran the tests: 13 passed and 1 failed.\n",
    "PASS src/tax.test.js\n",
    "=== nothing in here ===\n",
    "Ran out of memory in 3 tests\n",
};

START_TEST(test_other_text_is_no_summary)
{
    struct classify_text text = text_of(no_summaries[_i]);
    struct test_report report;
    ck_assert(!test_report_find(&text, &report));
}
END_TEST

START_TEST(test_a_number_that_is_too_large_is_bounded)
{
    struct str line = {0};
    str_add(&line, "# pass ");
    for (int i = 0; i < 400; i++)
        str_add_char(&line, '9');
    str_add_char(&line, '\n');
    struct classify_text text = {.bytes = line.data, .len = line.len};
    struct test_report report;
    ck_assert(test_report_find(&text, &report));
    ck_assert_int_ge(report.passed, TEST_REPORT_NUMBER_MAX);
    ck_assert_int_lt(report.passed, INT64_C(20) * TEST_REPORT_NUMBER_MAX);
    ck_assert_uint_lt(strlen(report.line), TEST_REPORT_LINE_MAX);
    str_done(&line);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("test_report");
    TCase *found = test_case(suite, "found");
    tcase_add_loop_test(found, test_summaries_are_read, 0, (int)ARRAY_LEN(cases));
    tcase_add_test(found, test_a_number_that_is_too_large_is_bounded);
    tcase_add_loop_test(test_case(suite, "none"), test_other_text_is_no_summary, 0,
                        (int)ARRAY_LEN(no_summaries));
    return suite;
}
