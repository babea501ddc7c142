#include "policy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "str.h"
#include "test_main.h"

/* Asserts the delays from the first try on; 0 ends the list. */
static void check_delays(const struct policy *policy, const int64_t *want)
{
    for (int n = 1; want[n - 1] > 0; n++)
        ck_assert_int_eq(policy_delay(policy, n, 0, -1).delay_ms, want[n - 1]);
}

START_TEST(test_A7_delays_are_500_and_1000_ms)
{
    check_delays(policy_named(POLICY_DEFAULT), (const int64_t[]){500, 1000, 0});
}
END_TEST

START_TEST(test_A9_attempts_base_and_multiplier_are_options)
{
    struct policy policy = *policy_named(POLICY_DEFAULT);
    policy.base_delay_ms = 30;
    policy.multiplier = 3;
    check_delays(&policy, (const int64_t[]){30, 90, 270, 0});
}
END_TEST

START_TEST(test_B3_infrastructure_doubles_from_1000_to_30000_ms)
{
    ck_assert_int_eq(policy_named("infrastructure")->max_attempts, 4);
    check_delays(policy_named("infrastructure"),
                 (const int64_t[]){1000, 2000, 4000, 8000, 16000, 30000, 30000, 0});
}
END_TEST

START_TEST(test_C7_research_waits_1_2_and_4_seconds)
{
    check_delays(policy_named("research"),
                 (const int64_t[]){1000, 2000, 4000, 8000, 16000, 32000, 60000, 0});
}
END_TEST

enum { ALL_PHASES = 1 << PHASE_RED | 1 << PHASE_GREEN | 1 << PHASE_VERIFY | 1 << PHASE_REFACTOR };

/* What the built-in policies do not share. */
static const struct policy builtin_cases[] = {
    {.name = POLICY_DEFAULT,
     .max_attempts = 3,
     .base_delay_ms = 500,
     .cap_ms = 30000,
     .retry_on = POLICY_ON_TRANSIENT | POLICY_ON_PERSISTENT,
     .phases = 1 << PHASE_GREEN | 1 << PHASE_VERIFY,
     .retry_timeouts = true},
    {.name = "infrastructure",
     .max_attempts = 4,
     .base_delay_ms = 1000,
     .cap_ms = 30000,
     .retry_on = POLICY_ON_TRANSIENT,
     .phases = ALL_PHASES,
     .retry_timeouts = true},
    {.name = "research",
     .max_attempts = 3,
     .base_delay_ms = 1000,
     .cap_ms = 60000,
     .retry_on = POLICY_ON_TRANSIENT | POLICY_ON_PERSISTENT,
     .phases = ALL_PHASES,
     .window = 3,
     .exhausted = POLICY_EXHAUSTED_MAX_RETRIES,
     .retry_timeouts = true},
    {.name = "transport",
     .max_attempts = 4, /* the first one and 3 retries */
     .base_delay_ms = 2000,
     .cap_ms = 60000,
     .jitter_kind = POLICY_JITTER_PROPORTIONAL,
     .jitter = 0.5,
     .retry_on = POLICY_ON_TRANSIENT,
     .phases = ALL_PHASES},
    {.name = "careful",
     .max_attempts = 3,
     .base_delay_ms = 500,
     .cap_ms = 30000,
     .retry_on = POLICY_ON_TRANSIENT | POLICY_ON_UNKNOWN,
     .phases = 1 << PHASE_GREEN | 1 << PHASE_VERIFY,
     .retry_timeouts = true,
     .unchanged_stops = 2},
};

