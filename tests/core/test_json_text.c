#include "decimal.h"

#include <string.h>

#include "json_repair.h"
#include "test_main.h"

static struct json *tree;

static void teardown(void)
{
    json_free(tree);
    tree = NULL;
}

/* The decimals of a JSON array of numbers. */
static struct decimal read(size_t index)
{
    return decimal_of(json_at(tree, index));
}

static void parse(const char *text)
{
    struct err err = {0};
    ck_assert_msg(json_parse_data(text, strlen(text), &tree, NULL, &err), "%s", err.message);
}

/* The first is less than the second. */
static const char *const less[] = {
    "[0,1]",
    "[-1,0]",
    "[-2,-1]",
    "[9,10]",
    "[0.1,0.11]",
    "[0.3,0.30000000000000004]",
    "[9007199254740992,9007199254740993]",
    "[9223372036854775806,9223372036854775807]",
    "[-9223372036854775808,-9223372036854775807]",
    "[-9223372036854775808,9223372036854775807]",
    "[1e-300,1]",
    "[1e300,1.5e300]",
    "[-1e300,1e-300]",
    "[5e-324,1e-323]",
    "[0,5e-324]",
};

START_TEST(test_decimals_are_ordered)
{
    parse(less[_i]);
    ck_assert_msg(decimal_compare(read(0), read(1)) < 0, "%s", less[_i]);
    ck_assert_msg(decimal_compare(read(1), read(0)) > 0, "%s", less[_i]);
    ck_assert(decimal_compare(read(0), read(0)) == 0);
}
END_TEST

static const char *const equal[] = {
    "[0,-0.0]", "[1,1.0]", "[100,1e2]", "[0.5,5e-1]", "[1e22,10000000000000000000000]",
};

START_TEST(test_a_number_written_in_two_ways_is_equal)
{
    parse(equal[_i]);
    ck_assert_msg(decimal_compare(read(0), read(1)) == 0, "%s", equal[_i]);
}
END_TEST

START_TEST(test_digits_have_no_trailing_zero)
{
    parse("[1200,-0.05]");
    ck_assert_uint_eq(read(0).digits, 12);
    ck_assert_int_eq(read(0).exponent, 2);
    ck_assert(decimal_is_integer(read(0)));
    ck_assert_uint_eq(read(1).digits, 5);
    ck_assert_int_eq(read(1).exponent, -2);
    ck_assert(read(1).negative);
    ck_assert(!decimal_is_integer(read(1)));
}
END_TEST

static const struct {
    const char *numbers;
    int64_t count;
} counts[] = {
    {"[0]", 0},
    {"[12]", 12},
    {"[1200.0]", 1200},
    {"[9223372036854775807]", INT64_MAX},
    {"[9223372036854775808]", INT64_MAX},
    {"[1e18]", 1000000000000000000},
    {"[9.9e18]", INT64_MAX},
    {"[1e300]", INT64_MAX},
};

START_TEST(test_counts_are_limited_to_64_bits)
{
    parse(counts[_i].numbers);
    ck_assert_int_eq(decimal_count(read(0)), counts[_i].count);
}
END_TEST

static const struct {
    const char *name;
    const char *text;
    const char *want;
} repairs[] = {
    {"nothing to do", "{\"a\":\"b\\n\303\251\"}", "{\"a\":\"b\\n\303\251\"}"},
    {"U+0000", "\"a\\u0000b\"", "\"a\\u0001b\""},
    {"a pair", "\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\""},
    {"the least pair", "\"\\ud800\\udc00\"", "\"\\ud800\\udc00\""},
    {"half a pair", "\"\\ud83d x\"", "\"\\ufffd x\""},
    {"the other half", "\"\\ude00\"", "\"\\ufffd\""},
    {"not UTF-8", "\"\377\"", "\"?\""},
    {"a backslash before a wide character", "\"\\\303\251\"", "\"\\\303\251\""},
    {"a backslash before a byte that is not UTF-8", "\"\\\303\"", "\"\\?\""},
    {"a backslash at the end", "\\", "\\"},
};

START_TEST(test_text_that_a_json_reader_refuses_is_repaired)
{
    struct str out = {0};
    json_repair(&out, repairs[_i].text, strlen(repairs[_i].text));
    ck_assert_msg(strcmp(str_text(&out), repairs[_i].want) == 0, "%s: %s", repairs[_i].name,
                  str_text(&out));
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_text");
    TCase *decimals = test_case(suite, "decimals");
    tcase_add_checked_fixture(decimals, NULL, teardown);
    tcase_add_loop_test(decimals, test_decimals_are_ordered, 0, TABLE_LEN(less));
    tcase_add_loop_test(decimals, test_a_number_written_in_two_ways_is_equal, 0, TABLE_LEN(equal));
    tcase_add_test(decimals, test_digits_have_no_trailing_zero);
    tcase_add_loop_test(decimals, test_counts_are_limited_to_64_bits, 0, TABLE_LEN(counts));
    TCase *repair = test_case(suite, "repair");
    tcase_add_loop_test(repair, test_text_that_a_json_reader_refuses_is_repaired, 0,
                        TABLE_LEN(repairs));
    return suite;
}
