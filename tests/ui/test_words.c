#include "words.h"

#include <string.h>

#include "test_main.h"

static const struct {
    const char *a, *b;
    int want;
} distances[] = {
    {"", "", 0},
    {"abc", "", 3},
    {"rate-limt", "rate-limit", 1},
    {"rate-limit", "RATE-LIMIT", 0},
    {"netwrok", "network", 2},
    {"kitten", "sitting", 3},
    {"flaw", "lawn", 2},
};

START_TEST(test_distance)
{
    ck_assert_int_eq(words_distance(distances[_i].a, distances[_i].b), distances[_i].want);
    ck_assert_int_eq(words_distance(distances[_i].b, distances[_i].a), distances[_i].want);
}
END_TEST

START_TEST(test_long_words_are_far_from_all)
{
    char text[WORDS_DISTANCE_MAX + 1];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    ck_assert_int_eq(words_distance(text, text), WORDS_DISTANCE_MAX);
    ck_assert_int_eq(words_distance(text + 1, text + 1), 0);
}
END_TEST

START_TEST(test_find)
{
    const char *text = "A Needle in hay";
    ck_assert_ptr_eq(words_find(text, strlen(text), "needle"), text + 2);
    ck_assert_ptr_null(words_find(text, 7, "needle"));
    ck_assert_ptr_null(words_find(text, strlen(text), ""));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_distance, 0, TABLE_LEN(distances));
    tcase_add_test(tcase, test_long_words_are_far_from_all);
    tcase_add_test(tcase, test_find);
    return suite;
}
