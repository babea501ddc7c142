#include "json.h"

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

static void add_json_scan_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "json_scan");
    tcase_add_loop_test(tcase, test_a_member_of_the_object_is_found, 0, (int)ARRAY_LEN(members));
    tcase_add_test(tcase, test_a_text_that_is_cut_off_is_not_read_beyond_its_end);
    tcase_add_loop_test(tcase, test_a_string_is_read_without_its_escapes, 0,
                        (int)ARRAY_LEN(strings));
    tcase_add_test(tcase, test_what_is_no_string_or_integer_is_told);
    tcase_add_test(tcase, test_every_character_is_written_and_known_again);
}

static struct str line;

static void setup(void)
{
    line = (struct str){0};
}

static void teardown(void)
{
    str_done(&line);
}

static const struct {
    const char *text;
    const char *want; /* NULL = refused */
} cases[] = {
    {"{}", "{}"},
    {" [ ] ", "[]"},
    {"\t{ \"a\" : [ 1 , 2.5e-3 ,\n-0 ] , \"b\":{ } }\r\n", "{\"a\":[1,2.5e-3,-0],\"b\":{}}"},
    {"\"a b\\n\\u00e4 \\ud83d\\ude00 \xc3\xa4\"", "\"a b\\n\\u00e4 \\ud83d\\ude00 \xc3\xa4\""},
    {"true", "true"},
    {"[null,false]", "[null,false]"},
    {"9007199254740993", "9007199254740993"},
    {"1e400", "1e400"},
    {"{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}"},
    {"\"\\u0000\"", "\"\\u0000\""},
    {"\"\x7f\"", "\"\x7f\""},
    {"", NULL},
    {" ", NULL},
    {"{", NULL},
    {"[1,]", NULL},
    {"{\"a\":1,}", NULL},
    {"{\"a\"}", NULL},
    {"{a:1}", NULL},
    {"{1:1}", NULL},
    {"[1 2]", NULL},
    {"[1}", NULL},
    {"{}]", NULL},
    {"1 2", NULL},
    {"01", NULL},
    {"1.", NULL},
    {".5", NULL},
    {"+1", NULL},
    {"-", NULL},
    {"1e", NULL},
    {"nul", NULL},
    {"nulls", NULL},
    {"\"a", NULL},
    {"\"\\x\"", NULL},
    {"\"\\", NULL},
    {"\"\\u12\"", NULL},
    {"\"\\ud800\"", NULL},
    {"\"\\udc00\\ud800\"", NULL},
    {"\"\\ud800\\ud800\"", NULL},
    {"\"\xff\"", NULL},
    {"\"\xc0\x80\"", NULL},
    {"\"\xed\xa0\x80\"", NULL},
    {"\"\n\"", NULL},
};

START_TEST(test_a_value_is_copied_without_blanks_or_refused)
{
    const char *want = cases[_i].want;
    str_add(&line, "kept");
    bool ok = json_line_add(cases[_i].text, strlen(cases[_i].text), &line);
    ck_assert_msg(ok == (want != NULL), "%s", cases[_i].text);
    ck_assert_str_eq(line.data + strlen("kept"), want ? want : "");
}
END_TEST

static void add_brackets(struct str *text, char c, int count)
{
    for (int i = 0; i < count; i++)
        str_add_char(text, c);
}

START_TEST(test_nesting_has_a_limit)
{
    struct str text = {0};
    add_brackets(&text, '[', JSON_LINE_DEPTH_MAX);
    add_brackets(&text, ']', JSON_LINE_DEPTH_MAX);
    ck_assert(json_line_add(text.data, text.len, &line));
    ck_assert_str_eq(line.data, text.data);

    str_clear(&text);
    str_clear(&line);
    add_brackets(&text, '[', JSON_LINE_DEPTH_MAX + 1);
    add_brackets(&text, ']', JSON_LINE_DEPTH_MAX + 1);
    ck_assert(!json_line_add(text.data, text.len, &line));
    ck_assert_uint_eq(line.len, 0);
    str_done(&text);
}
END_TEST

/* The same numbers in every run. */
static unsigned next_number(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void mutate(struct str *text, unsigned *seed)
{
    static const char letters[] = "{}[]\",:\\ 0123456789eE+-.truefalsn\n\x01\xc3\xa4\xff";
    const unsigned changes = 1 + next_number(seed) % 3;
    for (unsigned i = 0; i < changes; i++)
        text->data[next_number(seed) % text->len] =
            letters[next_number(seed) % (sizeof(letters) - 1)];
}

static void compare_with_parser(const struct str *text)
{
    struct json *want = NULL;
    struct json *got = NULL;
    struct str a = {0};
    struct str b = {0};
    str_clear(&line);
    bool is_json = json_parse_data(text->data, text->len, &want, NULL, NULL);
    bool is_line = json_line_add(text->data, text->len, &line);
    /* The parser alone minds a key that comes twice. */
    ck_assert_msg(is_line || !is_json, "%s", text->data);
    if (is_json) {
        ck_assert(json_parse_data(line.data, line.len, &got, NULL, NULL));
        json_write(&a, want);
        json_write(&b, got);
        ck_assert_str_eq(a.data, b.data);
        ck_assert_ptr_null(strchr(line.data, '\n'));
    }
    json_free(want);
    json_free(got);
    str_done(&a);
    str_done(&b);
}

START_TEST(test_what_the_parser_takes_is_taken_and_means_the_same)
{
    static const char *const texts[] = {
        "{\"rule\":\"pytest\",\"match\":\"E \\u00e4 "
        "\\\"x\\\"\",\"offset\":12,\"near\":[{\"a\":-1.5e3}]}",
        "{ \"paths\" : [ [ \"M\", \"src/\xc3\xa4.c\" ], [] ], \"on\": true, \"no\": [false, null] "
        "}",
    };
    enum { ROUNDS = 20000 };
    unsigned seed = 8;
    struct str text = {0};
    for (unsigned i = 0; i < ROUNDS; i++) {
        str_clear(&text);
        str_add(&text, texts[i % 2]);
        mutate(&text, &seed);
        compare_with_parser(&text);
    }
    str_done(&text);
}
END_TEST

static void add_json_line_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "json_line");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_a_value_is_copied_without_blanks_or_refused, 0,
                        (int)ARRAY_LEN(cases));
    tcase_add_test(tcase, test_nesting_has_a_limit);
    tcase_add_test(tcase, test_what_the_parser_takes_is_taken_and_means_the_same);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_scan");
    add_json_scan_tests(suite);
    add_json_line_tests(suite);
    return suite;
}
