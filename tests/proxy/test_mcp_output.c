#include "mcp_request.h"

#include <string.h>

#include "attr.h"
#include "test_main.h"

static const struct {
    const char *name, *text, *want;
    int count;
} cases[] = {
    {"pytest",
     "FAILED tests/test_a.py::test_sum - assert 1 == 2\nFAILED tests/b.py::TestX::test_y\n",
     "\"tests/test_a.py::test_sum\",\"tests/b.py::TestX::test_y\"", 2},
    {"unittest", "FAIL: test_a (t.T)\n----\nERROR: test_b (t.T)\nERROR: cannot read it\n",
     "\"test_a (t.T)\",\"test_b (t.T)\"", 2},
    {"TAP",
     "ok 1 - a\nnot ok 2 - b c\nnot ok 3 - d # TO"
     "DO later\n    not ok 4 e\n",
     "\"b c\",\"e\"", 2},
    {"cargo", "test a::b ... ok\ntest a::c ... FAILED\n", "\"a::c\"", 1},
    {"go", "--- FAIL: TestSum (0.00s)\n    --- FAIL: TestSum/zero (0.00s)\n",
     "\"TestSum\",\"TestSum/zero\"", 2},
    {"googletest",
     "[  FAILED  ] A.B (3 ms)\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.B\n", "\"A.B\"",
     1},
    {"CTest", "The following tests FAILED:\n\t  3 - core.plan (Failed)\n\t 14 - ui.app (Timeout)\n",
     "\"core.plan\",\"ui.app\"", 2},
    {"jest", "  \u25cf sum \u203a adds\n\n    expect(1)\n", "\"sum \u203a adds\"", 1},
    {"prose names none", "3 tests failed\nFAILED to load\nok 1 - not ok\ntest it ... ok\n", "", 0},
    {"cut at the end", "not ok 1 - half", "\"half\"", 1},
    {"nothing", "", "", 0},
};

START_TEST(test_names_are_found_by_their_form)
{
    struct str names = {0};
    int count = mcp_failing_find(cases[_i].text, strlen(cases[_i].text), &names);
    ck_assert_msg(strcmp(str_text(&names), cases[_i].want) == 0, "%s: %s", cases[_i].name,
                  str_text(&names));
    ck_assert_int_eq(count, cases[_i].count);
    str_done(&names);
}
END_TEST

START_TEST(test_no_more_names_than_may_be)
{
    struct str text = {0};
    struct str names = {0};
    for (int i = 0; i < 2 * MCP_FAILING_MAX; i++)
        str_addf(&text, "not ok %d - test %d\n", i, i);
    ck_assert_int_eq(mcp_failing_find(str_text(&text), text.len, &names), MCP_FAILING_MAX);
    str_done(&names);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mcp_output");
    TCase *tcase = test_case(suite, "names");
    tcase_add_loop_test(tcase, test_names_are_found_by_their_form, 0, ARRAY_LEN(cases));
    tcase_add_test(tcase, test_no_more_names_than_may_be);
    return suite;
}
