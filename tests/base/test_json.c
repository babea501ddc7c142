#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "test_main.h"
#include "utf8.h"

static struct json *tree;

static void teardown(void)
{
    json_free(tree);
    tree = NULL;
}

static const struct json *parse(const char *text)
{
    struct err err = {0};
    struct json_place place = {0};
    ck_assert_msg(json_parse(text, strlen(text), &tree, &place, &err), "%s: %s", text, err.message);
    return tree;
}

static const struct {
    const char *text;
    enum json_kind kind;
    const char *name;
} kinds[] = {
    {"{}", JSON_KIND_OBJECT, "object"},    {"[]", JSON_KIND_ARRAY, "array"},
    {"\"s\"", JSON_KIND_STRING, "string"}, {"12", JSON_KIND_INTEGER, "integer"},
    {"1.5", JSON_KIND_REAL, "number"},     {"1e3", JSON_KIND_REAL, "number"},
    {"true", JSON_KIND_TRUE, "boolean"},   {"false", JSON_KIND_FALSE, "boolean"},
    {" null\n", JSON_KIND_NULL, "null"},
};

START_TEST(test_kind)
{
    const struct json *json = parse(kinds[_i].text);

    ck_assert_int_eq(json_kind(json), kinds[_i].kind);
    ck_assert_str_eq(json_kind_name(json), kinds[_i].name);
}
END_TEST

START_TEST(test_no_value_answers_nothing)
{
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;

    ck_assert_int_eq(json_kind(NULL), JSON_KIND_NONE);
    ck_assert_str_eq(json_kind_name(NULL), "nothing");
    ck_assert_ptr_null(json_get(NULL, "a"));
    ck_assert_ptr_null(json_at(NULL, 0));
    ck_assert_uint_eq(json_count(NULL), 0);
    ck_assert(!json_next(NULL, &iter, &key, &value));
    ck_assert_str_eq(json_text(NULL, "other"), "other");
    ck_assert_int_eq(json_i64(NULL, 9), 9);
    ck_assert(json_number(NULL, 0.5) == 0.5);
    ck_assert(json_bool(NULL, true));
    json_free(NULL);
}
END_TEST

START_TEST(test_look_up)
{
    const struct json *json = parse("{\"a\":{\"b\":[10,\"x\",true]},\"r\":2.5,\"n\":null}");
    const struct json *list = json_get(json_get(json, "a"), "b");

    ck_assert_uint_eq(json_count(json), 3);
    ck_assert_uint_eq(json_count(list), 3);
    ck_assert_int_eq(json_i64(json_at(list, 0), -1), 10);
    ck_assert_str_eq(json_text(json_at(list, 1), ""), "x");
    ck_assert(json_bool(json_at(list, 2), false));
    ck_assert_ptr_null(json_at(list, 3));
    ck_assert_ptr_null(json_get(json, "missing"));
    ck_assert_ptr_null(json_get(list, "b"));
    ck_assert_ptr_null(json_at(json, 0));
    ck_assert(json_number(json_get(json, "r"), 0) == 2.5);
    ck_assert(json_number(json_at(list, 0), 0) == 10.0);
    ck_assert_int_eq(json_kind(json_get(json, "n")), JSON_KIND_NULL);
}
END_TEST

/* A text long enough for its keys to be remembered. */
START_TEST(test_keys_that_repeat_are_each_objects_own)
{
    enum { OBJECTS = 400 };
    struct str text = {0};
    str_add(&text, "[");
    for (int i = 0; i < OBJECTS; i++)
        str_addf(&text, "%s{\"id\":%d,\"%s\":%d,\"k%d\":%d,\"\":%d,\"a\\\"b\":%d}",
                 i > 0 ? "," : "", i, i % 2 == 0 ? "name" : "n\\u0061me", i + 1, i, i + 2, i + 3,
                 i + 4);
    str_add(&text, "]");
    const struct json *json = parse(str_text(&text));
    str_done(&text);

    for (int i = 0; i < OBJECTS; i++) {
        const struct json *object = json_at(json, (size_t)i);
        char own[16];
        snprintf(own, sizeof(own), "k%d", i);
        ck_assert_uint_eq(json_count(object), 5);
        ck_assert_int_eq(json_i64(json_get(object, "id"), -1), i);
        ck_assert_int_eq(json_i64(json_get(object, "name"), -1), i + 1);
        ck_assert_int_eq(json_i64(json_get(object, own), -1), i + 2);
        ck_assert_int_eq(json_i64(json_get(object, ""), -1), i + 3);
        ck_assert_int_eq(json_i64(json_get(object, "a\"b"), -1), i + 4);
    }
}
END_TEST