START_TEST(test_E1_builtin_policies_are_as_documented)
{
    const struct policy *want = &builtin_cases[_i];
    const struct policy *policy = policy_named(want->name);
    ck_assert_ptr_nonnull(policy);
    ck_assert_ptr_eq(policy, policy_builtin((size_t)_i));
    ck_assert_int_eq(policy->max_attempts, want->max_attempts);
    ck_assert_int_eq(policy->base_delay_ms, want->base_delay_ms);
    ck_assert_int_eq(policy->cap_ms, want->cap_ms);
    ck_assert_double_eq(policy->multiplier, 2);
    ck_assert_int_eq((int)policy->jitter_kind, (int)want->jitter_kind);
    ck_assert_double_eq(policy->jitter, want->jitter);
    ck_assert_uint_eq(policy->retry_on, want->retry_on);
    ck_assert_uint_eq(policy->phases, want->phases);
    ck_assert_int_eq(policy->window, want->window);
    ck_assert_int_eq(policy->retry_timeouts, want->retry_timeouts);
    ck_assert_int_eq(policy->unchanged_stops, want->unchanged_stops);
    ck_assert_int_eq(policy->same_stops, 0);
    ck_assert_int_eq(policy->deadline_ms, 0);
    ck_assert_int_eq((int)policy->exhausted, (int)want->exhausted);
    ck_assert_int_eq(policy->retry_after_cap_ms, 6 * 3600 * 1000);
}
END_TEST

enum { HALF = 1, LAST = 2 }; /* draws: 0, u = 1/2, the largest u */

static uint64_t draw_of(int which)
{
    static const uint64_t draws[] = {0, 1ULL << 52, (1ULL << 53) - 1};
    return draws[which];
}

static const struct {
    enum policy_jitter kind;
    double jitter;
    int n, draw;
    int64_t want_exact_ms, want_ms;
} backoff_cases[] = {
    {POLICY_JITTER_NONE, 0, 1, 0, 2000, 2000},
    {POLICY_JITTER_NONE, 0, 2, LAST, 4000, 4000},
    {POLICY_JITTER_NONE, 0, 5, HALF, 32000, 32000},
    {POLICY_JITTER_NONE, 0, 6, 0, 60000, 60000},
    {POLICY_JITTER_NONE, 0.5, 1, 0, 2000, 2000}, /* the kind decides */
    {POLICY_JITTER_PROPORTIONAL, 0, 3, LAST, 8000, 8000},
    {POLICY_JITTER_PROPORTIONAL, 0.5, 1, 0, 2000, 1000},
    {POLICY_JITTER_PROPORTIONAL, 0.5, 1, HALF, 2000, 2000},
    {POLICY_JITTER_PROPORTIONAL, 0.5, 1, LAST, 2000, 3000},
    {POLICY_JITTER_PROPORTIONAL, 0.5, 6, 0, 60000, 30000},
    {POLICY_JITTER_PROPORTIONAL, 0.5, 6, LAST, 60000, 60000}, /* a cap is a cap */
    {POLICY_JITTER_PROPORTIONAL, 1, 4, 0, 16000, 0},          /* never below 0 */
    {POLICY_JITTER_FULL, 0, 1, 0, 2000, 0},
    {POLICY_JITTER_FULL, 0, 1, HALF, 2000, 1000},
    {POLICY_JITTER_FULL, 0, 1, LAST, 2000, 1999},
    {POLICY_JITTER_FULL, 0, 100, HALF, 60000, 30000},
    {POLICY_JITTER_FULL, 0.5, 2, HALF, 4000, 2000},
};

START_TEST(test_E3_backoff_is_exponential_with_jitter)
{
    struct policy policy = *policy_named("transport");
    policy.jitter_kind = backoff_cases[_i].kind;
    policy.jitter = backoff_cases[_i].jitter;
    struct delay delay =
        policy_delay(&policy, backoff_cases[_i].n, draw_of(backoff_cases[_i].draw), -1);
    ck_assert_int_eq(delay.exact_ms, backoff_cases[_i].want_exact_ms);
    ck_assert_int_eq(delay.delay_ms, backoff_cases[_i].want_ms);
    ck_assert_int_eq(delay.retry_number, backoff_cases[_i].n);
    ck_assert_int_eq(delay.hint_ms, -1);
    int64_t by_formula = (int64_t)((double)delay.exact_ms * delay.factor);
    ck_assert_int_eq(by_formula < 60000 ? by_formula : 60000, delay.delay_ms);
}
END_TEST

