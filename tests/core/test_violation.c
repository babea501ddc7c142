#include "contract.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

static struct violations list, second;
static struct str shown;

static void setup(void)
{
    list = second = (struct violations){0};
    shown = (struct str){0};
}

static void teardown(void)
{
    violations_done(&list);
    violations_done(&second);
    str_done(&shown);
}

static const struct {
    enum violation_code code;
    const char *path, *message, *expected, *actual;
    const char *line;
} cases[] = {
    {VIOLATION_NOT_JSON, "(root)", "line 2, column 1: oops", NULL, NULL,
     "[NOT_JSON] (root): line 2, column 1: oops\n"},
    {VIOLATION_NOT_OBJECT, "(root)", "not an object", "object", "array",
     "[NOT_OBJECT] (root): not an object (expected object, got array)\n"},
    {VIOLATION_MISSING_FIELD, "tasks[0].id", "missing", "string", NULL,
     "[MISSING_FIELD] tasks[0].id: missing\n"},
    {VIOLATION_WRONG_TYPE, "a", "wrong", NULL, "integer", "[WRONG_TYPE] a: wrong\n"},
    {VIOLATION_INVALID_VALUE, "a", "bad", "1..3", "9",
     "[INVALID_VALUE] a: bad (expected 1..3, got 9)\n"},
    {VIOLATION_KERNEL_MISMATCH, "kernel", "k", "x", "y",
     "[KERNEL_MISMATCH] kernel: k (expected x, got y)\n"},
    {VIOLATION_OP_MISMATCH, "op", "o", "", "", "[OP_MISMATCH] op: o (expected , got )\n"},
    {VIOLATION_INVALID_VALUE, "a\nb", "\033[2J\177", "\302\233x", "\303\251",
     "[INVALID_VALUE] a\\u000ab: \\u001b[2J\\u007f (expected \\u009bx, got \303\251)\n"},
};

START_TEST(test_D4_a_line_for_each)
{
    violations_add(&list, cases[_i].code, cases[_i].path, cases[_i].message, cases[_i].expected,
                   cases[_i].actual);
    violations_display(&list, &shown);
    ck_assert_str_eq(str_text(&shown), cases[_i].line);
}
END_TEST

START_TEST(test_empty_shows_nothing)
{
    violations_display(&list, &shown);
    ck_assert_str_eq(str_text(&shown), "");
}
END_TEST

START_TEST(test_added_violations_are_copied_in_order)
{
    char text[] = "first";
    violations_add(&list, VIOLATION_INVALID_VALUE, text, text, text, text);
    text[0] = 'X';
    violations_add(&list, VIOLATION_INVALID_VALUE, "second", "m", NULL, NULL);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.items[0].path, "first");
    ck_assert_str_eq(list.items[0].actual, "first");
    ck_assert_str_eq(list.items[1].path, "second");
    ck_assert_ptr_null(list.items[1].expected);
}
END_TEST