START_TEST(test_wrong_kind_gives_the_other_value)
{
    const struct json *json = parse("[\"12\",1.5,0,\"true\"]");

    ck_assert_int_eq(json_i64(json_at(json, 0), -1), -1);
    ck_assert_int_eq(json_i64(json_at(json, 1), -1), -1);
    ck_assert(json_number(json_at(json, 0), -1) == -1.0);
    ck_assert_pstr_eq(json_text(json_at(json, 2), NULL), NULL);
    ck_assert(!json_bool(json_at(json, 2), false));
    ck_assert(json_bool(json_at(json, 3), true));
    ck_assert_uint_eq(json_count(json_at(json, 0)), 0);
}
END_TEST

START_TEST(test_whole_range_of_integers)
{
    const struct json *json = parse("[9223372036854775807,-9223372036854775808]");

    ck_assert_int_eq(json_i64(json_at(json, 0), 0), INT64_MAX);
    ck_assert_int_eq(json_i64(json_at(json, 1), 0), INT64_MIN);
}
END_TEST

START_TEST(test_walk_is_in_document_order)
{
    static const char *const want[] = {"zebra", "ant", "10", "9", ""};
    const struct json *json = parse("{\"zebra\":0,\"ant\":1,\"10\":2,\"9\":3,\"\":4}");
    void *iter = NULL;
    const char *key = NULL;
    const struct json *value = NULL;
    int seen = 0;

    while (json_next(json, &iter, &key, &value)) {
        ck_assert_int_lt(seen, TABLE_LEN(want));
        ck_assert_str_eq(key, want[seen]);
        ck_assert_int_eq(json_i64(value, -1), seen);
        seen++;
    }

    ck_assert_int_eq(seen, TABLE_LEN(want));
}
END_TEST

START_TEST(test_only_len_bytes_are_read)
{
    struct err err = {0};

    ck_assert(json_parse("[1]garbage", 3, &tree, NULL, &err));

    ck_assert_uint_eq(json_count(tree), 1);
}
END_TEST

static const struct {
    const char *text;
    int line;
    int column;
    const char *message;
} errors[] = {
    {"", 1, 1, "unexpected end of the document"},
    {"{", 1, 1, "unexpected end of the document"},
    {"\"abc", 1, 4, "unexpected end of the document"},
    {"{\"a\":1,\"a\":2}", 1, 8, "duplicate key \"a\""},
    {"{\"a key \\\"of\\\\\\\" many letters\":1,\n \"a key \\\"of\\\\\\\" many letters\":2}", 2, 2,
     "duplicate object key"},
    {"{\"a\" 12}", 1, 6, "':' expected, not '12'"},
    {"[1,]", 1, 4, "unexpected token ']'"},
    {"[1}", 1, 3, "']' expected, not '}'"},
    {"[1] x", 1, 5, "unexpected text after the value"},
    {"nope", 1, 1, "invalid token 'nope'"},
    {"\"a\nb\"", 1, 2, "unexpected newline"},
    {"\"\\q\"", 1, 3, "invalid escape"},
    {"\"a\\u0000b\"", 1, 1, "U+0000 is not allowed in a string"},
    {"{\"a\\u0000b\":1}", 1, 2, "U+0000 is not allowed in a key"},
    {"123456789012345678901234567890", 1, 1, "the number is too large"},
    {"1e999", 1, 1, "the number is too large"},
    {"\"\xff\"", 1, 1, "unable to decode byte 0xff"},
    {"[\n\"\xc3\xa9\xc3\xa9\" x]", 2, 6, "']' expected, not 'x'"},
    {"[\n\n  tru]", 3, 3, "invalid token 'tru'"},
};

START_TEST(test_error_says_where_and_why)
{
    const char *text = errors[_i].text;
    struct err err = {0};
    struct json_place place = {0};

    ck_assert(!json_parse(text, strlen(text), &tree, &place, &err));

    ck_assert_ptr_null(tree);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.message, errors[_i].message);
    ck_assert_msg(place.line == errors[_i].line && place.column == errors[_i].column,
                  "%s: at %d:%d", text, place.line, place.column);
}
END_TEST

START_TEST(test_an_empty_text_may_be_nowhere)
{
    struct err err = {0};
    struct err data_err = {0};
    struct json_place place = {0};

    ck_assert(!json_parse(NULL, 0, &tree, &place, &err));
    ck_assert(!json_parse_data(NULL, 0, &tree, &place, &data_err));

    ck_assert_str_eq(err.message, "unexpected end of the document");
    ck_assert_str_eq(data_err.message, "unexpected end of the document");
    ck_assert_int_eq(place.line, 1);
    ck_assert_int_eq(place.column, 1);
}
END_TEST

