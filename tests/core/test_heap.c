#include "heap.h"

#include "attr.h"
#include "test_main.h"

enum { SIZE = 8, WALK_SIZE = 50, WALK_STEPS = 4000 };

static struct heap heap;

static void setup(void)
{
    heap_init(&heap, SIZE);
}

static void teardown(void)
{
    heap_done(&heap);
}

static int take_first(void)
{
    int first = heap_first(&heap);
    heap_remove(&heap, first);
    return first;
}

START_TEST(test_empty_has_no_first)
{
    ck_assert_int_eq(heap_first(&heap), -1);
    ck_assert(!heap_has(&heap, 0));
    heap_remove(&heap, 3);
    ck_assert_int_eq(heap.count, 0);
}
END_TEST

START_TEST(test_least_key_comes_first)
{
    static const int64_t keys[SIZE] = {5, -3, 9, INT64_MAX, 0, INT64_MIN, 7, 1};
    static const int want[SIZE] = {5, 1, 4, 7, 0, 6, 2, 3};
    for (int i = 0; i < SIZE; i++)
        heap_put(&heap, i, keys[i]);

    for (int i = 0; i < SIZE; i++)
        ck_assert_int_eq(take_first(), want[i]);
    ck_assert_int_eq(heap_first(&heap), -1);
}
END_TEST

START_TEST(test_equal_keys_come_by_number)
{
    static const int order[] = {6, 2, 7, 0, 3};
    static const int want[] = {0, 2, 3, 6, 7};
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        heap_put(&heap, order[i], 42);

    for (size_t i = 0; i < ARRAY_LEN(want); i++)
        ck_assert_int_eq(take_first(), want[i]);
}
END_TEST

START_TEST(test_put_again_moves_the_item)
{
    heap_put(&heap, 0, 10);
    heap_put(&heap, 1, 20);
    heap_put(&heap, 1, 5);
    ck_assert_int_eq(heap.count, 2);
    ck_assert_int_eq(heap_first(&heap), 1);
    ck_assert_int_eq(heap_key(&heap, 1), 5);

    heap_put(&heap, 1, 30);
    ck_assert_int_eq(heap_first(&heap), 0);
    ck_assert_int_eq(heap.count, 2);
}
END_TEST

START_TEST(test_removed_item_is_gone)
{
    heap_put(&heap, 2, 1);
    heap_put(&heap, 3, 2);
    heap_remove(&heap, 2);
    heap_remove(&heap, 2);
    ck_assert(!heap_has(&heap, 2));
    ck_assert_int_eq(heap_first(&heap), 3);
    heap_put(&heap, 2, 0);
    ck_assert_int_eq(heap_first(&heap), 2);
}
END_TEST

START_TEST(test_no_numbers_at_all)
{
    struct heap none;
    heap_init(&none, 0);
    ck_assert_int_eq(heap_first(&none), -1);
    heap_done(&none);
    heap_done(&none);
    heap_done(NULL);
}
END_TEST

/* What the heap must answer, found the slow way. */
struct model {
    bool has[WALK_SIZE];
    int64_t keys[WALK_SIZE];
};

static int model_first(const struct model *model)
{
    int first = -1;
    for (int i = 0; i < WALK_SIZE; i++) {
        if (model->has[i] && (first < 0 || model->keys[i] < model->keys[first]))
            first = i;
    }
    return first;
}

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

START_TEST(test_random_walk_agrees_with_a_plain_search)
{
    uint32_t seed = (uint32_t)_i + 1;
    struct model model = {0};
    struct heap walked;
    heap_init(&walked, WALK_SIZE);
    for (int step = 0; step < WALK_STEPS; step++) {
        int item = (int)(draw(&seed) % WALK_SIZE);
        int64_t key = (int64_t)(draw(&seed) % 20) - 10;
        model.has[item] = draw(&seed) % 3 != 0;
        model.keys[item] = key;
        if (model.has[item])
            heap_put(&walked, item, key);
        else
            heap_remove(&walked, item);
        ck_assert_msg(heap_first(&walked) == model_first(&model), "seed %d, step %d", _i, step);
        ck_assert(heap_has(&walked, item) == model.has[item]);
    }
    heap_done(&walked);
}
END_TEST

/* Fill it, take some out of the middle: the others come in order. */
static void fill_and_empty(uint32_t *seed)
{
    struct heap filled;
    heap_init(&filled, WALK_SIZE);
    int size = 3 + (int)(draw(seed) % (WALK_SIZE - 3));
    for (int i = 0; i < size; i++)
        heap_put(&filled, i, (int64_t)(draw(seed) % 100));
    for (int i = 0; i < size / 3; i++)
        heap_remove(&filled, (int)(draw(seed) % (uint32_t)size));

    int64_t last = -1;
    while (filled.count > 0) {
        int first = heap_first(&filled);
        ck_assert_msg(heap_key(&filled, first) >= last, "%d items, %d left", size, filled.count);
        last = heap_key(&filled, first);
        heap_remove(&filled, first);
    }
    heap_done(&filled);
}

START_TEST(test_the_rest_comes_in_order_after_removals)
{
    uint32_t seed = 1;
    for (int round = 0; round < 500; round++)
        fill_and_empty(&seed);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("heap");
    TCase *order = test_case(suite, "order");
    tcase_add_checked_fixture(order, setup, teardown);
    tcase_add_test(order, test_empty_has_no_first);
    tcase_add_test(order, test_least_key_comes_first);
    tcase_add_test(order, test_equal_keys_come_by_number);
    tcase_add_test(order, test_put_again_moves_the_item);
    tcase_add_test(order, test_removed_item_is_gone);
    tcase_add_test(order, test_no_numbers_at_all);
    TCase *walk = test_case(suite, "walk");
    tcase_add_loop_test(walk, test_random_walk_agrees_with_a_plain_search, 0, 5);
    tcase_add_test(walk, test_the_rest_comes_in_order_after_removals);
    return suite;
}
