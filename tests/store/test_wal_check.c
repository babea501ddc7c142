#define _GNU_SOURCE

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db.h"
#include "log_reader.h"
#include "log_sample.h"
#include "must.h"
#include "shm_guard.h"
#include "test_main.h"

/* A log whose files are damaged while it is open: what was in the database stays as it was, and
 * the writer says so. */

enum { TASKS = 40, NOTES = 100, PAGE = 4096 };

static struct place place;   /* of a log with one run, all of it in the database */
static struct sample sample; /* the run that is going on in it */
static int64_t seq;

static void path_of(const char *suffix, char out[PATH_MAX + 8])
{
    (void)snprintf(out, PATH_MAX + 8, "%s%s", place.db, suffix);
}

static void setup(void)
{
    struct sample earlier = {0};
    place = sample_place();
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place.dir, 1), 0);
    sample_open(&earlier, &place, TASKS);
    sample_start(&earlier);
    sample_drive(&earlier);
    sample_done(&earlier);
    sample_open(&sample, &place, 0);
    sample_start(&sample);
    seq = sample.state.last_seq + 1;
}

static void teardown(void)
{
    sample_done(&sample);
}

static bool write_notes(struct err *err)
{
    struct event *events = sample_notes(seq, NOTES);
    const struct log_batch batch = {.events = events, .event_count = NOTES, .idle = true};
    const bool ok = log_writer_commit(sample.writer, &batch, LOG_SYNC_FULL, err);
    seq += ok ? NOTES : 0;
    free(events);
    return ok;
}

static void overwrite(const char *suffix, off_t from, size_t len, int byte)
{
    char path[PATH_MAX + 8];
    path_of(suffix, path);
    char *bytes = malloc(len);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, byte, len);
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, bytes, len, from), (ssize_t)len);
    close(fd);
    free(bytes);
}

static void cut(const char *suffix, off_t len)
{
    char path[PATH_MAX + 8];
    path_of(suffix, path);
    ck_assert_int_eq(truncate(path, len), 0);
}

static void cut_wal_off(void)
{
    cut("-wal", 0);
}

static void cut_wal_short(void)
{
    cut("-wal", 32 + 3 * (24 + PAGE));
}

static void zero_wal(void)
{
    overwrite("-wal", 0, (size_t)8 * PAGE, 0);
}

static void zero_a_page(void)
{
    overwrite("-wal", 32 + 2 * (24 + PAGE) + 24, PAGE, 0);
}

static void flip_the_last_frame(void)
{
    char path[PATH_MAX + 8];
    struct stat info;
    path_of("-wal", path);
    ck_assert_int_eq(stat(path, &info), 0);
    overwrite("-wal", info.st_size - 100, 50, 0xa5);
}

static void replace_wal(void)
{
    char path[PATH_MAX + 8];
    path_of("-wal", path);
    ck_assert_int_eq(unlink(path), 0);
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    close(fd);
}

static void cut_shm_off(void)
{
    cut("-shm", 0);
}

static void remove_shm(void)
{
    char path[PATH_MAX + 8];
    path_of("-shm", path);
    ck_assert_int_eq(unlink(path), 0);
}

/* The writer holds what the run wrote in its WAL alone: nobody is idle yet. */
static void write_without_checkpoint(void)
{
    struct event *events = sample_notes(seq, NOTES);
    const struct log_batch batch = {.events = events, .event_count = NOTES};
    must(log_writer_commit(sample.writer, &batch, LOG_SYNC_FULL, &err));
    seq += NOTES;
    free(events);
}

static void assert_earlier_run_is_whole(void)
{
    struct db db;
    int64_t count = 0;
    char text[16] = "";
    must(db_init(&db, place.db, DB_READ, &err));
    must(db_number(&db, "SELECT count(*) FROM event WHERE run=1 AND seq>0", &count, &err));
    ck_assert_int_gt(count, TASKS);
    sqlite3_stmt *check = NULL;
    const char *sql = "PRAGMA integrity_check";
    bool row = false;
    must(db_prepare(&db, &sql, 1, &check, &err) && db_next(&db, check, &row, &err) && row);
    (void)snprintf(text, sizeof(text), "%s", (const char *)sqlite3_column_text(check, 0));
    db_finalize(&check, 1);
    db_done(&db);
    ck_assert_str_eq(text, "ok");
}

static const struct {
    void (*damage)(void);
    bool is_seen_at_once; /* by the next commit; else when what is there is compared */
} damages[] = {
    {cut_wal_off, true},          {cut_wal_short, true}, {zero_wal, false},   {zero_a_page, false},
    {flip_the_last_frame, false}, {replace_wal, true},   {cut_shm_off, true}, {remove_shm, true},
};