START_TEST(test_unknown_policy_is_not_found)
{
    ck_assert_ptr_null(policy_named("patience"));
    ck_assert_ptr_null(policy_builtin(5));
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
        {{.seed = 1, .task = 0, .step = 0, .round = 1, .attempt = 2}, 1596531073905195ULL},
        {{.seed = 1, .task = 0, .step = 0, .round = 1, .attempt = 3}, 5782859122727513ULL},
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
    const struct policy *policy = policy_named(POLICY_DEFAULT);
    ck_assert_int_eq(policy_delay(policy, 1, 0, 90000).delay_ms, 90000);
    ck_assert_int_eq(policy_delay(policy, 1, 0, 10).delay_ms, 500);
    ck_assert_int_eq(policy_delay(policy, 1, 0, 0).delay_ms, 500);
    ck_assert_int_eq(policy_delay(policy, 1, 0, 10).hint_ms, 10);
}
END_TEST

START_TEST(test_jitter_does_not_get_below_a_hint)
{
    struct policy policy = *policy_named("transport");
    policy.jitter_kind = POLICY_JITTER_FULL;
    struct delay delay = policy_delay(&policy, 1, 0, 700);
    ck_assert_int_eq(delay.delay_ms, 700);
    ck_assert_int_eq(delay.exact_ms, 2000);
    ck_assert_double_eq(delay.factor, 0);
}
END_TEST

START_TEST(test_no_delay_is_a_delay_of_0)
{
    struct policy policy = *policy_named(POLICY_DEFAULT);
    policy.base_delay_ms = 0;
    ck_assert_int_eq(policy_delay(&policy, 9, 0, -1).delay_ms, 0);
    policy = *policy_named(POLICY_DEFAULT);
    policy.cap_ms = 0;
    ck_assert_int_eq(policy_delay(&policy, 9, 0, -1).delay_ms, 0);
}
END_TEST

START_TEST(test_which_failures_a_policy_retries)
{
    struct policy policy = *policy_named(POLICY_DEFAULT);
    policy.retry_on = (unsigned)_i;
    const bool any = (_i & POLICY_ON_PERSISTENT) != 0;
    const bool unknown = any || (_i & POLICY_ON_UNKNOWN) != 0;
    ck_assert(policy_retries_on(&policy, VERDICT_TRANSIENT, false) ==
              ((_i & POLICY_ON_TRANSIENT) != 0));
    ck_assert(policy_retries_on(&policy, VERDICT_PERSISTENT, true) == any);
    ck_assert(policy_retries_on(&policy, VERDICT_PERSISTENT, false) == unknown);
    ck_assert(!policy_retries_on(&policy, VERDICT_SUCCESS, false));
}
END_TEST

/* What differs from the default policy, and its text. */
static const struct {
    const char *json;
    const char *want;
} word_cases[] = {
    {"\"max_attempts\": 1", "never retried"},
    {"\"retry_on\": []", "never retried"},
    {"\"phases\": []", "never retried"},
    {"\"base_delay_ms\": 0, \"retry_timeouts\": false",
     "at once, any failure, not after a timeout"},
    {"\"cap_ms\": 0", "at once, any failure"},
    {"\"cap_ms\": 0, \"retry_on\": [\"unknown\"]", "at once, if unknown"},
    {"\"cap_ms\": 0, \"retry_on\": [\"transient\", \"unknown\"], \"unchanged_stops\": 2",
     "at once, if transient or unknown, stops after 2 equal results on an unchanged tree"},
    {"\"multiplier\": 1, \"cap_ms\": 9000, \"retry_on\": [\"transient\"]",
     "after 500 ms, if transient"},
    {"\"base_delay_ms\": 5000, \"multiplier\": 3, \"cap_ms\": 2000, \"same_stops\": 4, "
     "\"window\": 5, \"retry_on\": [\"persistent\"]",
     "after 2 s, if persistent, stops after 4 equal results"},
    {"\"base_delay_ms\": 1500, \"multiplier\": 1.5, \"cap_ms\": 120000, \"jitter\": 0.25, "
     "\"window\": 2, \"deadline_ms\": 7200000",
     "after 1500 ms, x 1.5 up to 2 min, jitter 25%, any failure, stops after 2 equal results, "
     "within 2 h"},
    {"\"base_delay_ms\": 1000, \"cap_ms\": 61000, \"jitter\": \"full\"",
     "after 1 s, x 2 up to 61 s, full jitter, any failure"},
};

