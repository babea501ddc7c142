#include "test_main.h"

#include <sys/stat.h>

#include "bell.h"
#include "log_sample.h"
#include "watch.h"

START_TEST(test_a_ring_is_heard)
{
    struct place place = sample_place();
    struct bell bell;
    struct watch *watch = NULL;
    struct err err = {0};
    ck_assert_msg(bell_init(&bell, &place, &err), "%s", err.message);
    ck_assert_msg(watch_open(&watch, &err), "%s", err.message);
    ck_assert_msg(watch_file(watch, bell.path, &err), "%s", err.message);

    ck_assert(!watch_drain(watch));
    bell_ring(&bell);
    ck_assert(watch_drain(watch));
    ck_assert(!watch_drain(watch));

    watch_close(watch);
    bell_done(&bell);
}
END_TEST

START_TEST(test_the_file_stays_small_and_private)
{
    struct place place = sample_place();
    struct bell bell;
    struct err err = {0};
    umask(0);
    ck_assert_msg(bell_init(&bell, &place, &err), "%s", err.message);
    for (int i = 0; i < 1000; i++)
        bell_ring(&bell);
    struct stat info;
    ck_assert_int_eq(stat(bell.path, &info), 0);
    ck_assert_int_eq(info.st_size, 1);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    bell_done(&bell);
    bell_done(&bell);
    bell_done(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bell");
    TCase *tcase = test_case(suite, "bell");
    tcase_add_test(tcase, test_a_ring_is_heard);
    tcase_add_test(tcase, test_the_file_stays_small_and_private);
    return suite;
}
