/* Does retrying help: what is counted, and how it is worded. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "attr.h"
#include "retry_help.h"
#include "test_main.h"
#include "xalloc.h"

static struct retry_help *help;

static void setup(void)
{
    help = xcalloc(1, sizeof(*help));
}

static void teardown(void)
{
    free(help);
}

static struct failure_class class_of(enum reason reason)
{
    return (struct failure_class){.label = {.class = VERDICT_PERSISTENT, .reason = reason}};
}

/* The attempts of one step, a letter each: T a test fails, t with another result, C it does not
 * compile, . it passes, x somebody cancels it, i devs dies; before it: h a hint, r a round ends. */
static void add_step(const char *letters)
{
    struct retry_step step = {.help = help};
    struct retry_attempt next = {.number = 0, .waited_ms = 1000, .ran_ms = 200};
    for (; *letters != '\0'; letters++) {
        if (*letters == 'h') {
            next.hinted = true;
            continue;
        }
        next.number++;
        next.class = *letters == '.'   ? (struct failure_class){0}
                     : *letters == 'C' ? class_of(REASON_COMPILE)
                                       : class_of(REASON_TEST_FAIL);
        next.outcome = *letters == 'x'   ? OUTCOME_CANCELLED
                       : *letters == 'i' ? OUTCOME_INTERRUPTED
                                         : OUTCOME_EXIT;
        next.fingerprint = (struct digest){.hi = 1, .lo = (uint64_t)*letters};
        next.ends_round = letters[1] == 'r';
        retry_step_add(&step, &next);
        next.hinted = false;
        letters += next.ends_round;
    }
}

static void add_steps(const char *letters, int times)
{
    for (int i = 0; i < times; i++)
        add_step(letters);
}

static const struct retry_class *class_with(enum reason reason)
{
    for (int i = 0; i < help->class_count; i++) {
        if (help->classes[i].class.label.reason == reason)
            return &help->classes[i];
    }
    ck_abort_msg("nothing failed so");
    return NULL;
}

static const struct {
    const char *letters;
    int failed, cases, passed, same, hinted, rounds; /* of the tests that failed */
} steps[] = {
    {".", 0, 0, 0, 0, 0, 0},   {"T", 1, 0, 0, 0, 0, 0},     {"T.", 1, 1, 1, 0, 0, 0},
    {"TT.", 2, 2, 1, 1, 0, 0}, {"Tt.", 2, 2, 1, 0, 0, 0},   {"TTTT", 4, 3, 0, 2, 0, 0},
    {"Th.", 1, 1, 1, 0, 1, 0}, {"TThT.", 3, 3, 1, 2, 1, 0}, {"Tx", 1, 0, 0, 0, 0, 0},
    {"Tx.", 1, 0, 0, 0, 0, 0}, {"Ti.", 1, 1, 1, 0, 0, 0},   {"TiT.", 2, 2, 1, 1, 0, 0},
    {"Tr.", 1, 0, 0, 0, 0, 1}, {"TrT.", 2, 1, 1, 0, 0, 1},  {"TTrT", 3, 1, 0, 0, 0, 1},
    {"CT.", 1, 1, 1, 0, 0, 0}, {"TCT.", 2, 2, 1, 0, 0, 0},  {"T.T.", 2, 2, 2, 0, 0, 0},
};

START_TEST(test_attempts_are_counted_by_what_came_next)
{
    add_step("T"); /* so that there is such a class */
    add_step(steps[_i].letters);
    const struct retry_class *class = class_with(REASON_TEST_FAIL);
    const struct retry_count all = retry_class_count(class, RETRY_OF_ALL, 0, 0);
    const char *name = steps[_i].letters;
    ck_assert_msg(class->failed == 1 + steps[_i].failed, "%s failed %d", name, (int)class->failed);
    ck_assert_msg(all.cases == steps[_i].cases, "%s cases %d", name, (int)all.cases);
    ck_assert_msg(all.passed == steps[_i].passed, "%s passed %d", name, (int)all.passed);
    ck_assert_msg(retry_class_count(class, RETRY_OF_SAME_FAULT, 0, 0).cases == steps[_i].same,
                  "%s same", name);
    ck_assert_msg(retry_class_count(class, RETRY_OF_HINTED, 0, 0).cases == steps[_i].hinted,
                  "%s hinted", name);
    ck_assert_msg(class->new_round.cases == steps[_i].rounds, "%s rounds", name);
    ck_assert_msg(class->waited_ms == all.cases * 1000, "%s waited", name);
    ck_assert_msg(class->in_vain_ms == (all.cases - all.passed) * 1200, "%s in vain", name);
}
END_TEST

