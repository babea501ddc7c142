#include "policy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"
#include "test_main.h"

START_TEST(test_A7_delays_are_500_and_1000_ms)
{
    const struct policy *standard = policy_named(POLICY_DEFAULT);
    ck_assert_int_eq(policy_delay(standard, 1, 0, -1).delay_ms, 500);
    ck_assert_int_eq(policy_delay(standard, 2, 0, -1).delay_ms, 1000);
}
END_TEST

START_TEST(test_A9_attempts_base_and_multiplier_are_options)
{
    struct policy policy = *policy_named(POLICY_DEFAULT);
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
    enum policy_exhausted exhausted;
} builtin_cases[] = {
    {POLICY_DEFAULT, 3, 500, 30000, 0, 3, 1 << PHASE_GREEN | 1 << PHASE_VERIFY, 0,
     POLICY_EXHAUSTED_BY_CLASS},
    {"infrastructure", 4, 1000, 30000, 0, POLICY_ON_TRANSIENT, 15, 0, POLICY_EXHAUSTED_BY_CLASS},
    {"research", 3, 1000, 60000, 0, 3, 15, 3, POLICY_EXHAUSTED_MAX_RETRIES},
    {"transport", 4, 2000, 60000, 0.5, POLICY_ON_TRANSIENT, 15, 0, POLICY_EXHAUSTED_BY_CLASS},
    {"careful", 3, 500, 30000, 0, POLICY_ON_TRANSIENT | POLICY_ON_UNKNOWN,
     1 << PHASE_GREEN | 1 << PHASE_VERIFY, 0, POLICY_EXHAUSTED_BY_CLASS},
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
    ck_assert_int_eq(policy->same_stops, 0);
    ck_assert_int_eq(policy->deadline_ms, 0);
    ck_assert_int_eq((int)policy->exhausted, (int)builtin_cases[_i].exhausted);
    ck_assert_int_eq(policy->retry_after_cap_ms, 6 * 3600 * 1000);
}
END_TEST

START_TEST(test_E1_transport_defaults)
{
    const struct policy *policy = policy_named("transport");
    ck_assert_int_eq(policy->max_attempts, 4); /* the first one and 3 retries */
    ck_assert_int_eq(policy->base_delay_ms, 2000);
    ck_assert_int_eq(policy->cap_ms, 60000);
    ck_assert_int_eq((int)policy->jitter_kind, POLICY_JITTER_PROPORTIONAL);
    ck_assert_double_eq(policy->jitter, 0.5);
    ck_assert(policy_retries_on(policy, VERDICT_TRANSIENT, false));
    ck_assert(!policy_retries_on(policy, VERDICT_PERSISTENT, false));
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
    ck_assert_int_eq(delay.n, backoff_cases[_i].n);
    ck_assert_int_eq(delay.hint_ms, -1);
    int64_t by_formula = (int64_t)((double)delay.exact_ms * delay.factor);
    ck_assert_int_eq(by_formula < 60000 ? by_formula : 60000, delay.delay_ms);
}
END_TEST

START_TEST(test_C7_research_waits_1_2_and_4_seconds)
{
    const struct policy *policy = policy_named("research");
    ck_assert_int_eq(policy_delay(policy, 1, 0, -1).delay_ms, 1000);
    ck_assert_int_eq(policy_delay(policy, 2, 0, -1).delay_ms, 2000);
    ck_assert_int_eq(policy_delay(policy, 3, 0, -1).delay_ms, 4000);
    ck_assert_int_eq(policy_delay(policy, 6, 0, -1).delay_ms, 32000);
    ck_assert_int_eq(policy_delay(policy, 7, 0, -1).delay_ms, policy->cap_ms);
}
END_TEST

START_TEST(test_unknown_policy_is_none)
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

