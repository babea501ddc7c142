#include "str.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "parse.h"
#include "test_main.h"
#include "xalloc.h"

static struct str str;

static void setup(void)
{
    str = (struct str){0};
}

static void teardown(void)
{
    str_done(&str);
}

START_TEST(test_empty_value_reads_as_empty_text)
{
    ck_assert_str_eq(str_text(&str), "");
    str_clear(&str);
    ck_assert_str_eq(str_text(&str), "");
    str_done(NULL);
}
END_TEST

START_TEST(test_adding_appends)
{
    str_add(&str, "ab");
    str_add(&str, "");
    str_add_char(&str, 'c');
    str_add_n(&str, "defg", 2);
    str_add_n(&str, NULL, 0);
    str_addf(&str, "-%d-%s", 42, "x");

    ck_assert_str_eq(str_text(&str), "abcde-42-x");
    ck_assert_uint_eq(str.len, strlen("abcde-42-x"));
}
END_TEST

START_TEST(test_growing_keeps_every_byte)
{
    enum { COUNT = 5000 };
    for (int i = 0; i < COUNT; i++)
        str_add_char(&str, (char)('a' + i % 26));

    ck_assert_uint_eq(str.len, COUNT);
    ck_assert_uint_gt(str.cap, str.len);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(str.data[i], 'a' + i % 26);
    ck_assert_int_eq(str.data[COUNT], '\0');
}
END_TEST

START_TEST(test_long_format_is_whole)
{
    str_addf(&str, "%*d", 3000, 7);

    ck_assert_uint_eq(str.len, 3000);
    ck_assert_int_eq(str.data[2999], '7');
}
END_TEST

START_TEST(test_clear_keeps_the_memory_and_done_gives_it_back)
{
    str_add(&str, "some text");
    char *data = str.data;

    str_clear(&str);
    ck_assert_str_eq(str_text(&str), "");
    str_add(&str, "t");
    ck_assert_ptr_eq(str.data, data);
    ck_assert_str_eq(str_text(&str), "t");

    str_done(&str);
    ck_assert_ptr_null(str.data);
    ck_assert_uint_eq(str.len + str.cap, 0);
}
END_TEST

static const int64_t numbers[] = {0, 7, -7, 10, 1234567890123, INT64_MAX, INT64_MIN};

START_TEST(test_number_is_decimal)
{
    char want[32];
    (void)snprintf(want, sizeof(want), "%" PRId64, numbers[_i]);

    str_add_i64(&str, numbers[_i]);

    ck_assert_str_eq(str_text(&str), want);
}
END_TEST

START_TEST(test_numbers_of_each_length)
{
    for (int64_t power = 1; power <= INT64_MAX / 10; power *= 10) {
        const int64_t near[] = {power - 1, power, power + 1, 1 - power, -power, -power - 1};
        for (size_t i = 0; i < ARRAY_LEN(near); i++) {
            char want[32];
            (void)snprintf(want, sizeof(want), "%" PRId64, near[i]);
            str_clear(&str);
            str_add_i64(&str, near[i]);
            ck_assert_str_eq(str_text(&str), want);
        }
    }
}
END_TEST

#define BAD "\xEF\xBF\xBD"

