#include "screen.h"

#include "test_main.h"

START_TEST(test_back_leads_the_way_one_came)
{
    struct screen_trail trail = {0};
    trail_go(&trail, SCREEN_DETAIL);
    trail_go(&trail, SCREEN_FORENSICS);
    ck_assert_int_eq(trail_here(&trail), SCREEN_FORENSICS);
    ck_assert(trail_back(&trail));
    ck_assert_int_eq(trail_here(&trail), SCREEN_DETAIL);
    ck_assert(trail_back(&trail));
    ck_assert_int_eq(trail_here(&trail), SCREEN_TASKS);
    ck_assert(!trail_back(&trail));
}
END_TEST

START_TEST(test_no_screen_is_come_through_twice)
{
    struct screen_trail trail = {0};
    for (int round = 0; round < 3; round++) {
        for (enum screen screen = 0; screen < SCREEN_COUNT; screen++) {
            trail_go(&trail, screen);
            ck_assert_int_eq(trail_here(&trail), screen);
        }
    }
    ck_assert_int_eq(trail.depth, SCREEN_COUNT - 1);
    trail_go(&trail, SCREEN_DETAIL);
    ck_assert_int_eq(trail.depth, 1);
    trail_go(&trail, SCREEN_TASKS);
    ck_assert(!trail_back(&trail));
}
END_TEST

START_TEST(test_screens_have_names)
{
    ck_assert_str_eq(screen_name(SCREEN_TASKS), "Tasks");
    ck_assert_str_eq(screen_name(SCREEN_RUNS), "Runs");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("screen");
    TCase *tcase = test_case(suite, "screen");
    tcase_add_test(tcase, test_back_leads_the_way_one_came);
    tcase_add_test(tcase, test_no_screen_is_come_through_twice);
    tcase_add_test(tcase, test_screens_have_names);
    return suite;
}
