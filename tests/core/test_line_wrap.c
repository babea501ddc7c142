#include "lines.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

static const struct {
    const char *text;
    int columns;
    const char *want; /* rows, each ended by '|' */
} cases[] = {
    {"", 10, "|"},
    {"short", 10, "short|"},
    {"exactly 10", 10, "exactly 10|"},
    {"one two three", 8, "one two |three|"},
    {"abcdefghijkl", 5, "abcde|fghij|kl|"},
    {"a bcdefghijkl", 6, "a bcde|fghijk|l|"}, /* the blank is too far back */
    {"日本語", 4, "日本|語|"},
    {"日本語", 3, "日|本|語|"},
    {"日本", 1, "日|本|"}, /* no column is wide enough: it goes on all the same */
    {"x\xcc\x81x\xcc\x81", 1, "x\xcc\x81|x\xcc\x81|"},
};

START_TEST(test_rows)
{
    const char *text = cases[_i].text;
    const size_t len = strlen(text);
    struct str out = {0};
    int rows = 0;
    size_t at = 0;
    do {
        ck_assert_uint_eq(line_wrap_at(text, len, cases[_i].columns, rows), at);
        const size_t part = line_wrap_fit(text + at, len - at, cases[_i].columns);
        str_add_n(&out, text + at, part);
        str_add_char(&out, '|');
        at += part;
        rows++;
    } while (at < len);
    ck_assert_str_eq(str_text(&out), cases[_i].want);
    ck_assert_int_eq(line_wrap_rows(text, len, cases[_i].columns), rows);
    str_done(&out);
}
END_TEST

START_TEST(test_skip)
{
    int lack = -1;
    ck_assert_uint_eq(line_wrap_skip("abcdef", 6, 2, &lack), 2);
    ck_assert_int_eq(lack, 0);
    ck_assert_uint_eq(line_wrap_skip("日本語", 9, 1, &lack), 3);
    ck_assert_int_eq(lack, 1); /* its right half is not drawn */
    ck_assert_uint_eq(line_wrap_skip("ab", 2, 9, &lack), 2);
    ck_assert_int_eq(lack, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("line_wrap");
    TCase *tcase = test_case(suite, "line wrap");
    tcase_add_loop_test(tcase, test_rows, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_skip);
    return suite;
}