START_TEST(test_deep_nesting_is_an_error)
{
    enum { DEPTH = 100000 };
    static char text[DEPTH];
    memset(text, '[', sizeof(text));
    struct err err = {0};

    ck_assert(!json_parse(text, sizeof(text), &tree, NULL, &err));

    ck_assert_str_eq(err.message, "nested too deeply");
}
END_TEST

/* Numbers as json_parse_data() reads them. */
static const struct {
    const char *text;
    enum json_kind kind;
    double number;
} wide[] = {
    {"9223372036854775807", JSON_KIND_INTEGER, 9223372036854775807.0},
    {"-9223372036854775808", JSON_KIND_INTEGER, -9223372036854775808.0},
    {"9223372036854775808", JSON_KIND_REAL, 9223372036854775808.0},
    {"-9223372036854775809", JSON_KIND_REAL, -9223372036854775808.0},
    {"123456789012345678901234567890", JSON_KIND_REAL, 123456789012345678901234567890.0},
    {"1e308", JSON_KIND_REAL, 1e308},
    {"0.00e999", JSON_KIND_REAL, 0},
    {"1e-999", JSON_KIND_REAL, 0},
};

START_TEST(test_data_may_hold_any_integer)
{
    struct err err = {0};

    ck_assert_msg(json_parse_data(wide[_i].text, strlen(wide[_i].text), &tree, NULL, &err),
                  "%s: %s", wide[_i].text, err.message);

    ck_assert_msg(json_kind(tree) == wide[_i].kind && json_number(tree, 1) == wide[_i].number,
                  "%s: %s %.17g", wide[_i].text, json_kind_name(tree), json_number(tree, 1));
}
END_TEST

START_TEST(test_integers_beside_a_long_one_stay_integers)
{
    static const char text[] = "{\"long\":123456789012345678901,\"in\":[7,-9007199254740992,0.5],"
                               "\"text\":\"123456789012345678901\"}";
    struct err err = {0};

    ck_assert_msg(json_parse_data(text, strlen(text), &tree, NULL, &err), "%s", err.message);

    const struct json *in = json_get(tree, "in");
    ck_assert(json_number(json_get(tree, "long"), 0) == 123456789012345678901.0);
    ck_assert_int_eq(json_i64(json_at(in, 0), 0), 7);
    ck_assert_int_eq(json_i64(json_at(in, 1), 0), -9007199254740992);
    ck_assert(json_number(json_at(in, 2), 0) == 0.5);
    ck_assert_str_eq(json_text(json_get(tree, "text"), ""), "123456789012345678901");
}
END_TEST

START_TEST(test_a_copy_outlives_its_tree)
{
    static const char text[] = "{\"a\":[1,{\"b\":\"x\"}]}";
    ck_assert(json_parse(text, strlen(text), &tree, NULL, NULL));
    struct json *copy = json_clone(json_get(tree, "a"));

    json_free(tree);
    tree = NULL;

    ck_assert_str_eq(json_text(json_get(json_at(copy, 1), "b"), ""), "x");
    json_free(copy);
    ck_assert_ptr_null(json_clone(NULL));
}
END_TEST

START_TEST(test_a_large_tree_keeps_every_value)
{
    enum { COUNT = 20000, LONG = 200 * 1000 };
    struct str text = {0};
    struct str longest = {0};
    for (int i = 0; i < LONG; i++)
        str_add_char(&longest, (char)('a' + i % 26));
    str_add_char(&text, '[');
    for (int i = 0; i < COUNT; i++)
        str_addf(&text, "{\"number\":%d,\"name\":\"n%d\"},", i, i);
    str_addf(&text, "\"%s\",0.5]", str_text(&longest));
    const struct json *array = parse(str_text(&text));

    ck_assert_uint_eq(json_count(array), COUNT + 2);
    for (int i = 0; i < COUNT; i++) {
        const struct json *item = json_at(array, (size_t)i);
        ck_assert_int_eq(json_i64(json_get(item, "number"), -1), i);
        char name[16];
        (void)snprintf(name, sizeof(name), "n%d", i);
        ck_assert_str_eq(json_text(json_get(item, "name"), ""), name);
    }
    ck_assert_str_eq(json_text(json_at(array, COUNT), ""), str_text(&longest));
    ck_assert(json_number(json_at(array, COUNT + 1), 0) == 0.5);
    str_done(&longest);
    str_done(&text);
}
END_TEST