START_TEST(test_a_policy_in_words)
{
    struct str json = {0}, words = {0};
    struct plan *plan = NULL;
    struct violations wrong = {0};
    str_addf(&json,
             "{\"version\": 1, \"idempotent\": true, \"policies\": {\"p\": {%s}}, "
             "\"tasks\": [{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}]}]}",
             word_cases[_i].json);
    ck_assert_msg(plan_parse(str_text(&json), json.len, &plan, &wrong), "%s", str_text(&json));
    policy_words(plan_policy_find(plan, "p"), &words);
    ck_assert_str_eq(str_text(&words), word_cases[_i].want);
    plan_free(plan);
    str_done(&json);
    str_done(&words);
}
END_TEST

static const struct {
    int window, same_stops, want;
} equal_results[] = {{0, 0, 0}, {3, 0, 3}, {0, 4, 4}, {2, 5, 2}, {5, 2, 2}, {3, 3, 3}};

START_TEST(test_the_smaller_limit_of_equal_results_counts)
{
    const struct policy policy = {.window = equal_results[_i].window,
                                  .same_stops = equal_results[_i].same_stops};
    ck_assert_int_eq(policy_equal_max(&policy), equal_results[_i].want);
}
END_TEST

START_TEST(test_a_policy_says_how_it_ends)
{
    struct str words = {0};
    struct policy policy = *policy_named("research");
    policy.retry_after_cap_ms = 0;
    policy.deadline_ms = 5000;
    policy_words(&policy, &words);
    ck_assert_str_eq(str_text(&words), "after 1 s, x 2 up to 1 min, any failure, stops after 3 "
                                       "equal results, ends with max retries "
                                       "exceeded, ignores the server's hints, within 5 s");
    str_clear(&words);
    policy_deadline_words(&policy, &words);
    ck_assert_str_eq(str_text(&words), "within 5 s");
    str_done(&words);
}
END_TEST

START_TEST(test_kinds_have_names)
{
    ck_assert_str_eq(policy_jitter_name(POLICY_JITTER_NONE), "none");
    ck_assert_str_eq(policy_jitter_name(POLICY_JITTER_PROPORTIONAL), "proportional");
    ck_assert_str_eq(policy_jitter_name(POLICY_JITTER_FULL), "full");
    ck_assert_str_eq(policy_exhausted_name(POLICY_EXHAUSTED_BY_CLASS), "by-class");
    ck_assert_str_eq(policy_exhausted_name(POLICY_EXHAUSTED_MAX_RETRIES), "max-retries");
}
END_TEST

/* Returns the line of the page that begins so. The caller frees. */
static char *line_of_page(const char *page_path, const char *begin)
{
    char *page = test_read_file(test_source_path(page_path));
    ck_assert_ptr_nonnull(page);
    char *at = page;
    while (at && strncmp(at, begin, strlen(begin)) != 0) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    ck_assert_msg(at != NULL, "%s has no line '%s'", page_path, begin);
    size_t len = strcspn(at, "\n");
    memmove(page, at, len);
    page[len] = '\0';
    return page;
}

