#include "json_scan.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"
#include "utf8.h"

static struct json_piece get(const char *text, const char *key)
{
    return json_scan_get(text, strlen(text), key);
}

static const struct {
    const char *text, *key, *want; /* want NULL = there is none */
} members[] = {
    {"{\"a\":1,\"b\":\"x\"}", "a", "1"},
    {"{\"a\":1,\"b\":\"x\"}", "b", "\"x\""},
    {" { \"a\" : [ {\"b\":1} , \"]\" ] , \"b\" : -2 } ", "b", "-2"},
    {" { \"a\" : [ {\"b\":1} , \"]\" ] , \"b\" : -2 } ", "a", "[ {\"b\":1} , \"]\" ]"},
    {"{\"a\":\"\\\"b\\\":3,\",\"b\":4}", "b", "4"},
    {"{\"ab\":1}", "a", NULL},
    {"{\"a\":1}", "ab", NULL},
    {"{}", "a", NULL},
    {"", "a", NULL},
    {"[1]", "a", NULL},
    {"{\"a\"", "a", NULL},
    {"{\"b\\", "a", NULL},
};

START_TEST(test_a_member_of_the_object_is_found)
{
    struct json_piece piece = get(members[_i].text, members[_i].key);
    const char *want = members[_i].want;
    ck_assert_msg((piece.text != NULL) == (want != NULL), "%s", members[_i].text);
    if (want) {
        ck_assert_uint_eq(piece.len, strlen(want));
        ck_assert_mem_eq(piece.text, want, piece.len);
    }
}
END_TEST

START_TEST(test_a_text_that_is_cut_off_is_not_read_beyond_its_end)
{
    static const char text[] = "{\"a\":{\"x\":[1,\"\\u00e4\\\\\"]},\"b\":\"\\ud83d\\ude00\"}";
    for (size_t len = 0; len < sizeof(text); len++) {
        /* A block of just this size: reading beyond it is seen by a sanitizer. */
        char *cut = strndup(text, len);
        struct str out = {0};
        ck_assert_ptr_nonnull(cut);
        (void)json_scan_text(json_scan_get(cut, len, "b"), &out);
        str_done(&out);
        free(cut);
    }
}
END_TEST

static const struct {
    const char *json, *want;
} strings[] = {
    {"\"\"", ""},
    {"\"plain\"", "plain"},
    {"\"a\\\"b\\\\c\\/d\"", "a\"b\\c/d"},
    {"\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t"},
    {"\"\\u00e4\\u20AC\\ud83d\\ude00\"", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\"\\ud800x\"", "\xEF\xBF\xBDx"},
};

START_TEST(test_a_string_is_read_without_its_escapes)
{
    struct str out = {0};
    const struct json_piece piece = {.text = strings[_i].json, .len = strlen(strings[_i].json)};
    ck_assert(json_scan_text(piece, &out));
    ck_assert_str_eq(str_text(&out), strings[_i].want);
    str_done(&out);
}
END_TEST

START_TEST(test_what_is_no_string_or_integer_is_told)
{
    struct str out = {0};
    ck_assert(!json_scan_text((struct json_piece){0}, &out));
    ck_assert(!json_scan_text(get("{\"a\":12}", "a"), &out));
    ck_assert_uint_eq(out.len, 0);
    ck_assert_int_eq(json_scan_i64(get("{\"a\":-12}", "a"), 7), -12);
    ck_assert_int_eq(json_scan_i64(get("{\"a\":9223372036854775807}", "a"), 7), INT64_MAX);
    ck_assert_int_eq(json_scan_i64(get("{\"a\":9223372036854775808}", "a"), 7), 7);
    ck_assert_int_eq(json_scan_i64(get("{\"a\":1.5}", "a"), 7), 7);
    ck_assert_int_eq(json_scan_i64(get("{\"a\":\"1\"}", "a"), 7), 7);
    ck_assert_int_eq(json_scan_i64((struct json_piece){0}, 7), 7);
    str_done(&out);
}
END_TEST

START_TEST(test_every_character_is_written_and_known_again)
{
    static const int32_t edges[] = {0x1,    0x7F,   0x80,   0x7FF,   0x800,
                                    0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF};
    for (size_t i = 0; i < ARRAY_LEN(edges); i++) {
        struct str out = {0};
        utf8_add(&out, edges[i]);
        ck_assert_uint_eq(utf8_len(out.data, out.len), out.len);
        ck_assert_uint_eq(utf8_len(out.data, out.len - 1 > 0 ? out.len - 1 : 1),
                          out.len == 1 ? 1 : 0);
        str_done(&out);
    }
    static const int32_t none[] = {-1, 0xD800, 0xDFFF, 0x110000};
    for (size_t i = 0; i < ARRAY_LEN(none); i++) {
        struct str out = {0};
        utf8_add(&out, none[i]);
        ck_assert_str_eq(out.data, "\xEF\xBF\xBD");
        str_done(&out);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_scan");
    TCase *tcase = test_case(suite, "json_scan");
    tcase_add_loop_test(tcase, test_a_member_of_the_object_is_found, 0, (int)ARRAY_LEN(members));
    tcase_add_test(tcase, test_a_text_that_is_cut_off_is_not_read_beyond_its_end);
    tcase_add_loop_test(tcase, test_a_string_is_read_without_its_escapes, 0,
                        (int)ARRAY_LEN(strings));
    tcase_add_test(tcase, test_what_is_no_string_or_integer_is_told);
    tcase_add_test(tcase, test_every_character_is_written_and_known_again);
    return suite;
}
