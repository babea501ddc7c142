#define _GNU_SOURCE
/* Shared memory that is truncated while it is mapped: the process lives on, and knows which
 * mapping lost its content. */
#include "test_main.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shm_guard.h"

enum { REGION = 32768, THREADS = 4 };

static char path[64];
static int fd = -1;

static void setup(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/devs-guard-XXXXXX-shm");
    fd = mkstemps(path, 4);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, REGION), 0);
    shm_guard_install();
}

static void teardown(void)
{
    close(fd);
    (void)unlink(path);
}

static volatile unsigned char *map_at(void *address, int access)
{
    const int fixed = address ? MAP_FIXED : 0;
    void *at = mmap(address, REGION, access, MAP_SHARED | fixed, fd, 0);
    ck_assert_ptr_ne(at, MAP_FAILED);
    return at;
}

static bool is_hit(const volatile unsigned char *at)
{
    return shm_guard_hit((const void *)(uintptr_t)at, REGION);
}

START_TEST(test_the_mapping_that_lost_its_content)
{
    const int access = _i == 0 ? PROT_READ | PROT_WRITE : PROT_READ;
    volatile unsigned char *lost = map_at(NULL, access);
    ck_assert(!is_hit(lost));
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    ck_assert_uint_eq(lost[100], 0);
    ck_assert(is_hit(lost));
    ck_assert(is_hit(lost)); /* and stays so */

    ck_assert_int_eq(ftruncate(fd, REGION), 0);
    volatile unsigned char *other = map_at(NULL, access);
    ck_assert(!is_hit(other));
    ck_assert(is_hit(lost));
}
END_TEST

/* Many more times than there is room for pages. */
START_TEST(test_a_later_mapping_at_the_same_address)
{
    volatile unsigned char *at = map_at(NULL, PROT_READ | PROT_WRITE);
    for (int i = 0; i < 2 * SHM_GUARD_PAGES_MAX; i++) {
        ck_assert_int_eq(ftruncate(fd, 0), 0);
        ck_assert_uint_eq(at[0], 0);
        ck_assert(is_hit(at));
        ck_assert_int_eq(munmap((void *)(uintptr_t)at, REGION), 0);
        ck_assert_int_eq(ftruncate(fd, REGION), 0);
        at = map_at((void *)(uintptr_t)at, PROT_READ | PROT_WRITE);
        if (i % 2 == 0)
            ck_assert(!is_hit(at));
    }
}
END_TEST

/* The thread sanitizer takes a mapping that replaces a page for a write to it. */
__attribute__((no_sanitize("thread"))) static void *read_page(void *arg)
{
    const volatile unsigned char *at = arg;
    (void)at[0];
    return is_hit(at) ? arg : NULL;
}

START_TEST(test_threads_that_read_one_page)
{
    for (int round = 0; round < 100; round++) {
        pthread_t threads[THREADS];
        volatile unsigned char *at = map_at(NULL, PROT_READ | PROT_WRITE);
        ck_assert_int_eq(ftruncate(fd, 0), 0);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, read_page, (void *)(uintptr_t)at),
                             0);
        for (int i = 0; i < THREADS; i++) {
            void *hit = NULL;
            ck_assert_int_eq(pthread_join(threads[i], &hit), 0);
            ck_assert_ptr_nonnull(hit);
        }
        ck_assert_int_eq(munmap((void *)(uintptr_t)at, REGION), 0);
        ck_assert_int_eq(ftruncate(fd, REGION), 0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shm_guard");
    TCase *tcase = test_case(suite, "guard");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_the_mapping_that_lost_its_content, 0, 2);
    tcase_add_test(tcase, test_a_later_mapping_at_the_same_address);
    tcase_add_test(tcase, test_threads_that_read_one_page);
    return suite;
}
