#include "outcome.h"

#include "test_main.h"

static const struct {
    enum outcome_kind kind;
    const char *want;
} name_cases[] = {
    {OUTCOME_EXIT, "exit"},
    {OUTCOME_SIGNAL, "signal"},
    {OUTCOME_NOT_STARTED, "not started"},
    {OUTCOME_TIMEOUT, "timeout"},
    {OUTCOME_CANCELLED, "cancelled"},
    {OUTCOME_INTERRUPTED, "interrupted"},
};

START_TEST(test_kind_has_its_name)
{
    ck_assert_str_eq(outcome_kind_name(name_cases[_i].kind), name_cases[_i].want);
}
END_TEST

START_TEST(test_every_kind_is_covered)
{
    ck_assert_int_eq(TABLE_LEN(name_cases), OUTCOME_KIND_COUNT);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("outcome");
    TCase *names = test_case(suite, "names");
    tcase_add_loop_test(names, test_kind_has_its_name, 0, TABLE_LEN(name_cases));
    tcase_add_test(names, test_every_kind_is_covered);
    return suite;
}
