#include "classify.h"

#include "test_main.h"

static struct str out;
static struct err err;

static void setup(void)
{
    out = (struct str){0};
    err = (struct err){0};
}

static void teardown(void)
{
    str_done(&out);
}

static const struct {
    const char *name;
    const char *rules;
    const char *rule;
    const char *want;
} good[] = {
    {"the first", NULL, "{\"name\":\"a\",\"x\":1}", "[{\"name\":\"a\",\"x\":1}]"},
    {"one more", "[{\"name\":\"a\"}]", " {\"id\": \"b\"} ", "[{\"name\":\"a\"},{\"id\":\"b\"}]"},
    {"in its place", "[{\"name\":\"a\"},{\"name\":\"b\"}]", "{\"name\":\"a\",\"x\":2}",
     "[{\"name\":\"a\",\"x\":2},{\"name\":\"b\"}]"},
    {"id and name are one", "[{\"id\":\"a\"}]", "{\"name\":\"a\"}", "[{\"name\":\"a\"}]"},
    {"a list", "[{\"name\":\"a\"}]", "[{\"name\":\"b\"},{\"name\":\"a\",\"x\":1}]",
     "[{\"name\":\"a\",\"x\":1},{\"name\":\"b\"}]"},
};

START_TEST(test_a_rule_is_added_or_takes_a_place)
{
    ck_assert_msg(rule_list_add(good[_i].rules, good[_i].rule, &out, &err), "%s: %s", good[_i].name,
                  err.message);
    ck_assert_str_eq(str_text(&out), good[_i].want);
}
END_TEST

static const struct {
    const char *name;
    const char *rules;
    const char *rule;
    const char *want;
} bad[] = {
    {"no JSON", NULL, "{\"name\":\n x}", "the rule: line 2, column 2: invalid token 'x'"},
    {"no rule", NULL, "3", "a rule must be an object, not integer"},
    {"no rule in a list", NULL, "[3]", "a rule must be an object, not integer"},
    {"nothing", NULL, "[]", "a rule must be an object, not an empty list"},
    {"no name", NULL, "{}", "a rule needs a name"},
    {"empty name", NULL, "{\"name\":\"\"}", "a rule needs a name"},
    {"twice", NULL, "[{\"name\":\"a\"},{\"id\":\"a\"}]", "rule a: given twice"},
    {"no list", "{}", "{\"name\":\"a\"}", "the rules: expected a list, got object"},
};

START_TEST(test_what_is_no_rule_is_refused_with_a_word)
{
    ck_assert(!rule_list_add(bad[_i].rules, bad[_i].rule, &out, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.message, bad[_i].want);
    ck_assert_uint_eq(out.len, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rule_list");
    TCase *add = test_case(suite, "add");
    tcase_add_checked_fixture(add, setup, teardown);
    tcase_add_loop_test(add, test_a_rule_is_added_or_takes_a_place, 0, TABLE_LEN(good));
    tcase_add_loop_test(add, test_what_is_no_rule_is_refused_with_a_word, 0, TABLE_LEN(bad));
    return suite;
}