START_TEST(test_C8_the_documented_delays_are_those_computed)
{
    struct policy policy = *policy_named("transport");
    struct draw_key key = {.seed = 1, .round = 1, .attempt = _i};
    uint64_t draw = policy_draw(&key);
    struct str begin = {0};
    struct str want = {0};
    str_addf(&begin, "| 1; 0, 0, 1, %d |", _i);
    str_addf(&want, "%s %" PRIu64 " | %" PRId64 " ms | ", str_text(&begin), draw,
             policy_delay(&policy, _i, draw, -1).delay_ms);
    policy.jitter_kind = POLICY_JITTER_FULL;
    str_addf(&want, "%" PRId64 " ms |", policy_delay(&policy, _i, draw, -1).delay_ms);
    char *line = line_of_page("docs/policies.md", str_text(&begin));
    ck_assert_str_eq(line, str_text(&want));
    free(line);
    str_done(&begin);
    str_done(&want);
}
END_TEST

/* Budgets of agents */

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
    {0, 1, 0, false, false}, /* 1 has no part */
    {3, 4, 0, true, false},
    {2, 4, 0, false, false},
    {107, 110, 100, false, false},
    {108, 110, 100, true, false}, /* a retry at 100 gave as much again */
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
} amounts[] = {
    {{.kind = BUDGET_COST, .used = 2100000, .limit = 2500000}, "$2.10 of $2.50"},
    {{.kind = BUDGET_DAY, .used = 2100000, .limit = 2500000}, "$2.10 of $2.50 today"},
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

START_TEST(test_a_used_budget_in_words)
{
    struct str words = {0};
    budget_use_words(&amounts[_i].use, &words);
    ck_assert_str_eq(str_text(&words), amounts[_i].words);
    str_done(&words);
}
END_TEST

START_TEST(test_any_limit_makes_a_budget)
{
    static const char *const names[] = {"none", "cost_usd", "turns", "calls", "wall_s", "day_usd"};
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
    Suite *suite = suite_create("policy");
    TCase *tcase = test_case(suite, "policy");
    tcase_add_test(tcase, test_A7_delays_are_500_and_1000_ms);
    tcase_add_test(tcase, test_A9_attempts_base_and_multiplier_are_options);
    tcase_add_test(tcase, test_B3_infrastructure_doubles_from_1000_to_30000_ms);
    tcase_add_loop_test(tcase, test_E1_builtin_policies_are_as_documented, 0,
                        TABLE_LEN(builtin_cases));
    tcase_add_test(tcase, test_unknown_policy_is_not_found);
    tcase_add_test(tcase, test_exponent_saturates);
    tcase_add_loop_test(tcase, test_jitter_stays_within_its_fraction_and_the_cap, 0, 500);
    tcase_add_loop_test(tcase, test_draws_have_their_documented_values, 0, 5);
    tcase_add_loop_test(tcase, test_each_part_of_the_key_matters, 0, 4);
    tcase_add_test(tcase, test_hint_is_a_floor);
    tcase_add_test(tcase, test_jitter_does_not_get_below_a_hint);
    tcase_add_test(tcase, test_no_delay_is_a_delay_of_0);
    tcase_add_loop_test(tcase, test_E3_backoff_is_exponential_with_jitter, 0,
                        TABLE_LEN(backoff_cases));
    tcase_add_test(tcase, test_C7_research_waits_1_2_and_4_seconds);
    tcase_add_loop_test(tcase, test_which_failures_a_policy_retries, 0, 8);
    tcase_add_loop_test(tcase, test_a_policy_in_words, 0, TABLE_LEN(word_cases));
    tcase_add_loop_test(tcase, test_the_smaller_limit_of_equal_results_counts, 0,
                        TABLE_LEN(equal_results));
    tcase_add_test(tcase, test_a_policy_says_how_it_ends);
    tcase_add_test(tcase, test_kinds_have_names);
    tcase_add_loop_test(tcase, test_C8_the_documented_delays_are_those_computed, 1, 4);
    TCase *budgets = test_case(suite, "budgets");
    tcase_add_loop_test(budgets, test_most_of_a_budget_and_all_of_it, 0, TABLE_LEN(uses));
    tcase_add_loop_test(budgets, test_a_used_budget_in_words, 0, TABLE_LEN(amounts));
    tcase_add_test(budgets, test_any_limit_makes_a_budget);
    return suite;
}
