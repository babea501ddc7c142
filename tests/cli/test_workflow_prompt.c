#include "project.h"

#include "test_main.h"

static const struct workflow_value values[] = {
    {"idea", "a {{folder}} in {braces}"},
    {"folder", "/srv"},
    {"done_when", ""},
};
static const struct workflow_values all = {values, ARRAY_LEN(values)};

static const struct {
    const char *text;
    const char *want;
} filled[] = {
    {"", ""},
    {"as it is", "as it is"},
    {"in {{folder}}.", "in /srv."},
    {"{{folder}}{{folder}}", "/srv/srv"},
    {"[{{done_when}}]", "[]"},
    {"{{idea}}", "a {{folder}} in {braces}"},
    {"{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}"},
    {"{{\"a\": 1}}", "{{\"a\": 1}}"},
    {"{{}} {{ folder }} {{folder} {{Folder}}", "{{}} {{ folder }} {{folder} {{Folder}}"},
    {"{{{folder}}}", "{/srv}"},
    {"{", "{"},
    {"{{", "{{"},
};

START_TEST(test_names_are_replaced)
{
    struct str out = {0};
    struct err err = {0};
    ck_assert(workflow_prompt_fill(filled[_i].text, &all, &out, &err));
    ck_assert_str_eq(str_text(&out), filled[_i].want);
    str_done(&out);
}
END_TEST

START_TEST(test_a_name_without_a_value_is_told)
{
    struct str out = {0};
    struct err err = {0};
    ck_assert(!workflow_prompt_fill("in {{foldr}}", &all, &out, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.message, "unknown placeholder {{foldr}}");
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("workflow_prompt");
    TCase *tcase = test_case(suite, "fill");
    tcase_add_loop_test(tcase, test_names_are_replaced, 0, TABLE_LEN(filled));
    tcase_add_test(tcase, test_a_name_without_a_value_is_told);
    return suite;
}