START_TEST(test_what_was_in_the_database_stays)
{
    struct err err = {0};
    write_without_checkpoint();
    ck_assert_msg(log_writer_check(sample.writer, &err), "%s", err.message);
    damages[_i].damage();
    if (damages[_i].is_seen_at_once)
        ck_assert(!write_notes(&err));
    else
        ck_assert(!log_writer_check(sample.writer, &err));
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert(log_writer_is_cut_off(sample.writer));
    err = (struct err){0};
    ck_assert(!write_notes(&err));
    sample_done(&sample); /* copies nothing */
    sample = (struct sample){0};
    assert_earlier_run_is_whole();
}
END_TEST

/* Where the checkpointer is the first to see it, the next commit fails. */
START_TEST(test_the_checkpointer_copies_nothing)
{
    struct err err = {0};
    write_without_checkpoint();
    zero_a_page();
    ck_assert_msg(write_notes(&err), "%s", err.message); /* which asks for a checkpoint */
    for (int i = 0; i < 500 && write_notes(&err); i++)
        (void)usleep(2000);
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert(log_writer_is_broken(sample.writer));
    sample_done(&sample);
    sample = (struct sample){0};
    assert_earlier_run_is_whole();
}
END_TEST

START_TEST(test_a_database_that_was_cut_is_noticed)
{
    write_without_checkpoint();
    cut("", _i == 0 ? 0 : (off_t)2 * PAGE);
    must_fail(write_notes(&err), ERR_IO);
    ck_assert(log_writer_is_broken(sample.writer));
}
END_TEST

/* The first reason stays, whatever is found later. */
START_TEST(test_the_first_reason_is_kept)
{
    struct err first = {0};
    struct err later = {0};
    write_without_checkpoint();
    cut_shm_off();
    ck_assert(!write_notes(&first));
    ck_assert_msg(strstr(first.message, "-shm' was truncated while in use"), "%s", first.message);
    cut_wal_off();
    ck_assert(!log_writer_check(sample.writer, &later));
    ck_assert_str_eq(later.message, first.message);
    later = (struct err){0};
    ck_assert(!write_notes(&later));
    ck_assert_str_eq(later.message, first.message);
}
END_TEST

/* Another process owns the run: commits fail, but nothing in the log is damaged. */
START_TEST(test_a_run_that_was_taken_over_is_no_damage)
{
    char path[PATH_MAX + LOG_UID_MAX + 16];
    struct err err = {0};
    (void)snprintf(path, sizeof(path), "%s/owner/%s", place.dir, log_writer_uid(sample.writer));
    write_without_checkpoint();
    ck_assert_int_eq(unlink(path), 0);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(flock(fd, LOCK_EX | LOCK_NB), 0);
    ck_assert_msg(log_writer_check(sample.writer, &err), "%s", err.message);
    for (int i = 0; i < 500 && write_notes(&err); i++)
        (void)usleep(2000);
    ck_assert_int_eq(err.code, ERR_BUSY);
    ck_assert(!log_writer_is_broken(sample.writer));
    ck_assert(!log_writer_is_cut_off(sample.writer));
    close(fd);
}
END_TEST

/* What is copied already is no loss, and a WAL may be emptied by us. */
START_TEST(test_checkpoints_of_ours_are_no_damage)
{
    for (int i = 0; i < 30; i++) {
        must(write_notes(&err));
        (void)usleep((useconds_t)(i % 3) * 5000);
        must(log_writer_check(sample.writer, &err));
    }
}
END_TEST

static void add_wal_check_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "damage");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_what_was_in_the_database_stays, 0, TABLE_LEN(damages));
    tcase_add_test(tcase, test_the_checkpointer_copies_nothing);
    tcase_add_test(tcase, test_the_first_reason_is_kept);
    tcase_add_test(tcase, test_a_run_that_was_taken_over_is_no_damage);
    tcase_add_loop_test(tcase, test_a_database_that_was_cut_is_noticed, 0, 2);
    tcase_add_test(tcase, test_checkpoints_of_ours_are_no_damage);
}

/* Shared memory that is truncated while it is mapped: the process lives on, and knows which
 * mapping lost its content. */

enum { REGION = 32768, THREADS = 4 };

static char path[64];
static int fd = -1;

static void setup_shm_guard(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/devs-guard-XXXXXX-shm");
    fd = mkstemps(path, 4);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, REGION), 0);
    shm_guard_install();
}

static void teardown_shm_guard(void)
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

static void add_shm_guard_tests(Suite *suite)
{
    TCase *tcase = test_case(suite, "guard");
    tcase_add_checked_fixture(tcase, setup_shm_guard, teardown_shm_guard);
    tcase_add_loop_test(tcase, test_the_mapping_that_lost_its_content, 0, 2);
    tcase_add_test(tcase, test_a_later_mapping_at_the_same_address);
    tcase_add_test(tcase, test_threads_that_read_one_page);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("wal_check");
    add_wal_check_tests(suite);
    add_shm_guard_tests(suite);
    return suite;
}
