#include "parse.h"

#include "test_main.h"

enum { UNTOUCHED = 4711 };

static const struct {
    const char *text;
    int64_t min;
    int64_t max;
    int64_t want;
} good[] = {
    {"0", 0, 0, 0},
    {"-0", -1, 1, 0},
    {"007", 0, 10, 7},
    {"10", 0, 10, 10},
    {"-10", -10, 10, -10},
    {"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX},
    {"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN},
};

START_TEST(test_number_is_taken)
{
    struct err err = {0};
    int64_t out = UNTOUCHED;

    bool ok = parse_i64(good[_i].text, good[_i].min, good[_i].max, &out, &err);

    ck_assert_msg(ok, "'%s': %s", good[_i].text, err.message);
    ck_assert_int_eq(out, good[_i].want);
    ck_assert_int_eq(err.code, ERR_NONE);
}
END_TEST

static const struct {
    const char *text;
    int64_t min;
    int64_t max;
} bad[] = {
    {"", 0, 10},
    {" 1", 0, 10},
    {"1 ", 0, 10},
    {"+1", 0, 10},
    {"-", -10, 10},
    {"- 1", -10, 10},
    {"--1", -10, 10},
    {"1x", 0, 10},
    {"x", 0, 10},
    {"0x10", 0, 100},
    {"1.0", 0, 10},
    {"1e3", 0, 10000},
    {"11", 0, 10},
    {"-1", 0, 10},
    {"9223372036854775808", INT64_MIN, INT64_MAX},
    {"-9223372036854775809", INT64_MIN, INT64_MAX},
    {"99999999999999999999999", INT64_MIN, INT64_MAX},
};

START_TEST(test_anything_else_is_refused)
{
    struct err err = {0};
    int64_t out = UNTOUCHED;

    bool ok = parse_i64(bad[_i].text, bad[_i].min, bad[_i].max, &out, &err);

    ck_assert_msg(!ok, "'%s' was taken", bad[_i].text);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_eq(out, UNTOUCHED);
}
END_TEST

START_TEST(test_message_names_range_and_text)
{
    struct err err = {0};
    int64_t out = UNTOUCHED;

    ck_assert(!parse_i64("many", 1, 64, &out, &err));

    ck_assert_str_eq(err.message, "expected a number from 1 to 64, not 'many'");

    err = (struct err){0};
    ck_assert(!parse_i64("9", 1, 1, &out, &err));
    ck_assert_str_eq(err.message, "expected 1, not '9'");
}
END_TEST

START_TEST(test_hex_digits_of_either_case_have_values)
{
    static const char digits[] = "0123456789abcdef";
    static const char capitals[] = "0123456789ABCDEF";
    for (int i = 0; i < 16; i++) {
        ck_assert_int_eq(parse_hex_digit(digits[i]), i);
        ck_assert_int_eq(parse_hex_digit(capitals[i]), i);
    }
    for (const char *other = "gG/:@`x \xe9"; *other; other++)
        ck_assert_int_eq(parse_hex_digit(*other), -1);
    ck_assert_int_eq(parse_hex_digit('\0'), -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("parse");
    TCase *numbers = test_case(suite, "i64");
    tcase_add_loop_test(numbers, test_number_is_taken, 0, TABLE_LEN(good));
    tcase_add_loop_test(numbers, test_anything_else_is_refused, 0, TABLE_LEN(bad));
    tcase_add_test(numbers, test_message_names_range_and_text);
    tcase_add_test(numbers, test_hex_digits_of_either_case_have_values);
    return suite;
}