static const struct {
    const char *text;
    int line, column;
    const char *message;
} data_errors[] = {
    {"{\"a\":1,\"a\":2}", 1, 8, "duplicate key \"a\""},
    {"[99999999999999999999,\n 99999999999999999999, x]", 2, 24, "invalid token 'x'"},
    {"[99999999999999999999", 1, 21, "unexpected end of the document"},
    {"[99999999999999999999, 1e400]", 1, 24, "the number is too large"},
    {"[1e400]", 1, 2, "the number is too large"},
    {"[99999999999999999999, 00001e9]", 1, 24, "invalid token '0'"},
    {"[99999999999999999999, -]", 1, 24, "invalid token '-'"},
    {"99999999999999999999 \303\251", 1, 22, "unexpected text after the value"},
    {"{\"a\\u0000b\":1}", 1, 2, "U+0000 is not allowed in a key"},
    {"[99999999999999999999,\n\"a\" \"wrong\"]", 2, 5, "']' expected, not '\"wrong\"'"},
};

START_TEST(test_data_errors_say_where)
{
    const char *text = data_errors[_i].text;
    struct err err = {0};
    struct json_place place = {0};

    ck_assert(!json_parse_data(text, strlen(text), &tree, &place, &err));

    ck_assert_str_eq(err.message, data_errors[_i].message);
    ck_assert_msg(place.line == data_errors[_i].line && place.column == data_errors[_i].column,
                  "%s: at %d:%d", text, place.line, place.column);
}
END_TEST

START_TEST(test_bytes_hold_any_character)
{
    static const char text[] = "[\"a\\u0000b\",1]";
    struct err err = {0};
    size_t len = 9;
    ck_assert(json_parse_data(text, strlen(text), &tree, NULL, &err));

    ck_assert_mem_eq(json_bytes(json_at(tree, 0), &len), "a\0b", 4);
    ck_assert_uint_eq(len, 3);
    ck_assert_ptr_null(json_bytes(json_at(tree, 1), &len));
    ck_assert_uint_eq(len, 0);
}
END_TEST

static const struct {
    const char *text;
    bool begins;
    size_t read;
} beginnings[] = {
    {"{\"a\":1} and more", true, 7},
    {"[1,2]```", true, 5},
    {"[1,2", false, 4},
    {"{no}", false, 3},
    {"", false, 0},
};

START_TEST(test_value_with_text_behind_it)
{
    size_t read = 99;
    const char *text = beginnings[_i].text;

    ck_assert_msg(json_begins(text, strlen(text), &read) == beginnings[_i].begins, "%s", text);

    ck_assert_msg(read == beginnings[_i].read, "%s: %zu", text, read);
}
END_TEST

START_TEST(test_place_counts_characters)
{
    static const char text[] = "a\n\303\251b\nc";
    static const struct json_place want[] = {{1, 1}, {1, 2}, {2, 1}, {2, 1},
                                             {2, 2}, {2, 3}, {3, 1}};
    const struct json_place place = json_place_at(text, (size_t)_i);
    ck_assert_int_eq(place.line, want[_i].line);
    ck_assert_int_eq(place.column, want[_i].column);
}
END_TEST

START_TEST(test_what_is_written_is_the_same)
{
    static const char text[] = "{\"a\":[0.1,0.12345678901234568,5e-324,1.7976931348623157e308],"
                               "\"b\":{\"c\":[null,true,\"\\u0001\\\"\"]}}";
    const struct json *json = parse(text);
    struct str out = {0};
    struct json *again = NULL;
    json_write(&out, json);
    const bool ok = json_parse(str_text(&out), out.len, &again, NULL, NULL);
    ck_assert(ok);

    for (size_t i = 0; i < 4; i++)
        ck_assert(json_number(json_at(json_get(again, "a"), i), 0) ==
                  json_number(json_at(json_get(json, "a"), i), -1));
    ck_assert_str_eq(json_text(json_at(json_get(json_get(again, "b"), "c"), 2), ""), "\001\"");
    json_free(again);
    str_done(&out);
}
END_TEST

static const struct {
    const char *text;
    size_t max;
    const char *want;
} briefs[] = {
    {"{ \"b\" : [1, 2] , \"a\" : \"x\" }", 100, "{\"b\":[1,2],\"a\":\"x\"}"},
    {"12", 2, "12"},
    {"123", 2, "12..."},
    {"\"\xc3\xa9\xc3\xa9\"", 4, "\"\xc3\xa9..."},
    {"\"\xc3\xa9\xc3\xa9\"", 2, "\"..."},
    {"null", 0, "..."},
    {"[0.1,1.0,2.5e300]", 100, "[0.1,1.0,2.5e300]"},
};

