#define _GNU_SOURCE /* syscall */

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "log_sample.h"
#include "must.h"
#include "test_main.h"

enum { WAIT_US = 60 * 1000 * 1000 };

static atomic_int syncs;
static atomic_int failures; /* so many of the next ones fail */

/* In place of the C library's: SQLite calls these. */
static int sync_or_fail(long number, int fd)
{
    atomic_fetch_add(&syncs, 1);
    if (atomic_load(&failures) > 0) {
        atomic_fetch_sub(&failures, 1);
        errno = EIO;
        return -1;
    }
    return (int)syscall(number, fd);
}

int fdatasync(int fildes)
{
    return sync_or_fail(SYS_fdatasync, fildes);
}

int fsync(int fd)
{
    return sync_or_fail(SYS_fsync, fd);
}

static struct sample sample;
static int64_t next_seq = 1;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 2);
}

static void teardown(void)
{
    atomic_store(&failures, 0);
    sample_done(&sample);
}

static void commit_note(enum log_sync sync)
{
    struct event *events = sample_notes(next_seq++, 1);
    struct log_batch batch = {.events = events, .event_count = 1};
    must(log_writer_commit(sample.writer, &batch, sync, &err));
    free(events);
}

static void await_sync(int before)
{
    const struct timespec pause = {.tv_nsec = 2L * 1000 * 1000};
    int64_t until_us = clock_mono_us() + WAIT_US;
    while (atomic_load(&syncs) == before && clock_mono_us() < until_us)
        (void)nanosleep(&pause, NULL);
    ck_assert_int_gt(atomic_load(&syncs), before);
}

/* The other thread tells a moment after the call. */
static bool await_error(struct err *err)
{
    const struct timespec pause = {.tv_nsec = 2L * 1000 * 1000};
    int64_t until_us = clock_mono_us() + WAIT_US;
    while (clock_mono_us() < until_us) {
        if (!log_writer_synced(sample.writer, err))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

START_TEST(test_a_failed_sync_in_the_background_is_told_once)
{
    struct err err = {0};
    atomic_store(&failures, 1);
    commit_note(LOG_SYNC_NORMAL);
    ck_assert(await_error(&err));
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "sync"));

    int before = atomic_load(&syncs);
    commit_note(LOG_SYNC_NORMAL);
    await_sync(before);
    commit_note(LOG_SYNC_NORMAL);
    ck_assert(log_writer_synced(sample.writer, NULL));
    ck_assert_int_eq(log_writer_committed_seq(sample.writer), next_seq - 1);
}
END_TEST

START_TEST(test_what_could_not_be_synced_is_written)
{
    atomic_store(&failures, 1);
    commit_note(LOG_SYNC_FULL);
    ck_assert_int_eq(log_writer_committed_seq(sample.writer), next_seq - 1);
    must_fail(log_writer_synced(sample.writer, &err), ERR_IO);
    commit_note(LOG_SYNC_FULL);
    ck_assert(log_writer_synced(sample.writer, NULL));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_sync");
    TCase *tcase = test_case(suite, "sync");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_failed_sync_in_the_background_is_told_once);
    tcase_add_test(tcase, test_what_could_not_be_synced_is_written);
    return suite;
}
