#include "lines.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

static const struct {
    const char *text;
    bool is_error;
} cases[] = {
    {"error: expected ';' before '}'", true},
    {"src/tax.c:88:3: error: unknown type", true},
    {"TypeError: undefined is not a function", true},
    {"java.lang.NullPointerException: null", true},
    {"Traceback (most recent call last):", true},
    {"FAILED tests/test_tax.py::test_three - AssertionError", true},
    {"not ok 3 - rounds half to even", true},
    {"# tests 14, passed 13, failed 1", true},
    {"thread 'main' panicked at src/main.rs:3", true},
    {"error[E0382]: borrow of moved value", true},
    {"make: *** [Makefile:3: test] Error 1", true},
    {"2 errors", true},
    {"failed: 10", true},
    {"0 errors, 2 warnings", false},
    {"no errors found", false},
    {"done without error", false},
    {"# tests 14, passed 14, failed 0", false},
    {"errors=0", false},
    {"failures: 0", false},
    {"compiling error.c", false},
    {"src/error/handler.go", false},
    {"error_code = 3", false},
    {"an error-handler is set", false},
    {"--fail-fast", false},
    {"terror and errors.txt", false},
    {"ok 3 - not okay", false},
    {"", false},
};

START_TEST(test_looks_like_an_error)
{
    ck_assert_msg(line_is_error(cases[_i].text, strlen(cases[_i].text)) == cases[_i].is_error,
                  "\"%s\"", cases[_i].text);
}
END_TEST

/* What is far to the right of a long line does not count: the time it takes is bounded. */
START_TEST(test_a_long_line_is_looked_at_to_a_limit)
{
    char text[ERROR_LINE_BYTES + 16];
    (void)snprintf(text, sizeof(text), "%*s%-15s", ERROR_LINE_BYTES, "", "error");
    ck_assert(!line_is_error(text, sizeof(text)));
    ck_assert(line_is_error(text + 16, sizeof(text) - 16));
}
END_TEST

static const struct {
    const char *text, *telling; /* NULL = no line */
} outputs[] = {
    {"building\nfoo.c:12: error: no such thing\nmake: *** [all] Error 1\n",
     "foo.c:12: error: no such thing"},
    {"  File \"x.py\", line 3\nValueError: bad amount\n\n", "ValueError: bad amount"},
    {"error: first\nerror: second\nnote: see above", "error: second"},
    {"cannot open tax.csv\n", "cannot open tax.csv"},
    {"npm ERR! code ELIFECYCLE\n", "npm ERR! code ELIFECYCLE"},
    {"one\r\ntwo\r\n", "two"},
    {"\n \t\n", NULL},
    {"", NULL},
};

START_TEST(test_the_line_that_says_most)
{
    size_t len = 0;
    const char *line = line_telling(outputs[_i].text, strlen(outputs[_i].text), &len);
    if (!outputs[_i].telling) {
        ck_assert_ptr_null(line);
        return;
    }
    ck_assert_ptr_nonnull(line);
    ck_assert_uint_eq(len, strlen(outputs[_i].telling));
    ck_assert_int_eq(memcmp(line, outputs[_i].telling, len), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("error_line");
    TCase *tcase = test_case(suite, "error line");
    tcase_add_loop_test(tcase, test_looks_like_an_error, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_a_long_line_is_looked_at_to_a_limit);
    tcase_add_loop_test(tcase, test_the_line_that_says_most, 0, TABLE_LEN(outputs));
    return suite;
}