static const struct {
    const char *name;
    const char *bytes;
    const char *want;
} json_texts[] = {
    {"empty", "", "\"\""},
    {"plain", "ab c", "\"ab c\""},
    {"quote", "a\"b", "\"a\\\"b\""},
    {"backslash", "a\\b", "\"a\\\\b\""},
    {"slash", "a/b", "\"a/b\""},
    {"named controls", "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\""},
    {"other controls", "\x01\x1f", "\"\\u0001\\u001f\""},
    {"escape", "\x1b[31m", "\"\\u001b[31m\""},
    {"delete", "\x7f", "\"\\u007f\""},
    {"two bytes", "\xC3\xA9", "\"\xC3\xA9\""},
    {"three bytes", "\xE2\x82\xAC", "\"\xE2\x82\xAC\""},
    {"four bytes", "\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
    {"U+0080", "\xC2\x80", "\"\xC2\x80\""},
    {"U+0800", "\xE0\xA0\x80", "\"\xE0\xA0\x80\""},
    {"U+D7FF", "\xED\x9F\xBF", "\"\xED\x9F\xBF\""},
    {"U+10FFFF", "\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\""},
    {"lone continuation", "a\x80z", "\"a" BAD "z\""},
    {"FF", "\xFF", "\"" BAD "\""},
    {"overlong 2", "\xC0\xAF", "\"" BAD BAD "\""},
    {"overlong C1", "\xC1\xBF", "\"" BAD BAD "\""},
    {"overlong 3", "\xE0\x9F\xBF", "\"" BAD BAD BAD "\""},
    {"overlong 4", "\xF0\x8F\xBF\xBF", "\"" BAD BAD BAD BAD "\""},
    {"surrogate", "\xED\xA0\x80", "\"" BAD BAD BAD "\""},
    {"above U+10FFFF", "\xF4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""},
    {"F5", "\xF5\x80\x80\x80", "\"" BAD BAD BAD BAD "\""},
    {"cut 2", "\xC3", "\"" BAD "\""},
    {"cut 3", "\xE2\x82", "\"" BAD BAD "\""},
    {"cut 4", "\xF0\x9F\x98", "\"" BAD BAD BAD "\""},
    {"lead then plain", "\xE2\x82z", "\"" BAD BAD "z\""},
    {"lead then quote", "\xC3\"", "\"" BAD "\\\"\""},
};

START_TEST(test_json_text)
{
    /* A copy of exactly this size, so that a read past the end is seen. */
    size_t len = strlen(json_texts[_i].bytes);
    char *bytes = malloc(len > 0 ? len : 1);
    ck_assert_ptr_nonnull(bytes);
    memcpy(bytes, json_texts[_i].bytes, len);

    str_add_json(&str, bytes, len);
    free(bytes);

    ck_assert_msg(strcmp(str_text(&str), json_texts[_i].want) == 0, "%s: %s", json_texts[_i].name,
                  str_text(&str));
}
END_TEST

START_TEST(test_json_escapes_a_nul_inside)
{
    str_add_json(&str, "a\0b", 3);

    ck_assert_str_eq(str_text(&str), "\"a\\u0000b\"");
}
END_TEST

START_TEST(test_json_members_get_commas)
{
    str_json_i64(&str, "first", 1); /* a fragment that starts empty */
    str_clear(&str);
    str_add_char(&str, '{');
    str_json_text(&str, "a\"", "x\n");
    str_json_i64(&str, "b", -5);
    str_json_key(&str, "c");
    str_add_char(&str, '[');
    str_add_char(&str, '{');
    str_json_i64(&str, "d", 1);
    str_add(&str, "},{");
    str_json_i64(&str, "e", 2);
    str_add(&str, "}]");
    str_json_text(&str, "f", "");
    str_add(&str, ",");
    str_json_i64(&str, "g", 3);
    str_json_bool(&str, "h", true);
    str_json_bool(&str, "i", false);
    str_add_char(&str, '}');

    ck_assert_str_eq(str_text(&str), "{\"a\\\"\":\"x\\n\",\"b\":-5,\"c\":[{\"d\":1},{\"e\":2}],"
                                     "\"f\":\"\",\"g\":3,\"h\":true,\"i\":false}");
}
END_TEST

/* One byte that is not plain, at each place of each length, in a key and in a text. */
START_TEST(test_json_escapes_at_each_place)
{
    enum { LEN_MAX = 20 };
    static const char specials[] = "\"\\\n\x7f\x01";
    for (size_t len = 1; len <= LEN_MAX; len++) {
        for (size_t at = 0; at < len * strlen(specials); at++) {
            char text[LEN_MAX + 1] = {0};
            struct json *json = NULL;
            memset(text, 'a', len);
            text[at % len] = specials[at / len];
            str_clear(&str);
            str_add_char(&str, '{');
            str_json_text(&str, text, text);
            str_add_char(&str, '}');
            ck_assert_msg(json_parse(str.data, str.len, &json, NULL, NULL), "%s", str.data);
            ck_assert_str_eq(json_text(json_get(json, text), ""), text);
            ck_assert_ptr_null(strpbrk(str.data, "\n\x7f\x01"));
            json_free(json);
        }
    }
}
END_TEST

START_TEST(test_json_member_of_an_empty_text_has_no_comma)
{
    str_json_text(&str, "k", "v");

    ck_assert_str_eq(str_text(&str), "\"k\":\"v\"");
}
END_TEST

START_TEST(test_xgrow_doubles_and_keeps)
{
    size_t cap = 0;
    int *array = xgrow(NULL, &cap, 1, sizeof(*array));
    ck_assert_uint_ge(cap, 1);
    array[0] = 7;
    size_t before = cap;

    array = xgrow(array, &cap, before, sizeof(*array));
    ck_assert_uint_eq(cap, before);
    array = xgrow(array, &cap, before + 1, sizeof(*array));
    ck_assert_uint_ge(cap, before * 2);
    ck_assert_int_eq(array[0], 7);
    array = xgrow(array, &cap, cap * 5, sizeof(*array));
    ck_assert_uint_ge(cap, before * 10);
    free(array);
}
END_TEST

START_TEST(test_copies_are_new_and_end_where_asked)
{
    char *whole = xstrdup("abc");
    char *part = xstrndup("abc", 2);
    char *more = xstrndup("abc", 100);
    unsigned char *zero = xcalloc(3, 2);

    ck_assert_str_eq(whole, "abc");
    ck_assert_str_eq(part, "ab");
    ck_assert_str_eq(more, "abc");
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(zero[i], 0);
    free(whole);
    free(part);
    free(more);
    free(zero);
}
END_TEST

static void grow_too_far(void)
{
    size_t cap = 0;
    free(xgrow(NULL, &cap, SIZE_MAX / 4, 8));
}

START_TEST(test_xgrow_aborts_on_overflow)
{
    grow_too_far();
}
END_TEST

START_TEST(test_what_was_appended_becomes_a_json_string)
{
    str_json_quote(&str, 0);
    ck_assert_str_eq(str.data, "\"\"");
    size_t from = str.len;
    str_add(&str, "plain");
    str_json_quote(&str, from);
    from = str.len;
    str_add(&str, "a\"b\xc3\xa4\n\xff");
    str_json_quote(&str, from);
    ck_assert_str_eq(str.data, "\"\"\"plain\"\"a\\\"b\xc3\xa4\\n\xef\xbf\xbd\"");
    str_cut(&str, 2);
    ck_assert_str_eq(str.data, "\"\"");
    ck_assert_uint_eq(str.len, 2);
}
END_TEST

enum { UNTOUCHED = 4711 };

static const struct {
    const char *text;
    int64_t min;
    int64_t max;
    int64_t want;
} good_numbers[] = {
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

    bool ok =
        parse_i64(good_numbers[_i].text, good_numbers[_i].min, good_numbers[_i].max, &out, &err);

    ck_assert_msg(ok, "'%s': %s", good_numbers[_i].text, err.message);
    ck_assert_int_eq(out, good_numbers[_i].want);
    ck_assert_int_eq(err.code, ERR_NONE);
}
END_TEST

static const struct {
    const char *text;
    int64_t min;
    int64_t max;
} bad_numbers[] = {
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

    bool ok = parse_i64(bad_numbers[_i].text, bad_numbers[_i].min, bad_numbers[_i].max, &out, &err);

    ck_assert_msg(!ok, "'%s' was taken", bad_numbers[_i].text);
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
    Suite *suite = suite_create("str");
    TCase *text = test_case(suite, "text");
    tcase_add_checked_fixture(text, setup, teardown);
    tcase_add_test(text, test_empty_value_reads_as_empty_text);
    tcase_add_test(text, test_what_was_appended_becomes_a_json_string);
    tcase_add_test(text, test_adding_appends);
    tcase_add_test(text, test_growing_keeps_every_byte);
    tcase_add_test(text, test_long_format_is_whole);
    tcase_add_test(text, test_clear_keeps_the_memory_and_done_gives_it_back);
    tcase_add_loop_test(text, test_number_is_decimal, 0, TABLE_LEN(numbers));
    tcase_add_test(text, test_numbers_of_each_length);
    TCase *json = test_case(suite, "json");
    tcase_add_checked_fixture(json, setup, teardown);
    tcase_add_loop_test(json, test_json_text, 0, TABLE_LEN(json_texts));
    tcase_add_test(json, test_json_escapes_a_nul_inside);
    tcase_add_test(json, test_json_members_get_commas);
    tcase_add_test(json, test_json_escapes_at_each_place);
    tcase_add_test(json, test_json_member_of_an_empty_text_has_no_comma);
    TCase *memory = test_case(suite, "memory");
    tcase_add_test(memory, test_xgrow_doubles_and_keeps);
    tcase_add_test(memory, test_copies_are_new_and_end_where_asked);
    tcase_add_test_raise_signal(memory, test_xgrow_aborts_on_overflow, SIGABRT);
    TCase *parsed = test_case(suite, "i64");
    tcase_add_loop_test(parsed, test_number_is_taken, 0, TABLE_LEN(good_numbers));
    tcase_add_loop_test(parsed, test_anything_else_is_refused, 0, TABLE_LEN(bad_numbers));
    tcase_add_test(parsed, test_message_names_range_and_text);
    tcase_add_test(parsed, test_hex_digits_of_either_case_have_values);
    return suite;
}
