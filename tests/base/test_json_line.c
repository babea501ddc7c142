#include "json_line.h"

#include <string.h>

#include "json.h"
#include "test_main.h"

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

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_line");
    TCase *tcase = test_case(suite, "json_line");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_a_value_is_copied_without_blanks_or_refused, 0,
                        (int)ARRAY_LEN(cases));
    tcase_add_test(tcase, test_nesting_has_a_limit);
    tcase_add_test(tcase, test_what_the_parser_takes_is_taken_and_means_the_same);
    return suite;
}