/* docs/policies.md has them too: the delays of a run, from its seed to the last ms. */
START_TEST(test_delays_have_their_documented_values)
{
    static const struct {
        enum policy_jitter kind;
        int attempt;
        int64_t want_ms;
    } vectors[] = {
        {POLICY_JITTER_NONE, 1, 2000},         {POLICY_JITTER_NONE, 2, 4000},
        {POLICY_JITTER_NONE, 3, 8000},         {POLICY_JITTER_PROPORTIONAL, 1, 2203},
        {POLICY_JITTER_PROPORTIONAL, 2, 2709}, {POLICY_JITTER_PROPORTIONAL, 3, 9136},
        {POLICY_JITTER_FULL, 1, 1203},         {POLICY_JITTER_FULL, 2, 709},
        {POLICY_JITTER_FULL, 3, 5136},
    };
    struct policy policy = *policy_named("transport");
    policy.jitter_kind = vectors[_i].kind;
    struct draw_key key = {.seed = 1, .round = 1, .attempt = vectors[_i].attempt};
    struct delay delay = policy_delay(&policy, vectors[_i].attempt, policy_draw(&key), -1);
    ck_assert_int_eq(delay.delay_ms, vectors[_i].want_ms);
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

START_TEST(test_what_a_policy_tries_again_on)
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

static const struct {
    struct policy policy;
    const char *want;
} word_cases[] = {
    {{.max_attempts = 1, .retry_on = 3, .phases = 15}, "never again"},
    {{.max_attempts = 2, .retry_on = 0, .phases = 15}, "never again"},
    {{.max_attempts = 2, .retry_on = 3, .phases = 0}, "never again"},
    {{.max_attempts = 2, .retry_on = 3, .phases = 1, .cap_ms = 9},
     "at once, any failure, not after a timeout"},
    {{.max_attempts = 2, .retry_on = 3, .phases = 1, .base_delay_ms = 5, .retry_timeouts = true},
     "at once, any failure"},
    {{.max_attempts = 2, .retry_timeouts = true, .retry_on = 4, .phases = 1, .base_delay_ms = 5},
     "at once, if unknown"},
    {{.max_attempts = 2,
      .retry_timeouts = true,
      .retry_on = 5,
      .phases = 1,
      .base_delay_ms = 5,
      .unchanged_stops = 2},
     "at once, if transient or unknown, stops after 2 equal results on an unchanged tree"},
    {{.max_attempts = 2,
      .retry_timeouts = true,
      .retry_on = 1,
      .phases = 1,
      .base_delay_ms = 500,
      .multiplier = 1,
      .cap_ms = 9000},
     "after 500 ms, if transient"},
    {{.max_attempts = 2,
      .retry_timeouts = true,
      .retry_on = 2,
      .phases = 1,
      .base_delay_ms = 5000,
      .multiplier = 3,
      .cap_ms = 2000,
      .same_stops = 4,
      .window = 5},
     "after 2 s, if persistent, stops after 4 equal results"},
    {{.max_attempts = 2,
      .retry_timeouts = true,
      .retry_on = 3,
      .phases = 1,
      .base_delay_ms = 1500,
      .multiplier = 1.5,
      .cap_ms = 120000,
      .jitter_kind = POLICY_JITTER_PROPORTIONAL,
      .jitter = 0.25,
      .window = 2,
      .deadline_ms = 7200000},
     "after 1500 ms, x 1.5 up to 2 min, jitter 25 %, any failure, stops after 2 equal results, "
     "within 2 "
     "h"},
    {{.max_attempts = 2,
      .retry_timeouts = true,
      .retry_on = 3,
      .phases = 1,
      .base_delay_ms = 1000,
      .multiplier = 2,
      .cap_ms = 61000,
      .jitter_kind = POLICY_JITTER_FULL},
     "after 1 s, x 2 up to 61 s, full jitter, any failure"},
};

START_TEST(test_a_policy_in_words)
{
    struct str words = {0};
    struct policy policy = word_cases[_i].policy;
    policy.retry_after_cap_ms = 1000;
    policy_words(&policy, &words);
    ck_assert_str_eq(str_text(&words), word_cases[_i].want);
    str_done(&words);
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
                                       "equal results, used up: max retries "
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

/* The line of the page that begins so; the caller frees. */
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

static void add_field(const struct policy *policy, const char *key, struct str *out)
{
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"max_attempts", policy->max_attempts},
        {"base_delay_ms", (double)policy->base_delay_ms},
        {"multiplier", policy->multiplier},
        {"cap_ms", (double)policy->cap_ms},
        {"jitter", policy->jitter},
        {"window", policy->window},
        {"same_stops", policy->same_stops},
        {"unchanged_stops", policy->unchanged_stops},
        {"retry_after_cap_ms", (double)policy->retry_after_cap_ms},
        {"deadline_ms", (double)policy->deadline_ms},
    };
    for (int i = 0; i < TABLE_LEN(numbers); i++) {
        if (strcmp(numbers[i].key, key) == 0)
            str_addf(out, " %.9g |", numbers[i].value);
    }
    if (strcmp(key, "retry_timeouts") == 0)
        str_add(out, policy->retry_timeouts ? " true |" : " false |");
    if (strcmp(key, "exhausted") == 0)
        str_addf(out, " %s |", policy_exhausted_name(policy->exhausted));
}

static const char *const documented[] = {
    "max_attempts", "base_delay_ms",   "multiplier",
    "cap_ms",       "jitter",          "window",
    "same_stops",   "unchanged_stops", "retry_after_cap_ms",
    "deadline_ms",  "exhausted",       "retry_timeouts",
};

START_TEST(test_C8_the_documented_policies_are_the_built_in_ones)
{
    struct str begin = {0};
    struct str want = {0};
    str_addf(&begin, "| `%s` |", documented[_i]);
    const struct policy *policy;
    for (size_t i = 0; (policy = policy_builtin(i)) != NULL; i++)
        add_field(policy, documented[_i], &want);
    char *line = line_of_page("docs/policies.md", str_text(&begin));
    ck_assert_msg(strlen(line) > want.len &&
                      strcmp(line + strlen(line) - want.len, str_text(&want)) == 0,
                  "%s is not%s", line, str_text(&want));
    free(line);
    str_done(&begin);
    str_done(&want);
}
END_TEST

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
    tcase_add_loop_test(tcase, test_draws_have_their_documented_values, 0, 5);
    tcase_add_loop_test(tcase, test_each_part_of_the_key_matters, 0, 4);
    tcase_add_test(tcase, test_hint_is_a_floor);
    tcase_add_test(tcase, test_jitter_does_not_get_below_a_hint);
    tcase_add_test(tcase, test_no_delay_is_a_delay_of_0);
    tcase_add_test(tcase, test_E1_transport_defaults);
    tcase_add_loop_test(tcase, test_E3_backoff_is_exponential_with_jitter, 0,
                        TABLE_LEN(backoff_cases));
    tcase_add_test(tcase, test_C7_research_waits_1_2_and_4_seconds);
    tcase_add_loop_test(tcase, test_delays_have_their_documented_values, 0, 9);
    tcase_add_loop_test(tcase, test_what_a_policy_tries_again_on, 0, 8);
    tcase_add_loop_test(tcase, test_a_policy_in_words, 0, TABLE_LEN(word_cases));
    tcase_add_test(tcase, test_a_policy_says_how_it_ends);
    tcase_add_test(tcase, test_kinds_have_names);
    tcase_add_loop_test(tcase, test_C8_the_documented_policies_are_the_built_in_ones, 0,
                        TABLE_LEN(documented));
    tcase_add_loop_test(tcase, test_C8_the_documented_delays_are_those_computed, 1, 4);
    return suite;
}
