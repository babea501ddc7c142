/* test_containers.c - the heap and the set of numbers, each compared with a plain search. */
#include "attr.h"
#include "heap.h"
#include "number_set.h"
#include "test_main.h"

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/*
 * Heap: the least key first, equal keys by number.
 */

enum { HEAP_SIZE = 50, HEAP_STEPS = 4000 };

struct heap_model {
    bool has[HEAP_SIZE];
    int64_t keys[HEAP_SIZE];
};

static bool agrees(const struct heap *heap, const struct heap_model *model, int size)
{
    int first = -1;
    int count = 0;
    for (int i = 0; i < size; i++) {
        if (heap_has(heap, i) != model->has[i])
            return false;
        if (!model->has[i])
            continue;
        count++;
        if (heap_key(heap, i) != model->keys[i])
            return false;
        if (first < 0 || model->keys[i] < model->keys[first])
            first = i;
    }
    return heap->count == count && heap_first(heap) == first;
}

/* Many equal keys, and both ends of the range. */
static int64_t draw_key(uint32_t *seed)
{
    const int64_t key = (int64_t)(draw(seed) % 20) - 10;
    return key == -10 ? INT64_MIN : key == 9 ? INT64_MAX : key;
}

START_TEST(test_heap_agrees_with_a_plain_search)
{
    uint32_t seed = (uint32_t)_i + 1;
    struct heap_model model = {0};
    struct heap heap;
    int size = HEAP_SIZE / 2;
    heap_init(&heap, size);
    ck_assert(agrees(&heap, &model, size));
    for (int step = 0; step < HEAP_STEPS; step++) {
        if (step == HEAP_STEPS / 2) {
            size = HEAP_SIZE;
            heap_grow(&heap, size);
        }
        const int item = (int)(draw(&seed) % (uint32_t)size);
        model.has[item] = draw(&seed) % 3 != 0;
        model.keys[item] = draw_key(&seed);
        if (model.has[item])
            heap_put(&heap, item, model.keys[item]);
        else
            heap_remove(&heap, item);
        ck_assert_msg(agrees(&heap, &model, size), "seed %d, step %d", _i, step);
    }
    while (heap.count > 0) {
        const int first = heap_first(&heap);
        model.has[first] = false;
        heap_remove(&heap, first);
        ck_assert_msg(agrees(&heap, &model, size), "seed %d, %d left", _i, heap.count);
    }
    heap_done(&heap);
    ck_assert_ptr_null(heap.items);
    heap_done(&heap);
}
END_TEST

START_TEST(test_heap_without_items)
{
    struct heap none;
    heap_init(&none, 0);
    ck_assert_int_eq(heap_first(&none), -1);
    heap_done(&none);
    heap_done(&none);
    heap_done(NULL);
}
END_TEST

/*
 * Set of numbers.
 */

static void check_set(const struct number_set *set, const bool *has)
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

START_TEST(test_set_agrees_with_a_plain_search)
{
    enum { SIZE = 200, STEPS = 1000 };
    uint32_t seed = (uint32_t)_i + 1;
    bool has[SIZE] = {false};
    struct number_set set;
    number_set_init(&set, SIZE);
    for (int step = 0; step < STEPS; step++) {
        const int number = (int)(draw(&seed) % SIZE);
        has[number] = draw(&seed) % 4 == 0;
        if (has[number])
            number_set_add(&set, number);
        else
            number_set_remove(&set, number);
        ck_assert(number_set_has(&set, number) == has[number]);
        check_set(&set, has);
    }
    number_set_done(&set);
}
END_TEST

static const int sizes[] = {1, 2, 63, 64, 65, 4095, 4096, 4097};

START_TEST(test_set_of_any_size_finds_its_numbers_in_order)
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

START_TEST(test_set_counts_the_numbers_before_one)
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

START_TEST(test_set_grows_and_keeps_its_numbers)
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

START_TEST(test_set_without_numbers)
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("containers");
    TCase *heap = test_case(suite, "heap");
    tcase_add_loop_test(heap, test_heap_agrees_with_a_plain_search, 0, 5);
    tcase_add_test(heap, test_heap_without_items);
    TCase *set = test_case(suite, "number_set");
    tcase_add_loop_test(set, test_set_agrees_with_a_plain_search, 0, 3);
    tcase_add_loop_test(set, test_set_of_any_size_finds_its_numbers_in_order, 0, TABLE_LEN(sizes));
    tcase_add_test(set, test_set_counts_the_numbers_before_one);
    tcase_add_test(set, test_set_grows_and_keeps_its_numbers);
    tcase_add_test(set, test_set_without_numbers);
    return suite;
}
