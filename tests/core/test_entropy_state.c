#include <string.h>

#include "entropy.h"
#include "str.h"
#include "test_main.h"

static struct entropy_limits limits;

static void setup(void)
{
    limits = entropy_limits_new();
}

/* A trajectory with repeats, laps, failures, messages, plans and pauses in it. */
static struct entropy_fact fact_at(int i)
{
    const int part = i / 40;
    struct entropy_fact fact = {.call = {1, (uint64_t)(i % (1 + part % 5)) + 1},
                                .outcome = {2, (uint64_t)(part + 1)},
                                .raw = (uint64_t)i * (uint64_t)(part % 2),
                                .new_permille = 0};
    if (i % 40 < 3)
        fact.gain = ENTROPY_GAIN_LINE;
    if (part % 3 == 1)
        fact.bits = ENTROPY_FAILED;
    if (i % 11 == 5)
        fact.kind = i % 2 == 0 ? ENTROPY_NEUTRAL : ENTROPY_MESSAGE;
    if (part == 6)
        fact.kind = ENTROPY_PAUSE;
    return fact;
}

static void reload(struct entropy_state *state)
{
    struct str bytes = {0};
    struct entropy_state again = {0};
    size_t used = 0;
    entropy_state_save(state, &bytes);
    ck_assert_uint_le(bytes.len, ENTROPY_STATE_BYTES_MAX);
    const size_t len = bytes.len;
    str_add(&bytes, "behind");
    ck_assert(entropy_state_load(&again, bytes.data, bytes.len, &used, NULL));
    ck_assert_uint_eq(used, len);
    entropy_state_done(state);
    *state = again;
    str_done(&bytes);
}

START_TEST(test_saved_after_each_step_says_the_same)
{
    struct entropy_state whole = {0};
    struct entropy_state parts = {0};
    int levels[ENTROPY_LEVEL_COUNT] = {0};
    for (int i = 0; i < 400; i++) {
        const struct entropy_fact fact = fact_at(i);
        struct entropy_verdict a;
        struct entropy_verdict b;
        if (i == 200) {
            entropy_state_go_on(&whole);
            entropy_state_go_on(&parts);
        }
        entropy_apply(&whole, &fact, i + 1, &limits, &a);
        entropy_apply(&parts, &fact, i + 1, &limits, &b);
        levels[a.level]++;
        ck_assert_int_eq(a.level, b.level);
        ck_assert_int_eq(a.rung, b.rung);
        ck_assert_int_eq(a.news, b.news);
        ck_assert_int_eq(a.count, b.count);
        ck_assert_int_eq(a.period, b.period);
        ck_assert_int_eq(a.first, b.first);
        ck_assert_int_eq(a.first_number, b.first_number);
        ck_assert(digest_equal(a.identity, b.identity));
        ck_assert_int_eq(entropy_state_is_stuck(&parts), a.level == ENTROPY_STUCK);
        reload(&parts);
    }
    for (int i = 0; i < ENTROPY_LEVEL_COUNT; i++)
        ck_assert_int_gt(levels[i], 0);
    entropy_state_done(&whole);
    entropy_state_done(&parts);
}
END_TEST

START_TEST(test_calls_are_found_from_a_step_on)
{
    struct entropy_state state = {0};
    struct entropy_verdict verdict;
    for (int i = 1; i <= 10; i++) {
        const struct entropy_fact fact = {.call = {7, (uint64_t)i}, .gain = ENTROPY_GAIN_LINE};
        entropy_apply(&state, &fact, i, &limits, &verdict);
    }
    ck_assert(entropy_state_has_call(&state, (struct digest){7, 4}, 1));
    ck_assert(entropy_state_has_call(&state, (struct digest){7, 4}, 4));
    ck_assert(!entropy_state_has_call(&state, (struct digest){7, 4}, 5));
    ck_assert(!entropy_state_has_call(&state, (struct digest){7, 11}, 1));
    entropy_state_done(&state);
    ck_assert(!entropy_state_has_call(&state, (struct digest){7, 4}, 1));
}
END_TEST

START_TEST(test_damaged_bytes_are_refused)
{
    struct entropy_state state = {0};
    struct entropy_verdict verdict;
    struct str bytes = {0};
    size_t used = 0;
    for (int i = 0; i < 20; i++) {
        const struct entropy_fact fact = fact_at(i);
        entropy_apply(&state, &fact, i + 1, &limits, &verdict);
    }
    entropy_state_save(&state, &bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        struct err err = {0};
        ck_assert(!entropy_state_load(&state, bytes.data, len, &used, &err));
        ck_assert_int_eq(err.code, ERR_INVALID);
    }
    for (size_t at = 0; at < bytes.len; at++) { /* no byte may lead out of bounds */
        struct entropy_state other = {0};
        const char was = bytes.data[at];
        bytes.data[at] = (char)0xff;
        if (entropy_state_load(&other, bytes.data, bytes.len, &used, NULL)) {
            const struct entropy_fact fact = fact_at(20);
            entropy_apply(&other, &fact, 21, &limits, &verdict);
        }
        entropy_state_done(&other);
        bytes.data[at] = was;
    }
    ck_assert_int_eq(entropy_state_steps(&state), 20);
    entropy_state_done(&state);
    str_done(&bytes);
}
END_TEST

/* What is loaded is counted on: no number is so large that the next step would not fit. */
START_TEST(test_numbers_beyond_all_steps_are_refused)
{
    enum { STEPS_AT = 4 + 4 }; /* behind the magic and the scale, lowest byte first */
    struct entropy_state state = {0};
    struct str bytes = {0};
    size_t used = 0;
    entropy_state_save(&state, &bytes);
    ck_assert(entropy_state_load(&state, bytes.data, bytes.len, &used, NULL));
    memset(bytes.data + STEPS_AT, 0xff, 7);
    bytes.data[STEPS_AT + 7] = 0x7f;
    ck_assert(!entropy_state_load(&state, bytes.data, bytes.len, &used, NULL));
    entropy_state_done(&state);
    str_done(&bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("entropy_state");
    TCase *tcase = test_case(suite, "entropy_state");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_saved_after_each_step_says_the_same);
    tcase_add_test(tcase, test_calls_are_found_from_a_step_on);
    tcase_add_test(tcase, test_damaged_bytes_are_refused);
    tcase_add_test(tcase, test_numbers_beyond_all_steps_are_refused);
    return suite;
}
