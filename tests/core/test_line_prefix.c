#include "clean_text.h"

#include <string.h>

#include "test_main.h"

static const struct {
    const char *line;
    const char *rest; /* what the program wrote */
} lines[] = {
    {"2026-03-01T10:00:00.1234567Z curl: (28) x", "curl: (28) x"},
    {"2026-03-01T10:00:00.1234567Z ##[error]Process completed", "Process completed"},
    {"2026-03-01T10:00:00.1234567Z   indented", "  indented"},
    {"2026-03-01T10:00:00.1234567Z", ""},
    {"build  Run tests  2026-03-01T10:00:00.1234567Z x", "x"},
    {"[2026-03-01T10:00:00.123Z] x", "x"},
    {"2026-03-01 10:00:00,123 x", "x"},
    {"2026/03/01 10:00:00 x", "x"},
    {"(04:12:19) ERROR: /a: b", "ERROR: /a: b"},
    {"[10:00:00] x", "x"},
    {"2026-11-21 01:00:00 ERROR 404: Not Found.", "ERROR 404: Not Found."},
    {"2026-11-23 03:10:39.826 UTC [1655] FATAL:  lock", "FATAL:  lock"},
    {"2026-03-01T10:00:00.123456Z 01E fatal: x", "fatal: x"},
    {"Mar  1 10:00:07 host ci[812]: fatal: x", "fatal: x"},
    {"2026-03-01T10:00:00+0100 host ci[812]: make[2]: *** x", "make[2]: *** x"},
    {"2026-03-01 10:00:01,123 ERROR deploy.runner: x", "x"},
    {"2026-03-01 10:00:01,123 - app.sync - ERROR - x", "x"},
    {"2026-03-01 10:00:01 [main] ERROR c.acme.Sync - x", "x"},
    {"2026-03-01 10:00:01 INFO a.b: x", "INFO a.b: x"},
    {"2026-03-01 10:00:01 ERROR a.b.ServiceDown: x", "a.b.ServiceDown: x"},
    {"2026-03-01 10:00:01 ERROR a.b: c.d: x", "c.d: x"},
    {"ERROR:root:x", "x"},
    {"ERROR: x", "ERROR: x"},
    {"E0301 10:00:00.123456   12 a.go:265] x", "x"},
    {"time=\"2026-03-01T10:00:00Z\" level=error msg=\"x\"", "x\""},
    {"time=\"2026-03-01T10:00:00Z\" level=info msg=\"x\"",
     "time=\"2026-03-01T10:00:00Z\" level=info msg=\"x\""},
    {"#9 4.514 npm error x", "npm error x"},
    {"#9 4.514", ""},
    {"#12 ERROR: process", "ERROR: process"},
    {"0.514 npm error x", "npm error x"},
    {"# 429 x", "# 429 x"},
    {"0.5 x", "0.5 x"},
    {"app-1  | curl: (7) x", "curl: (7) x"},
    {"app-1  | ", ""},
    {"app-1  | 2026-03-01T10:00:00Z ##[error]x", "x"},
    {"10:00:00 web.1   | x", "x"},
    {"ok | 3 passed", "ok | 3 passed"},
    {"FAILED | 3 passed", "FAILED | 3 passed"},
    {"  9 | return ETIMEDOUT;", "  9 | return ETIMEDOUT;"},
    {"[pod/web-0/app] x", "x"},
    {"[1]    4711 killed  x", "[1]    4711 killed  x"},
    {"[API Error: x] y", "[API Error: x] y"},
    {"web:build: npm error x", "npm error x"},
    {"fatal: unable: x", "fatal: unable: x"},
    {"a.c:12: error: x", "a.c:12: error: x"},
    {"::error file=a,line=1::x", "x"},
    {"##[warning]x", "[warning]x"},
    {"[ERROR] x", "x"},
    {"\xe2\x94\x82 Error: x", "Error: x"},
    {"\xe2\x94\x82   3: source", "  3: source"},
    {"  \xe2\x8e\xbf  x", "x"},
    {"* RequestLimitExceeded: x", "RequestLimitExceeded: x"},
    {"* retry on ETIMEDOUT", "* retry on ETIMEDOUT"},
    {"  * Error x", "Error x"},
    {"\xe2\x97\x8f API Error: x", "API Error: x"},
    {"\xe2\x97\x8f client: x", "\xe2\x97\x8f client: x"},
    {"make[2]: *** [a] Error 137", "make[2]: *** [a] Error 137"},
    {"", ""},
    {"x", "x"},
};

START_TEST(test_a_prefix_is_found)
{
    size_t indent = 0;
    const size_t len = line_prefix_len(lines[_i].line, strlen(lines[_i].line), &indent);
    ck_assert_str_eq(lines[_i].line + len, lines[_i].rest);
}
END_TEST

START_TEST(test_lines_below_a_mark_lose_its_indent)
{
    static const char mark[] = "  \xe2\x8e\xbf  first";
    size_t indent = 0;
    ck_assert_uint_eq(line_prefix_len(mark, strlen(mark), &indent), strlen(mark) - 5);
    ck_assert_uint_eq(line_prefix_len("     second", 11, &indent), 5);
    ck_assert_uint_eq(line_prefix_len("       third", 12, &indent), 5);
    ck_assert_uint_eq(line_prefix_len("other", 5, &indent), 0);
    ck_assert_uint_eq(line_prefix_len("     after", 10, &indent), 0);
}
END_TEST

/* Every cut of every line, so that a reader beyond the end shows. */
START_TEST(test_a_line_may_end_anywhere)
{
    const char *line = lines[_i].line;
    for (size_t len = 0; len <= strlen(line); len++) {
        size_t indent = 0;
        char copy[256];
        memcpy(copy, line, len);
        memset(copy + len, '1', sizeof(copy) - len);
        ck_assert_uint_le(line_prefix_len(copy, len, &indent), len);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("line_prefix");
    TCase *tcase = test_case(suite, "line_prefix");
    tcase_add_loop_test(tcase, test_a_prefix_is_found, 0, TABLE_LEN(lines));
    tcase_add_test(tcase, test_lines_below_a_mark_lose_its_indent);
    tcase_add_loop_test(tcase, test_a_line_may_end_anywhere, 0, TABLE_LEN(lines));
    return suite;
}
