#include "text.h"

#include <string.h>

#include "test_main.h"

START_TEST(test_find)
{
    const char *text = "A Needle in hay";
    ck_assert_ptr_eq(words_find(text, strlen(text), "needle"), text + 2);
    ck_assert_ptr_null(words_find(text, 7, "needle"));
    ck_assert_ptr_null(words_find(text, strlen(text), ""));
}
END_TEST

START_TEST(test_begin)
{
    ck_assert(words_begin("Needle", "nEED"));
    ck_assert(words_begin("needle", ""));
    ck_assert(words_begin("", ""));
    ck_assert(!words_begin("need", "needle"));
    ck_assert(!words_begin("a needle", "needle"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("words");
    TCase *tcase = test_case(suite, "words");
    tcase_add_test(tcase, test_find);
    tcase_add_test(tcase, test_begin);
    return suite;
}