START_TEST(test_violations_past_the_limit_are_counted)
{
    for (int i = 0; i < VIOLATIONS_MAX; i++)
        violations_add(&list, VIOLATION_WRONG_TYPE, "a", "m", NULL, NULL);
    ck_assert_uint_eq(list.dropped, 0);
    for (int i = 0; i < 12; i++)
        violations_add(&list, VIOLATION_WRONG_TYPE, "b", "m", NULL, NULL);

    ck_assert_uint_eq(list.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(list.dropped, 12);
    violations_display(&list, &shown);
    ck_assert_ptr_nonnull(strstr(str_text(&shown), "[WRONG_TYPE] a: m\n... and 12 more\n"));
    ck_assert_ptr_null(strstr(str_text(&shown), "] b:"));
}
END_TEST

/* One mistake in many places is shown once, with the first places. Other mistakes are not lost
 * among them. */
START_TEST(test_equal_violations_are_shown_once_to_people)
{
    for (int i = 0; i < 90; i++) {
        char path[32];
        (void)snprintf(path, sizeof(path), "/tasks/%d/steps/0", i);
        violations_add(&list, VIOLATION_WRONG_TYPE, path, "m", "object", "array");
        if (i == 50)
            violations_add(&list, VIOLATION_WRONG_TYPE, path, "m", "object", "null");
        if (i < 4)
            violations_add(&list, VIOLATION_MISSING_FIELD, path, "id", NULL, NULL);
    }
    for (int i = 0; i < 12; i++)
        violations_add(&list, VIOLATION_NOT_JSON, "", "n", NULL, NULL);
    violations_display_brief(&list, &shown);
    ck_assert_str_eq(shown.data, "[WRONG_TYPE] /tasks/0/steps/0: m (expected object, got array)\n"
                                 "[WRONG_TYPE] /tasks/1/steps/0: m (expected object, got array)\n"
                                 "[WRONG_TYPE] /tasks/2/steps/0: m (expected object, got array)\n"
                                 "... and 87 more like this, at /tasks/N/steps/N\n"
                                 "[MISSING_FIELD] /tasks/0/steps/0: id\n"
                                 "[MISSING_FIELD] /tasks/1/steps/0: id\n"
                                 "[MISSING_FIELD] /tasks/2/steps/0: id\n"
                                 "[MISSING_FIELD] /tasks/3/steps/0: id\n"
                                 "[WRONG_TYPE] /tasks/50/steps/0: m (expected object, got null)\n"
                                 "[NOT_JSON] (root): n\n"
                                 "[NOT_JSON] (root): n\n"
                                 "[NOT_JSON] (root): n\n"
                                 "... and 2 more like this, at (root)\n"
                                 "... and 7 more\n");
}
END_TEST

START_TEST(test_done_twice_and_null)
{
    violations_add(&list, VIOLATION_WRONG_TYPE, "a", "m", NULL, NULL);
    violations_done(&list);
    ck_assert_uint_eq(list.count, 0);
    violations_done(&list);
    violations_done(NULL);
}
END_TEST

static struct json *document;

static void open_document(void)
{
    static const char text[] = "{\"b\": [1, {\"y\": 1, \"x\": 2}], \"a/b\": {\"m~n\": 1}, \"a\": "
                               "[0,1,2,3,4,5,6,7,8,9,10]}";
    setup();
    ck_assert(json_parse(text, sizeof(text) - 1, &document, NULL, NULL));
}

static void close_document(void)
{
    json_free(document);
    teardown();
}

/* Adds violations at these paths; "." is the whole document. */
static void add_paths(struct violations *to, const char *paths)
{
    for (const char *at = paths; *at;) {
        char path[64];
        size_t len = strcspn(at, " ");
        ck_assert_uint_lt(len, sizeof(path));
        memcpy(path, at, len);
        path[len] = '\0';
        violations_add(to, VIOLATION_INVALID_VALUE, strcmp(path, ".") == 0 ? "" : path,
                       to == &list ? "first" : "second", NULL, NULL);
        at += len + (at[len] == ' ' ? 1 : 0);
    }
}

static const struct {
    const char *name;
    const char *first, *second;
    const char *want;
} orders[] = {
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
    add_paths(&list, orders[_i].first);
    add_paths(&second, orders[_i].second);
    violations_merge(&list, &second, document);
    for (size_t i = 0; i < list.count; i++)
        str_addf(&shown, "%s%s", i > 0 ? " " : "", *list.items[i].path ? list.items[i].path : ".");
    ck_assert_msg(strcmp(str_text(&shown), orders[_i].want) == 0, "%s: %s", orders[_i].name,
                  str_text(&shown));
    ck_assert_uint_eq(second.count, 0);
}
END_TEST

START_TEST(test_at_one_path_the_first_list_comes_first)
{
    add_paths(&list, "/b");
    add_paths(&second, "/b");
    violations_merge(&list, &second, document);
    ck_assert_str_eq(list.items[0].message, "first");
    ck_assert_str_eq(list.items[1].message, "second");
}
END_TEST

START_TEST(test_without_a_document_the_second_goes_to_the_end)
{
    add_paths(&list, "/a");
    add_paths(&second, "/b");
    violations_merge(&list, &second, NULL);
    ck_assert_str_eq(list.items[0].path, "/a");
    ck_assert_str_eq(list.items[1].path, "/b");
}
END_TEST

START_TEST(test_dropped_violations_are_counted)
{
    for (int i = 0; i < VIOLATIONS_MAX; i++)
        add_paths(&list, "/a");
    for (int i = 0; i < VIOLATIONS_MAX + 5; i++)
        add_paths(&second, "/b");
    violations_merge(&list, &second, document);
    ck_assert_uint_eq(list.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(list.dropped, VIOLATIONS_MAX + 5);
    ck_assert_str_eq(list.items[VIOLATIONS_MAX - 1].path, "/b");
    ck_assert_uint_eq(second.dropped, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("violation");
    TCase *display = test_case(suite, "display");
    tcase_add_checked_fixture(display, setup, teardown);
    tcase_add_loop_test(display, test_D4_a_line_for_each, 0, TABLE_LEN(cases));
    tcase_add_test(display, test_empty_shows_nothing);
    tcase_add_test(display, test_equal_violations_are_shown_once_to_people);
    TCase *collecting = test_case(suite, "collecting");
    tcase_add_checked_fixture(collecting, setup, teardown);
    tcase_add_test(collecting, test_added_violations_are_copied_in_order);
    tcase_add_test(collecting, test_violations_past_the_limit_are_counted);
    tcase_add_test(collecting, test_done_twice_and_null);
    TCase *merging = test_case(suite, "merging");
    tcase_add_checked_fixture(merging, open_document, close_document);
    tcase_add_loop_test(merging, test_order_of_the_document, 0, TABLE_LEN(orders));
    tcase_add_test(merging, test_at_one_path_the_first_list_comes_first);
    tcase_add_test(merging, test_without_a_document_the_second_goes_to_the_end);
    tcase_add_test(merging, test_dropped_violations_are_counted);
    return suite;
}