START_TEST(test_brief)
{
    char *brief = json_brief(parse(briefs[_i].text), briefs[_i].max);

    ck_assert_str_eq(brief, briefs[_i].want);
    free(brief);
}
END_TEST

START_TEST(test_brief_of_no_value)
{
    char *brief = json_brief(NULL, 10);

    ck_assert_str_eq(brief, "nothing");
    free(brief);
}
END_TEST

static struct json_piece get_within(const char *text, size_t len, const char *key)
{
    struct json_members members = json_members(text, len);
    struct json_piece name;
    struct json_piece value;
    while (json_members_next(&members, &name, &value)) {
        if (name.len == strlen(key) && memcmp(name.text, key, name.len) == 0)
            return value;
    }
    return (struct json_piece){0};
}

static struct json_piece get(const char *text, const char *key)
{
    return get_within(text, strlen(text), key);
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
        (void)json_scan_text(get_within(cut, len, "b"), &out);
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

static struct str line;

static void setup_line(void)
{
    line = (struct str){0};
}

static void teardown_line(void)
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
    ck_assert(json_check(cases[_i].text, strlen(cases[_i].text)) == ok);
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
    Suite *suite = suite_create("json");
    TCase *reading = test_case(suite, "reading");
    tcase_add_checked_fixture(reading, NULL, teardown);
    tcase_add_loop_test(reading, test_kind, 0, TABLE_LEN(kinds));
    tcase_add_test(reading, test_no_value_answers_nothing);
    tcase_add_test(reading, test_look_up);
    tcase_add_test(reading, test_keys_that_repeat_are_each_objects_own);
    tcase_add_test(reading, test_wrong_kind_gives_the_other_value);
    tcase_add_test(reading, test_whole_range_of_integers);
    tcase_add_test(reading, test_walk_is_in_document_order);
    tcase_add_test(reading, test_only_len_bytes_are_read);
    TCase *data = test_case(suite, "data");
    tcase_add_checked_fixture(data, NULL, teardown);
    tcase_add_loop_test(data, test_data_may_hold_any_integer, 0, TABLE_LEN(wide));
    tcase_add_test(data, test_integers_beside_a_long_one_stay_integers);
    tcase_add_test(data, test_a_copy_outlives_its_tree);
    tcase_add_test(data, test_a_large_tree_keeps_every_value);
    tcase_add_loop_test(data, test_data_errors_say_where, 0, TABLE_LEN(data_errors));
    tcase_add_test(data, test_bytes_hold_any_character);
    tcase_add_loop_test(data, test_value_with_text_behind_it, 0, TABLE_LEN(beginnings));
    tcase_add_loop_test(data, test_place_counts_characters, 0, 7);
    tcase_add_test(data, test_what_is_written_is_the_same);
    TCase *error = test_case(suite, "errors");
    tcase_add_checked_fixture(error, NULL, teardown);
    tcase_add_loop_test(error, test_error_says_where_and_why, 0, TABLE_LEN(errors));
    tcase_add_test(error, test_an_empty_text_may_be_nowhere);
    tcase_add_test(error, test_deep_nesting_is_an_error);
    TCase *brief = test_case(suite, "brief");
    tcase_add_checked_fixture(brief, NULL, teardown);
    tcase_add_loop_test(brief, test_brief, 0, TABLE_LEN(briefs));
    tcase_add_test(brief, test_brief_of_no_value);
    TCase *scan = test_case(suite, "json_scan");
    tcase_add_loop_test(scan, test_a_member_of_the_object_is_found, 0, (int)ARRAY_LEN(members));
    tcase_add_test(scan, test_a_text_that_is_cut_off_is_not_read_beyond_its_end);
    tcase_add_loop_test(scan, test_a_string_is_read_without_its_escapes, 0,
                        (int)ARRAY_LEN(strings));
    tcase_add_test(scan, test_what_is_no_string_or_integer_is_told);
    tcase_add_test(scan, test_every_character_is_written_and_known_again);
    TCase *lines = test_case(suite, "json_line");
    tcase_add_checked_fixture(lines, setup_line, teardown_line);
    tcase_add_loop_test(lines, test_a_value_is_copied_without_blanks_or_refused, 0,
                        (int)ARRAY_LEN(cases));
    tcase_add_test(lines, test_nesting_has_a_limit);
    tcase_add_test(lines, test_what_the_parser_takes_is_taken_and_means_the_same);
    return suite;
}
