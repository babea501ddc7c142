#include "contract.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

static struct json *document;
static struct violations first, second;

static void setup(void)
{
    static const char text[] = "{\"b\": [1, {\"y\": 1, \"x\": 2}], \"a/b\": {\"m~n\": 1}, \"a\": "
                               "[0,1,2,3,4,5,6,7,8,9,10]}";
    ck_assert(json_parse(text, sizeof(text) - 1, &document, NULL, NULL));
    first = second = (struct violations){0};
}

static void teardown(void)
{
    json_free(document);
    violations_done(&first);
    violations_done(&second);
}

static void add(struct violations *list, const char *paths)
{
    for (const char *at = paths; *at;) {
        char path[64];
        size_t len = strcspn(at, " ");
        ck_assert_uint_lt(len, sizeof(path));
        memcpy(path, at, len);
        path[len] = '\0';
        violations_add(list, VIOLATION_INVALID_VALUE, strcmp(path, ".") == 0 ? "" : path,
                       list == &first ? "first" : "second", NULL, NULL);
        at += len + (at[len] == ' ' ? 1 : 0);
    }
}

/* "." is the whole document. */
static const struct {
    const char *name;
    const char *first, *second;
    const char *want;
} cases[] = {
    {"nothing", "", "", ""},
    {"only first", "/b /a", "", "/b /a"},
    {"only second", "", "/b /a", "/b /a"},
    {"members in the order of the text", "/a", "/b", "/b /a"},
    {"the whole before its parts", "/b", ".", ". /b"},
    {"a value before what is in it", "/b/1/x", "/b/1", "/b/1 /b/1/x"},
    {"elements by number", "/a/10", "/a/9", "/a/9 /a/10"},
    {"members of a member", "/b/1/y /b/1/x /a", "/b/0 /b/1/x/z", "/b/0 /b/1/y /b/1/x /b/1/x/z /a"},
    {"escaped keys", "/a~1b/m~0n", "/b /a~1b", "/b /a~1b /a~1b/m~0n"},
    {"what is missing comes last", "/b/1/none", "/b/1/x /a~1b", "/b/1/x /b/1/none /a~1b"},
    {"two that are missing stay in their order", "/n", "/m", "/n /m"},
    {"beyond what is there", "/b/0/k/l", "/b/0/k /b/1", "/b/0/k /b/0/k/l /b/1"},
};

START_TEST(test_order_of_the_document)
{
    struct str got = {0};
    add(&first, cases[_i].first);
    add(&second, cases[_i].second);
    violations_merge(&first, &second, document);
    for (size_t i = 0; i < first.count; i++)
        str_addf(&got, "%s%s", i > 0 ? " " : "", *first.items[i].path ? first.items[i].path : ".");
    ck_assert_msg(strcmp(str_text(&got), cases[_i].want) == 0, "%s: %s", cases[_i].name,
                  str_text(&got));
    ck_assert_uint_eq(second.count, 0);
    str_done(&got);
}
END_TEST

START_TEST(test_of_one_place_the_first_list_comes_first)
{
    add(&first, "/b");
    add(&second, "/b");
    violations_merge(&first, &second, document);
    ck_assert_str_eq(first.items[0].message, "first");
    ck_assert_str_eq(first.items[1].message, "second");
}
END_TEST

START_TEST(test_without_a_document_the_second_goes_to_the_end)
{
    add(&first, "/a");
    add(&second, "/b");
    violations_merge(&first, &second, NULL);
    ck_assert_str_eq(first.items[0].path, "/a");
    ck_assert_str_eq(first.items[1].path, "/b");
}
END_TEST

START_TEST(test_what_has_no_room_is_counted)
{
    for (int i = 0; i < VIOLATIONS_MAX; i++)
        add(&first, "/a");
    for (int i = 0; i < VIOLATIONS_MAX + 5; i++)
        add(&second, "/b");
    violations_merge(&first, &second, document);
    ck_assert_uint_eq(first.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(first.dropped, VIOLATIONS_MAX + 5);
    ck_assert_str_eq(first.items[VIOLATIONS_MAX - 1].path, "/b");
    ck_assert_uint_eq(second.dropped, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("violation_order");
    TCase *tcase = test_case(suite, "merge");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_order_of_the_document, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_of_one_place_the_first_list_comes_first);
    tcase_add_test(tcase, test_without_a_document_the_second_goes_to_the_end);
    tcase_add_test(tcase, test_what_has_no_room_is_counted);
    return suite;
}
