#include "json_repair.h"

#include <string.h>

#include "test_main.h"

static const struct {
    const char *name;
    const char *text;
    const char *want;
} cases[] = {
    {"nothing to do", "{\"a\":\"b\\n\303\251\"}", "{\"a\":\"b\\n\303\251\"}"},
    {"U+0000", "\"a\\u0000b\"", "\"a\\u0001b\""},
    {"a pair", "\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\""},
    {"half a pair", "\"\\ud83d x\"", "\"\\ufffd x\""},
    {"the other half", "\"\\ude00\"", "\"\\ufffd\""},
    {"no UTF-8", "\"\377\"", "\"?\""},
    {"a backslash before a wide character", "\"\\\303\251\"", "\"\\\303\251\""},
    {"a backslash before no UTF-8", "\"\\\303\"", "\"\\?\""},
    {"a backslash at the end", "\\", "\\"},
};

START_TEST(test_repair)
{
    struct str out = {0};
    json_repair(&out, cases[_i].text, strlen(cases[_i].text));
    ck_assert_msg(strcmp(str_text(&out), cases[_i].want) == 0, "%s: %s", cases[_i].name,
                  str_text(&out));
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("json_repair");
    tcase_add_loop_test(test_case(suite, "repair"), test_repair, 0, TABLE_LEN(cases));
    return suite;
}
