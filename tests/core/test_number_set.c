#include "number_set.h"

#include "attr.h"
#include "test_main.h"

enum { WALK_STEPS = 1000 };

static const int sizes[] = {1, 2, 63, 64, 65, 4095, 4096, 4097};

START_TEST(test_empty_has_no_first)
{
    struct number_set none;
    number_set_init(&none, 0);
    ck_assert_int_eq(number_set_first(&none), -1);
    ck_assert_int_eq(none.count, 0);
    number_set_done(&none);
    number_set_done(&none);
    number_set_done(NULL);
}
END_TEST

/* What the set must answer, found the slow way. */
static void check(const struct number_set *set, const bool *has)
{
    int first = -1;
    int count = 0;
    for (int i = 0; i < set->size; i++) {
        first = first < 0 && has[i] ? i : first;
        count += has[i];
    }
    ck_assert_int_eq(number_set_first(set), first);
    ck_assert_int_eq(set->count, count);
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

START_TEST(test_random_walk_agrees_with_a_plain_search)
{
    enum { SIZE = 200 };
    uint32_t seed = (uint32_t)_i + 1;
    bool has[SIZE] = {false};
    struct number_set set;
    number_set_init(&set, SIZE);
    for (int step = 0; step < WALK_STEPS; step++) {
        const int number = (int)(draw(&seed) % SIZE);
        has[number] = draw(&seed) % 4 == 0;
        if (has[number])
            number_set_add(&set, number);
        else
            number_set_remove(&set, number);
        ck_assert(number_set_has(&set, number) == has[number]);
        check(&set, has);
    }
    number_set_done(&set);
}
END_TEST

START_TEST(test_each_size_finds_its_numbers_in_order)
{
    const int size = sizes[_i];
    struct number_set set;
    number_set_init(&set, size);
    for (int i = size - 1; i >= 0; i--)
        number_set_add(&set, i);
    number_set_add(&set, 0);
    ck_assert_int_eq(set.count, size);
    int next = 0;
    while (next < size && number_set_first(&set) == next) {
        number_set_remove(&set, next);
        number_set_remove(&set, next++);
    }
    ck_assert_int_eq(next, size);
    ck_assert_int_eq(number_set_first(&set), -1);
    ck_assert_int_eq(set.count, 0);
    uint64_t left = 0;
    for (size_t i = 0; i < number_set_words(&set); i++)
        left |= set.words[i];
    ck_assert_uint_eq(left, 0);
    number_set_add(&set, size - 1);
    ck_assert_int_eq(number_set_first(&set), size - 1);
    number_set_done(&set);
}
END_TEST

START_TEST(test_counts_what_is_before)
{
    enum { SIZE = 200 };
    static const int numbers[] = {0, 5, 63, 64, 130, 199};
    struct number_set set;
    number_set_init(&set, SIZE);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        number_set_add(&set, numbers[i]);
    for (int number = 0; number < SIZE; number++) {
        int want = 0;
        for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
            want += numbers[i] < number;
        ck_assert_int_eq(number_set_before(&set, number), want);
    }
    number_set_done(&set);
}
END_TEST

START_TEST(test_grows_and_keeps_its_numbers)
{
    struct number_set set;
    number_set_init(&set, 1);
    number_set_add(&set, 0);
    bool is_new = true;
    for (int size = 2; size <= 5000; size++) {
        number_set_grow(&set, size);
        is_new = is_new && !number_set_has(&set, size - 1);
        if (size % 3 == 0)
            number_set_add(&set, size - 1);
    }
    ck_assert(is_new);
    number_set_grow(&set, 10);
    ck_assert_int_eq(set.size, 5000);
    ck_assert_int_eq(set.count, 1 + 5000 / 3);
    number_set_remove(&set, 0);
    int want = 2;
    for (; number_set_first(&set) == want; want += 3)
        number_set_remove(&set, want);
    ck_assert_int_eq(number_set_first(&set), -1);
    ck_assert_int_eq(want, 5000);
    number_set_done(&set);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("number_set");
    TCase *tcase = tcase_create("number_set");
    tcase_add_test(tcase, test_empty_has_no_first);
    tcase_add_loop_test(tcase, test_random_walk_agrees_with_a_plain_search, 0, 3);
    tcase_add_loop_test(tcase, test_each_size_finds_its_numbers_in_order, 0, (int)ARRAY_LEN(sizes));
    tcase_add_test(tcase, test_counts_what_is_before);
    tcase_add_test(tcase, test_grows_and_keeps_its_numbers);
    suite_add_tcase(suite, tcase);
    return suite;
}