START_TEST(test_tries_are_numbered_within_their_round)
{
    add_step("TTrTT.");
    const struct retry_class *class = class_with(REASON_TEST_FAIL);
    ck_assert_int_eq(retry_class_count(class, RETRY_OF_ALL, 2, 2).cases, 2);
    ck_assert_int_eq(retry_class_count(class, RETRY_OF_ALL, 3, 3).cases, 1);
    ck_assert_int_eq(retry_class_count(class, RETRY_OF_ALL, 3, 3).passed, 1);
    ck_assert_int_eq(retry_class_count(class, RETRY_OF_ALL, 4, 0).cases, 0);
}
END_TEST

START_TEST(test_many_tries_count_as_the_last_number)
{
    add_step("TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT.");
    const struct retry_class *class = class_with(REASON_TEST_FAIL);
    const int last = RETRY_TRIES_MAX;
    ck_assert_int_eq(retry_class_count(class, RETRY_OF_ALL, last, last).cases, 39 - (last - 2));
    ck_assert_int_eq(retry_class_count(class, RETRY_OF_ALL, last, last).passed, 1);
}
END_TEST

/* By R's binom package, method "wilson". */
static const struct {
    int64_t passed, cases;
    double low, high;
} intervals[] = {
    {0, 25, 0.0, 0.13319},  {131, 140, 0.88234, 0.96581}, {2, 31, 0.01787, 0.20719},
    {20, 20, 0.83887, 1.0}, {81, 263, 0.25529, 0.36621},  {1, 10, 0.01788, 0.40415},
};

START_TEST(test_interval_is_wilsons)
{
    const struct retry_share share = retry_share_of(
        (struct retry_count){.cases = intervals[_i].cases, .passed = intervals[_i].passed});
    ck_assert_double_eq_tol(share.low, intervals[_i].low, 0.00001);
    ck_assert_double_eq_tol(share.high, intervals[_i].high, 0.00001);
}
END_TEST

/* Pseudo-random numbers, the same ones each time (xorshift64*). */
static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * UINT64_C(2685821657736338717) >> 11) / 9007199254740992.0;
}

/* Logs with a known rate: the interval holds it about 95 times of 100. */
START_TEST(test_interval_covers_the_rate_of_made_up_logs)
{
    enum { LOGS = 1000, STEPS = 60 };
    static const double rates[] = {0.03, 0.29, 0.5, 0.94};
    uint64_t state = 88172645463325252U;
    int covered = 0;
    for (int log = 0; log < LOGS; log++) {
        const double rate = rates[log % (int)ARRAY_LEN(rates)];
        *help = (struct retry_help){0};
        for (int i = 0; i < STEPS; i++) {
            char letters[16] = "T";
            int tries = 1;
            while (tries < 6 && draw(&state) >= rate)
                letters[tries++] = 'T';
            if (tries < 6)
                letters[tries] = '.';
            add_step(letters);
        }
        const struct retry_share share =
            retry_share_of(retry_class_count(class_with(REASON_TEST_FAIL), RETRY_OF_ALL, 0, 0));
        covered += share.low <= rate && rate <= share.high;
    }
    ck_assert_int_ge(covered, LOGS * 93 / 100);
    ck_assert_int_le(covered, LOGS * 97 / 100);
}
END_TEST

START_TEST(test_tail_is_where_it_stops_paying)
{
    struct retry_tail tail = {0};
    add_steps("TT.", 10);
    add_steps("TTTTTT", 7);
    ck_assert(retry_class_tail(class_with(REASON_TEST_FAIL), &tail));
    ck_assert_int_eq(tail.from, 4);
    ck_assert_int_eq(tail.to, 6);
    ck_assert_int_eq(tail.count.cases, 21);
}
END_TEST

START_TEST(test_few_cases_have_no_tail)
{
    struct retry_tail tail = {0};
    add_steps("TT.", 10);
    add_steps("TTTTTT", 6);
    ck_assert(!retry_class_tail(class_with(REASON_TEST_FAIL), &tail));
}
END_TEST

static struct retry_case case_of(bool same, int try)
{
    return (struct retry_case){
        .class = class_of(REASON_TEST_FAIL), .same = same, .number = try + 3, .try = try};
}

