#include "fingerprint.h"

#include <string.h>

#include "digest.h"
#include "test_main.h"

static struct json *parse(const char *text)
{
    struct json *json = NULL;
    ck_assert_msg(json_parse(text, strlen(text), &json, NULL, NULL), "%s", text);
    return json;
}

static struct digest digest_of(const char *text)
{
    unsigned char hash[CANONICAL_HASH_BYTES];
    struct json *json = parse(text);
    canonical_hash(json, hash);
    json_free(json);
    return digest_from_bytes(hash);
}

static const struct {
    const char *text, *want;
} texts[] = {
    {"{ \"b\" : 1 ,\n \"a\" : [ ] }", "{\"a\":[],\"b\":1}"},
    {"{\"a\":{\"d\":1,\"c\":2},\"B\":0,\"ab\":3}", "{\"B\":0,\"a\":{\"c\":2,\"d\":1},\"ab\":3}"},
    {"{\"\\u00e9\":1,\"z\":2}", "{\"z\":2,\"\xc3\xa9\":1}"}, /* by bytes, not by alphabet */
    {"[3,1,2]", "[3,1,2]"},
    {"[true,false,null,{}]", "[true,false,null,{}]"},
    {"[1.0,1e0,10E-1,100e-2]", "[1,1,1,1]"},
    {"[-0,-0.0,0e5]", "[0,0,0]"},
    {"[1e3,-25.0e1]", "[1000,-250]"},
    {"[9007199254740993,9223372036854775807]", "[9007199254740993,9223372036854775807]"},
    {"[0.1,0.30000000000000004,1.5,-2.25e-3]", "[0.1,0.30000000000000004,1.5,-0.00225]"},
    {"[0.123456789012345,1e300,1.7976931348623157e308]",
     "[0.123456789012345,1e+300,1.7976931348623157e+308]"},
    {"[9223372036854775808.0,1e-7]", "[9.223372036854776e+18,1e-07]"},
    {"\"a\\/b\\u0041\\u000a\\u001f\\\"\"", "\"a/bA\\n\\u001f\\\"\""},
    {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
};

START_TEST(test_C2_text_is_canonical)
{
    struct str out = {0};
    struct json *json = parse(texts[_i].text);
    canonical_write(json, &out);
    ck_assert_str_eq(str_text(&out), texts[_i].want);
    json_free(json);

    json = parse(texts[_i].want); /* what is canonical stays as it is */
    str_clear(&out);
    canonical_write(json, &out);
    ck_assert_str_eq(str_text(&out), texts[_i].want);
    json_free(json);
    str_done(&out);
}
END_TEST

static const struct {
    const char *a, *b;
    bool equal;
} pairs[] = {
    {"{\"a\":1,\"b\":{\"c\":2,\"d\":[1,2]}}", "{\"b\":{\"d\":[1.0,2e0],\"c\":2},\"a\":1}", true},
    {"{\"a\":1}", "{\"a\":2}", false},
    {"{\"a\":1}", "{\"a\":\"1\"}", false},
    {"{\"a\":null}", "{}", false},
    {"[1,2]", "[2,1]", false},
    {"[[1],[2]]", "[[1,2]]", false},
    {"{\"a\":\"x\",\"b\":\"y\"}", "{\"a\":\"y\",\"b\":\"x\"}", false},
    {"1.5", "1.50", true},
    {"0.1", "0.10000000000000001", true},
    {"0.1", "0.1000000000000001", false},
};

START_TEST(test_C2_equal_content_is_one_digest)
{
    bool equal = digest_equal(digest_of(pairs[_i].a), digest_of(pairs[_i].b));
    ck_assert_msg(equal == pairs[_i].equal, "%s and %s", pairs[_i].a, pairs[_i].b);
}
END_TEST

START_TEST(test_C2_hash_is_sha256_of_the_text)
{
    /* printf '{"a":1,"b":[true,null]}' | sha256sum */
    static const unsigned char want[CANONICAL_HASH_BYTES] = {
        0x1c, 0xc6, 0x9c, 0x7f, 0xa2, 0x36, 0x16, 0xca, 0x2e, 0xc3, 0xee,
        0x70, 0xd2, 0x43, 0x90, 0xa6, 0x22, 0x5c, 0x88, 0x32, 0xdb, 0x8a,
        0x4c, 0x81, 0x4c, 0x7e, 0x0e, 0x7f, 0x94, 0x2f, 0x86, 0x68};
    unsigned char hash[CANONICAL_HASH_BYTES];
    struct json *json = parse("{\"b\": [true, null], \"a\": 1.0}");
    canonical_hash(json, hash);
    ck_assert_mem_eq(hash, want, sizeof(want));
    json_free(json);
}
END_TEST

START_TEST(test_lines_hold_one_value_each)
{
    struct str out = {0};
    struct json *json = parse("{\"b\":[1,{}],\"a\":\"x\\ny\"}");
    canonical_write_lines(json, &out);
    ck_assert_str_eq(str_text(&out), "{\n\"a\":\"x\\ny\",\n\"b\":[\n1,\n{}]}");
    json_free(json);
    str_done(&out);
}
END_TEST

START_TEST(test_deep_values_are_written)
{
    enum { DEPTH = 1000 };
    char text[2 * DEPTH + 1];
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[sizeof(text) - 1] = '\0';
    struct str out = {0};
    struct json *json = parse(text);
    canonical_write(json, &out);
    ck_assert_str_eq(str_text(&out), text);
    json_free(json);
    str_done(&out);
}
END_TEST

START_TEST(test_a_missing_value_is_written_as_null)
{
    struct str out = {0};
    canonical_write(NULL, &out);
    ck_assert_str_eq(str_text(&out), "null");
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("canonical");
    TCase *tcase = test_case(suite, "canonical");
    tcase_add_loop_test(tcase, test_C2_text_is_canonical, 0, TABLE_LEN(texts));
    tcase_add_loop_test(tcase, test_C2_equal_content_is_one_digest, 0, TABLE_LEN(pairs));
    tcase_add_test(tcase, test_C2_hash_is_sha256_of_the_text);
    tcase_add_test(tcase, test_lines_hold_one_value_each);
    tcase_add_test(tcase, test_deep_values_are_written);
    tcase_add_test(tcase, test_a_missing_value_is_written_as_null);
    return suite;
}
