#include "policy.h"

#include "str.h"
#include "test_main.h"

static const struct {
    int64_t used, limit, base;
    bool near, spent;
} uses[] = {
    {0, 0, 0, false, false},
    {1000, 0, 0, false, false}, /* no limit */
    {79, 100, 0, false, false},
    {80, 100, 0, true, false},
    {99, 100, 0, true, false},
    {100, 100, 0, true, true},
    {101, 100, 0, true, true},
    {0, 1, 0, false, false}, /* of one there is no part */
    {3, 4, 0, true, false},
    {2, 4, 0, false, false},
    {107, 110, 100, false, false},
    {108, 110, 100, true, false}, /* given again at 100 */
    {110, 110, 100, true, true},
    {0, INT64_MAX, 0, false, false},
    {INT64_MAX, INT64_MAX, 0, true, true},
};

START_TEST(test_most_of_a_budget_and_all_of_it)
{
    const struct budget_use use = {.kind = BUDGET_TURNS,
                                   .used = uses[_i].used,
                                   .limit = uses[_i].limit,
                                   .base = uses[_i].base};
    ck_assert_int_eq(budget_use_is_near(&use), uses[_i].near);
    ck_assert_int_eq(budget_use_is_spent(&use), uses[_i].spent);
}
END_TEST

static const struct {
    struct budget_use use;
    const char *words;
} rows[] = {
    {{.kind = BUDGET_COST, .used = 2100000, .limit = 2500000}, "$2.10 of $2.50"},
    {{.kind = BUDGET_TURNS, .used = 40, .limit = 50}, "40 of 50 turns"},
    {{.kind = BUDGET_CALLS, .used = 3, .limit = 8}, "3 of 8 calls"},
    {{.kind = BUDGET_WALL, .used = 61499, .limit = 120000}, "61 of 120 s"},
    {{.kind = BUDGET_WALL, .used = 870, .limit = 1500}, "0.9 of 1.5 s"},
    {{.kind = BUDGET_WALL, .used = 400, .limit = 5000}, "0.4 of 5.0 s"},
    {{.kind = BUDGET_WALL, .used = 12345, .limit = 60250}, "12.35 of 60.25 s"},
    {{.kind = BUDGET_WALL, .used = 1, .limit = 7}, "0.001 of 0.007 s"},
    {{.kind = BUDGET_COST, .used = 185, .limit = 555}, "$0.0002 of $0.0006"},
    {{.kind = BUDGET_COST, .used = 9949, .limit = 9950}, "$0.0099 of $0.01"},
    {{.kind = BUDGET_COST, .used = 99, .limit = 995000}, "<$0.0001 of $1.00"},
    {{.kind = BUDGET_COST, .used = 0, .limit = INT64_MAX}, "$0.00 of $9223372036854.78"},
};

START_TEST(test_what_is_used_in_words)
{
    struct str words = {0};
    budget_use_words(&rows[_i].use, &words);
    ck_assert_str_eq(str_text(&words), rows[_i].words);
    str_done(&words);
}
END_TEST

START_TEST(test_any_limit_makes_a_budget)
{
    static const char *const names[] = {"none", "cost_usd", "turns", "calls", "wall_s"};
    const struct budget none = {0};
    ck_assert(!budget_is_set(&none));
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        struct budget budget = {0};
        budget.limits[kind] = 1;
        ck_assert(budget_is_set(&budget));
        ck_assert_str_eq(budget_kind_name((enum budget_kind)kind), names[kind]);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("budget");
    TCase *tcase = test_case(suite, "budget");
    tcase_add_loop_test(tcase, test_most_of_a_budget_and_all_of_it, 0, TABLE_LEN(uses));
    tcase_add_loop_test(tcase, test_what_is_used_in_words, 0, TABLE_LEN(rows));
    tcase_add_test(tcase, test_any_limit_makes_a_budget);
    return suite;
}