START_TEST(test_odds_are_of_the_closest_cases_of_which_there_are_enough)
{
    struct retry_odds odds = {0};
    struct retry_case like = case_of(true, 3);
    struct str words = {0};
    add_steps("T.", 19);
    ck_assert(!retry_help_odds(help, &like, &odds));
    add_step("Tt"); /* the twentieth, of the class alone */
    ck_assert(retry_help_odds(help, &like, &odds));
    ck_assert(!odds.by_fault && !odds.by_try);
    ck_assert_int_eq(odds.count.passed, 19);
    add_steps("TTTT.", 10); /* at tries 3 to 5 after the same fault */
    ck_assert(retry_help_odds(help, &like, &odds));
    ck_assert(odds.by_fault && !odds.by_try);
    ck_assert_int_eq(odds.count.cases, 30);
    add_steps("TT.", 2);
    add_steps("TTt", 8);
    ck_assert(retry_help_odds(help, &like, &odds));
    ck_assert(odds.by_fault && odds.by_try);
    retry_odds_words(&odds, &words);
    ck_assert_str_eq(words.data,
                     "10% that try 6 passes (2 of 20 similar tries: test-fail, the same fault "
                     "twice, try 3)");
    str_done(&words);
}
END_TEST

START_TEST(test_an_unknown_class_has_no_odds)
{
    struct retry_odds odds = {0};
    const struct retry_case like = case_of(false, 2);
    add_steps("C.", 100);
    ck_assert(!retry_help_odds(help, &like, &odds));
}
END_TEST

START_TEST(test_words_need_enough_cases)
{
    struct str words = {0};
    add_steps("TT.", 13);
    add_steps("TTTTTT", 7);
    add_steps("thT", 20);
    retry_class_words(class_with(REASON_TEST_FAIL), &words);
    ck_assert_str_eq(words.data,
                     "try 2: 0%, try 3: 65%\n"
                     "tries 4 to 6 passed 0 of 21\n"
                     "after the same fault twice: 32% (13 of 41), otherwise 0% (0 of 40)\n"
                     "with a hint: 0% (0 of 20), without: 21% (13 of 61)\n");
    str_done(&words);
}
END_TEST

START_TEST(test_few_cases_have_no_words)
{
    struct str words = {0};
    add_steps("TTT.", 5);
    retry_class_words(class_with(REASON_TEST_FAIL), &words);
    ck_assert_uint_eq(words.len, 0);
    str_done(&words);
    retry_count_words(retry_class_count(class_with(REASON_TEST_FAIL), RETRY_OF_ALL, 0, 0), &words);
    ck_assert_str_eq(words.data, "too few to say (5 of 15)");
    str_done(&words);
}
END_TEST

START_TEST(test_percent_tells_nearly_none_from_none)
{
    static const struct {
        double share;
        const char *want;
    } shares[] = {{0, "0%"},      {0.004, "0.4%"},  {0.006, "1%"}, {0.294, "29%"},
                  {0.994, "99%"}, {0.997, "99.7%"}, {1, "100%"}};
    for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
        struct str words = {0};
        retry_percent(shares[i].share, &words);
        ck_assert_str_eq(words.data, shares[i].want);
        str_done(&words);
    }
}
END_TEST

START_TEST(test_classes_are_in_order_and_excess_ones_are_counted)
{
    struct retry_step step = {.help = help};
    add_steps("T.", 2);
    for (int code = 1; code <= RETRY_CLASSES_MAX; code++) {
        const struct retry_attempt attempt = {
            .number = code,
            .class = {.label = {.class = VERDICT_PERSISTENT}, .kind = OUTCOME_EXIT, .code = code}};
        retry_step_add(&step, &attempt);
    }
    retry_help_sort(help);
    ck_assert_int_eq(help->class_count, RETRY_CLASSES_MAX);
    ck_assert_int_eq(help->untold, 1);
    ck_assert_int_eq(help->classes[0].class.label.reason, REASON_TEST_FAIL);
    ck_assert_int_eq(help->classes[1].class.code, 1);
    ck_assert_int_eq(help->classes[2].class.code, 10);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("retry_help");
    TCase *tcase = test_case(suite, "count");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_attempts_are_counted_by_what_came_next, 0,
                        (int)ARRAY_LEN(steps));
    tcase_add_test(tcase, test_tries_are_numbered_within_their_round);
    tcase_add_test(tcase, test_many_tries_count_as_the_last_number);
    tcase_add_loop_test(tcase, test_interval_is_wilsons, 0, (int)ARRAY_LEN(intervals));
    tcase_add_test(tcase, test_interval_covers_the_rate_of_made_up_logs);
    tcase_add_test(tcase, test_tail_is_where_it_stops_paying);
    tcase_add_test(tcase, test_few_cases_have_no_tail);
    tcase_add_test(tcase, test_odds_are_of_the_closest_cases_of_which_there_are_enough);
    tcase_add_test(tcase, test_an_unknown_class_has_no_odds);
    tcase_add_test(tcase, test_words_need_enough_cases);
    tcase_add_test(tcase, test_few_cases_have_no_words);
    tcase_add_test(tcase, test_percent_tells_nearly_none_from_none);
    tcase_add_test(tcase, test_classes_are_in_order_and_excess_ones_are_counted);
    return suite;
}
