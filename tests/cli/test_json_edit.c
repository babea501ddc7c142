#include "json_edit.h"

#include "json.h"
#include "test_main.h"

static struct str text;

static void setup(void)
{
    text = (struct str){0};
}

static void teardown(void)
{
    str_done(&text);
}

static const struct {
    const char *name;
    const char *text;
    const char *want;
} appended[] = {
    {"empty", "{\"l\":[]}", "{\"l\":[\n    9\n  ]}"},
    {"in a line", "{\"l\": [1, {\"a\":[2]}]}", "{\"l\": [1, {\"a\":[2]}, 9]}"},
    {"on lines", "{\n  \"l\": [\n\t1,\n\t\"2\"\n  ]\n}\n",
     "{\n  \"l\": [\n\t1,\n\t\"2\",\n\t9\n  ]\n}\n"},
    {"brackets in texts", "{\"a]\":\"}\\\"]\",\"l\":[\"]\\\\\"]}",
     "{\"a]\":\"}\\\"]\",\"l\":[\"]\\\\\", 9]}"},
    {"not the inner one", "{\"a\":{\"l\":[1]},\"l\" : [ 2 ] }",
     "{\"a\":{\"l\":[1]},\"l\" : [ 2, 9 ] }"},
    {"none yet", "{\"a\":1}", "{\"a\":1, \"l\": [\n    9\n  ]}"},
    {"none yet, on lines", "{\n    \"a\": {\"b\": 2}\n}\n",
     "{\n    \"a\": {\"b\": 2},\n    \"l\": [\n    9\n  ]\n}\n"},
    {"nothing at all", " { }\n", " {\n  \"l\": [\n    9\n  ]\n}\n"},
};

START_TEST(test_a_list_grows_and_all_else_stays)
{
    struct json_span list;
    str_add(&text, appended[_i].text);
    if (!json_edit_member(text.data, "l", &list)) {
        json_edit_add_member(&text, "l", "[]");
        ck_assert(json_edit_member(text.data, "l", &list));
    }
    json_edit_append(&text, list, "9");
    ck_assert_str_eq(text.data, appended[_i].want);
    struct json *json = NULL;
    ck_assert(json_parse(text.data, text.len, &json, NULL, NULL));
    const struct json *now = json_get(json, "l");
    ck_assert_int_eq(json_i64(json_at(now, json_count(now) - 1), 0), 9);
    json_free(json);
}
END_TEST

START_TEST(test_an_element_is_replaced)
{
    struct json_span list, element;
    str_add(&text, "{\"l\": [1 , {\"a\": [2]}, 3]}");
    ck_assert(json_edit_member(text.data, "l", &list));
    ck_assert(!json_edit_element(text.data, list, 3, &element));
    ck_assert(json_edit_element(text.data, list, 1, &element));
    json_edit_replace(&text, element, "true");
    ck_assert_str_eq(text.data, "{\"l\": [1 , true, 3]}");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_edit");
    TCase *edit = test_case(suite, "edit");
    tcase_add_checked_fixture(edit, setup, teardown);
    tcase_add_loop_test(edit, test_a_list_grows_and_all_else_stays, 0, TABLE_LEN(appended));
    tcase_add_test(edit, test_an_element_is_replaced);
    return suite;
}
