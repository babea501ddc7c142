#include "policy.h"

#include <math.h>

#include "test_main.h"

START_TEST(test_A7_delays_are_500_and_1000_ms)
{
    const struct policy *sandbox = policy_named("sandbox");
    ck_assert_int_eq(policy_delay(sandbox, 1, 0, -1).delay_ms, 500);
    ck_assert_int_eq(policy_delay(sandbox, 2, 0, -1).delay_ms, 1000);
}
END_TEST

START_TEST(test_A9_attempts_base_and_multiplier_are_options)
{
    struct policy policy = *policy_named("sandbox");
    policy.base_delay_ms = 30;
    policy.multiplier = 3;
    ck_assert_int_eq(policy_delay(&policy, 1, 0, -1).delay_ms, 30);
    ck_assert_int_eq(policy_delay(&policy, 2, 0, -1).delay_ms, 90);
    ck_assert_int_eq(policy_delay(&policy, 3, 0, -1).delay_ms, 270);
}
END_TEST

START_TEST(test_B3_infrastructure_doubles_from_1000_to_30000_ms)
{
    static const int64_t want[] = {1000, 2000, 4000, 8000, 16000, 30000, 30000};
    const struct policy *policy = policy_named("infrastructure");
    ck_assert_int_eq(policy->max_attempts, 4);
    ck_assert_int_eq(policy_delay(policy, _i + 1, 0, -1).delay_ms, want[_i]);
}
END_TEST

static const struct {
    const char *name;
    int max_attempts;
    int64_t base_ms, cap_ms;
    double jitter;
    unsigned retry_on;
    unsigned phases;
    int window;
} builtin_cases[] = {
    {"sandbox", 3, 500, 30000, 0, 3, 1 << PHASE_GREEN | 1 << PHASE_VERIFY, 0},
    {"infrastructure", 4, 1000, 30000, 0, POLICY_ON_TRANSIENT, 15, 0},
    {"research", 3, 1000, 60000, 0, 3, 15, 3},
    {"transport", 4, 2000, 60000, 0.5, POLICY_ON_TRANSIENT, 15, 0},
};

START_TEST(test_builtin_policies_are_as_documented)
{
    const struct policy *policy = policy_named(builtin_cases[_i].name);
    ck_assert_ptr_nonnull(policy);
    ck_assert_ptr_eq(policy, policy_builtin((size_t)_i));
    ck_assert_int_eq(policy->max_attempts, builtin_cases[_i].max_attempts);
    ck_assert_int_eq(policy->base_delay_ms, builtin_cases[_i].base_ms);
    ck_assert_int_eq(policy->cap_ms, builtin_cases[_i].cap_ms);
    ck_assert_double_eq(policy->multiplier, 2);
    ck_assert_double_eq(policy->jitter, builtin_cases[_i].jitter);
    ck_assert_uint_eq(policy->retry_on, builtin_cases[_i].retry_on);
    ck_assert_uint_eq(policy->phases, builtin_cases[_i].phases);
    ck_assert_int_eq(policy->window, builtin_cases[_i].window);
    ck_assert_int_eq(policy->retry_after_cap_ms, 6 * 3600 * 1000);
}
END_TEST

START_TEST(test_unknown_policy_is_none)
{
    ck_assert_ptr_null(policy_named("patience"));
    ck_assert_ptr_null(policy_builtin(4));
}
END_TEST

START_TEST(test_exponent_saturates)
{
    struct policy policy = *policy_named("infrastructure");
    ck_assert_int_eq(policy_delay(&policy, 1000000, 0, -1).delay_ms, 30000);
    policy.multiplier = 1;
    ck_assert_int_eq(policy_delay(&policy, 1000000, 0, -1).delay_ms, 1000);
}
END_TEST

START_TEST(test_jitter_stays_within_its_fraction_and_the_cap)
{
    const struct policy *policy = policy_named("transport");
    struct draw_key key = {.seed = (uint64_t)_i, .attempt = 1};
    struct delay delay = policy_delay(policy, 1 + _i % 7, policy_draw(&key), -1);
    ck_assert_int_ge(delay.delay_ms, (int64_t)floor((double)delay.exact_ms * 0.5));
    ck_assert_int_le(delay.delay_ms, (int64_t)ceil((double)delay.exact_ms * 1.5));
    ck_assert_int_le(delay.delay_ms, policy->cap_ms);
}
END_TEST

START_TEST(test_draws_have_their_documented_values)
{
    static const struct {
        struct draw_key key;
        uint64_t want;
    } vectors[] = {
        {{.seed = 0, .task = 0, .step = 0, .round = 1, .attempt = 1}, 1105244400883166ULL},
        {{.seed = 1, .task = 0, .step = 0, .round = 1, .attempt = 1}, 5421060137090128ULL},
        {{.seed = 1, .task = 2, .step = 3, .round = 1, .attempt = 4}, 3693802841653937ULL},
    };
    uint64_t draw = policy_draw(&vectors[_i].key);
    ck_assert_uint_lt(draw, 1ULL << 53);
    ck_assert_uint_eq(draw, vectors[_i].want);
}
END_TEST

START_TEST(test_each_part_of_the_key_matters)
{
    struct draw_key key = {.seed = 1, .task = 1, .step = 1, .round = 1, .attempt = 1};
    uint64_t before = policy_draw(&key);
    int *parts[] = {&key.task, &key.step, &key.round, &key.attempt};
    ++*parts[_i];
    ck_assert_uint_ne(policy_draw(&key), before);
}
END_TEST

START_TEST(test_hint_is_a_floor)
{
    const struct policy *policy = policy_named("sandbox");
    ck_assert_int_eq(policy_delay(policy, 1, 0, 90000).delay_ms, 90000);
    ck_assert_int_eq(policy_delay(policy, 1, 0, 10).delay_ms, 500);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("policy");
    TCase *tcase = test_case(suite, "policy");
    tcase_add_test(tcase, test_A7_delays_are_500_and_1000_ms);
    tcase_add_test(tcase, test_A9_attempts_base_and_multiplier_are_options);
    tcase_add_loop_test(tcase, test_B3_infrastructure_doubles_from_1000_to_30000_ms, 0, 7);
    tcase_add_loop_test(tcase, test_builtin_policies_are_as_documented, 0,
                        TABLE_LEN(builtin_cases));
    tcase_add_test(tcase, test_unknown_policy_is_none);
    tcase_add_test(tcase, test_exponent_saturates);
    tcase_add_loop_test(tcase, test_jitter_stays_within_its_fraction_and_the_cap, 0, 500);
    tcase_add_loop_test(tcase, test_draws_have_their_documented_values, 0, 3);
    tcase_add_loop_test(tcase, test_each_part_of_the_key_matters, 0, 4);
    tcase_add_test(tcase, test_hint_is_a_floor);
    return suite;
}
