#define _GNU_SOURCE
/*
 * Files that are damaged, cut or taken away. A log that is closed is read as far as it goes; in one
 * that is open, what was in the database stays, and the writer reports the damage.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "control_desk.h"
#include "log_reader.h"
#include "log_try.h"
#include "must.h"
#include "shm_guard.h"
#include "test_main.h"

enum { TASKS = 400, NOTES = 200, EARLIER_TASKS = 40, FEW_NOTES = 100, PAGE = 4096 };

static struct sample sample;

static void setup_past(void)
{
    struct place place = sample_place();
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place.dir, 1), 0);
    sample_open(&sample, &place, TASKS);
    sample_start(&sample);
    sample_drive(&sample);
}

static void teardown(void)
{
    sample_done(&sample);
}

static void path_of(const char *suffix, char out[PATH_MAX + 8])
{
    (void)snprintf(out, PATH_MAX + 8, "%s%s", sample.place.db, suffix);
}

static void sql(const char *text)
{
    struct db db;
    must(db_init(&db, sample.place.db, DB_WRITE, &err));
    must(db_exec(&db, text, &err));
    db_done_in_turn(&db);
}

/* Returns the last event that can be read; *err_out says why there are no more. */
static int64_t read_to_the_end(struct err *err_out)
{
    struct follower *follower = NULL;
    must(follower_open(&follower, &sample.place, 0, &err));
    *err_out = (struct err){0};
    (void)!follower_read(follower, 0, NULL, NULL, NULL, err_out);
    int64_t last = follower_state(follower)->last_seq;
    follower_close(follower);
    return last;
}

/* Overwrite every leaf page that holds this text, but for the first `keep` of them. */
static int wreck_pages_with(const char *text, int keep)
{
    FILE *file = fopen(sample.place.db, "r+");
    ck_assert_ptr_nonnull(file);
    char page[PAGE];
    int seen = 0;
    int wrecked = 0;
    for (long at = 0; fread(page, 1, sizeof(page), file) == sizeof(page); at += PAGE) {
        const bool is_leaf = page[0] == 0x0a || page[0] == 0x0d;
        if (at == 0 || !is_leaf || !memmem(page, sizeof(page), text, strlen(text)) || seen++ < keep)
            continue;
        memset(page, 0xee, sizeof(page));
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        ck_assert_uint_eq(fwrite(page, 1, sizeof(page), file), sizeof(page));
        wrecked++;
        ck_assert_int_eq(fseek(file, at + PAGE, SEEK_SET), 0);
    }
    ck_assert_int_eq(fclose(file), 0);
    return wrecked;
}

START_TEST(test_a_damaged_page_hides_only_later_events)
{
    int64_t last = sample.state.last_seq;
    sample_close_log(&sample);
    /* Only events have the output of a failed attempt. */
    ck_assert_int_gt(wreck_pages_with("it is \\\"red\\\"", 6), 0);
    struct err err;
    int64_t got = read_to_the_end(&err);
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_int_gt(got, 50);
    ck_assert_int_lt(got, last);
    char words[64];
    (void)snprintf(words, sizeof(words), "log damaged at event %lld; shown up to there",
                   (long long)got + 1);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(err.hint, ".recover"));
}
END_TEST

/* Adds events that only the WAL has, and exits without closing the log. */
static void add_events_and_die(int64_t after)
{
    char text[512];
    struct db db;
    (void)snprintf(text, sizeof(text),
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d)"
                   " INSERT INTO event(run, seq, at_ms, mono_ms, kind, data)"
                   " SELECT 1, %lld+i, 1700000000000, 1, 'note', '{\"note\":\"late\"}' FROM n",
                   NOTES, (long long)after);
    bool ok = db_init(&db, sample.place.db, DB_WRITE, NULL) && db_exec(&db, text, NULL);
    _exit(ok ? 0 : 1);
}

/* After a kill and a cleanup of the files: events that a checkpoint moved to the database remain.
 */
START_TEST(test_a_missing_wal_loses_only_its_own_events)
{
    static const struct {
        bool without_wal, without_shm, cut;
    } cases[] = {{false, false, false},
                 {true, false, false},
                 {true, true, false},
                 {false, true, false},
                 {false, false, true}};
    char wal[PATH_MAX + 8];
    char shm[PATH_MAX + 8];
    int64_t before = sample.state.last_seq;
    path_of("-wal", wal);
    path_of("-shm", shm);
    sample_close_log(&sample);
    pid_t child = fork();
    if (child == 0)
        add_events_and_die(before);
    check_exit(child);
    ck_assert(!cases[_i].without_wal || unlink(wal) == 0);
    ck_assert(!cases[_i].without_shm || unlink(shm) == 0);
    ck_assert(!cases[_i].cut || truncate(wal, 5 * PAGE / 2) == 0);
    struct err err;
    bool lost = cases[_i].without_wal || cases[_i].cut;
    ck_assert_int_eq(read_to_the_end(&err), lost ? before : before + NOTES);
    ck_assert_msg(err.code == ERR_NONE, "%s", err.message);
}
END_TEST

START_TEST(test_a_newer_log_is_read_only)
{
    sample_close_log(&sample);
    sql("PRAGMA user_version=7; UPDATE run SET devs='0.5'; ALTER TABLE event ADD COLUMN f");
    log_check_fold(&sample.place, 0, run_state_digest(&sample.state));

    struct log_reader *reader = log_reader_of(&sample.place);
    struct log_trouble trouble;
    struct str words = {0};
    log_reader_trouble(reader, 0, &trouble);
    log_trouble_words(&trouble, &words);
    ck_assert_str_eq(str_text(&words),
                     "this log was written by devs 0.5 (schema 7, latest known 3): read only");
    str_done(&words);
    log_reader_close(reader);

    struct log_writer *writer = NULL;
    struct control_desk *desk = NULL;
    must_fail_with(log_writer_open(&writer, &sample.place, &err), ERR_DAMAGED,
                   "schema 7, latest known 3");
    must_fail(control_desk_start(&desk, &sample.place, &err), ERR_DAMAGED);
}
END_TEST

START_TEST(test_a_newer_log_without_the_columns_is_refused)
{
    sample_close_log(&sample);
    sql("PRAGMA user_version=7; ALTER TABLE event RENAME COLUMN seq TO number");
    struct log_reader *reader = NULL;
    must_fail_with(log_reader_open(&reader, &sample.place, &err), ERR_DAMAGED, "newer devs");
}
END_TEST

/* A refused file has no new neighbors. */
START_TEST(test_nothing_is_left_beside_a_file_that_is_refused)
{
    static const char *const beside[] = {"-bell", "-gate", "-write", "-wal", "-shm"};
    struct place place = sample_place();
    FILE *file = fopen(place.db, "w");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 1000; i++)
        fputs("my diary\n", file);
    fclose(file);
    struct log_reader *reader = NULL;
    struct log_writer *writer = NULL;
    struct control_desk *desk = NULL;
    must_fail(log_reader_open(&reader, &place, &err), ERR_DAMAGED);
    must_fail(log_writer_open(&writer, &place, &err), ERR_DAMAGED);
    must_fail(control_desk_start(&desk, &place, &err), ERR_DAMAGED);
    for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
        char path[PATH_MAX + 8];
        (void)snprintf(path, sizeof(path), "%s%s", place.db, beside[i]);
        ck_assert_msg(access(path, F_OK) != 0, "%s", path);
    }
}
END_TEST

START_TEST(test_a_log_with_two_names_is_refused)
{
    struct place place = sample_place();
    sample_close_log(&sample);
    if (_i == 0)
        ck_assert_int_eq(link(sample.place.db, place.db), 0);
    else if (_i == 1)
        ck_assert_int_eq(symlink(sample.place.db, place.db), 0);
    else
        ck_assert_int_eq(mkfifo(place.db, 0600), 0);
    struct log_writer *writer = NULL;
    must_fail(log_writer_open(&writer, &place, &err), _i == 2 ? ERR_DAMAGED : ERR_INVALID);
}
END_TEST

START_TEST(test_a_folder_that_others_can_write_is_refused)
{
    struct place place = sample_place();
    struct log_writer *writer = NULL;
    if (_i == 0) {
        ck_assert_int_eq(chmod(place.dir, 0777), 0);
    } else if (geteuid() != 0) {
        return; /* only root can make a folder somebody else's */
    } else if (_i == 1) {
        ck_assert_int_eq(chown(place.dir, 1234, 1234), 0);
    } else {
        ck_assert_int_eq(rmdir(place.dir), 0);
        char elsewhere[PATH_MAX + 16];
        (void)snprintf(elsewhere, sizeof(elsewhere), "%s-elsewhere", place.dir);
        ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
        ck_assert_int_eq(chown(elsewhere, 1234, 1234), 0);
        ck_assert_int_eq(symlink(elsewhere, place.dir), 0);
    }
    must_fail_with(log_writer_open(&writer, &place, &err), ERR_INVALID,
                   _i == 0 ? "other users can write" : "another user");
    ck_assert_int_ne(access(place.db, F_OK), 0);
}
END_TEST

/* Files that an earlier umask left readable for others become private. */
START_TEST(test_files_are_made_private)
{
    sample_close_log(&sample);
    ck_assert_int_eq(chmod(sample.place.db, 0644), 0);
    struct log_writer *writer = NULL;
    must(log_writer_open(&writer, &sample.place, &err));
    check_mode(sample.place.db, 0600);
    log_writer_close(writer);
}
END_TEST

START_TEST(test_a_log_on_a_read_only_mount_can_be_read)
{
    int64_t last = sample.state.last_seq;
    sample_close_log(&sample);
    if (mount(sample.place.dir, sample.place.dir, NULL, MS_BIND, NULL) != 0)
        return; /* no rights to make one */
    ck_assert_int_eq(mount(NULL, sample.place.dir, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL),
                     0);
    struct err err = {0};
    struct follower *follower = NULL;
    struct log_trouble trouble;
    struct log_writer *writer = NULL;
    bool opened = follower_open(&follower, &sample.place, 0, &err);
    bool read = opened && follower_read(follower, 0, NULL, NULL, NULL, &err);
    int64_t got = read ? follower_state(follower)->last_seq : 0;
    if (opened)
        log_reader_trouble(follower_reader(follower), 0, &trouble);
    follower_close(follower);
    struct err refused = {0};
    bool wrote = log_writer_open(&writer, &sample.place, &refused);
    log_writer_close(writer);
    ck_assert_int_eq(umount2(sample.place.dir, MNT_DETACH), 0);
    ck_assert_msg(read, "%s", err.message);
    ck_assert_int_eq(got, last);
    ck_assert_int_eq(trouble.kind, LOG_TROUBLE_STILL);
    ck_assert(!wrote);
    ck_assert_int_eq(refused.code, ERR_IO);
}
END_TEST

static int64_t seq; /* of the next note */

/* A log whose files are damaged while it is open has one run that is over, all of it in the
 * database, and one that is going on. */
static void setup_open(void)
{
    struct sample earlier = {0};
    const struct place place = sample_place();
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place.dir, 1), 0);
    sample_open(&earlier, &place, EARLIER_TASKS);
    sample_start(&earlier);
    sample_drive(&earlier);
    sample_done(&earlier);
    sample_open(&sample, &place, 0);
    sample_start(&sample);
    seq = sample.state.last_seq + 1;
}

static bool write_notes(struct err *err)
{
    struct event *events = sample_notes(seq, FEW_NOTES);
    const struct log_batch batch = {.events = events, .event_count = FEW_NOTES, .idle = true};
    const bool ok = log_writer_commit(sample.writer, &batch, LOG_SYNC_FULL, err);
    seq += ok ? FEW_NOTES : 0;
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

/* The writer is not idle yet: only the WAL has these notes. */
static void write_without_checkpoint(void)
{
    log_commit_notes(sample.writer, seq, FEW_NOTES);
    seq += FEW_NOTES;
}

static void assert_earlier_run_is_whole(void)
{
    ck_assert_int_gt(log_number(&sample.place, "SELECT count(*) FROM event WHERE run=1 AND seq>0"),
                     EARLIER_TASKS);
    ck_assert_int_eq(log_number(&sample.place, "SELECT count(*) FROM pragma_integrity_check"
                                               " WHERE integrity_check='ok'"),
                     1);
}

static const struct {
    void (*damage)(void);
    bool is_seen_at_once; /* by the next commit; otherwise by log_writer_check() */
} damages[] = {
    {cut_wal_off, true},          {cut_wal_short, true}, {zero_wal, false},   {zero_a_page, false},
    {flip_the_last_frame, false}, {replace_wal, true},   {cut_shm_off, true}, {remove_shm, true},
};

START_TEST(test_damage_to_the_wal_leaves_the_database_alone)
{
    write_without_checkpoint();
    must(log_writer_check(sample.writer, &err));
    damages[_i].damage();
    if (damages[_i].is_seen_at_once)
        must_fail(write_notes(&err), ERR_IO);
    else
        must_fail(log_writer_check(sample.writer, &err), ERR_IO);
    ck_assert(log_writer_is_cut_off(sample.writer));
    must_fail(write_notes(&err), ERR_IO);
    sample_close_log(&sample); /* copies nothing */
    assert_earlier_run_is_whole();
}
END_TEST

/* If the checkpointer is the first to notice, the next commit fails. */
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
    sample_close_log(&sample);
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

/* Later damage does not replace the first reason. */
START_TEST(test_the_first_reason_is_kept)
{
    struct err first = {0};
    write_without_checkpoint();
    cut_shm_off();
    ck_assert(!write_notes(&first));
    ck_assert_msg(strstr(first.message, "-shm' was truncated while in use"), "%s", first.message);
    cut_wal_off();
    must_fail_with(log_writer_check(sample.writer, &err), ERR_IO, first.message);
    must_fail_with(write_notes(&err), ERR_IO, first.message);
}
END_TEST

/* Another process owns the run: commits fail, but nothing in the log is damaged. */
START_TEST(test_a_run_that_was_taken_over_is_no_damage)
{
    char path[PATH_MAX + LOG_UID_MAX + 16];
    struct err err = {0};
    (void)snprintf(path, sizeof(path), "%s/owner/%s", sample.place.dir,
                   log_writer_uid(sample.writer));
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

/* Frames that were copied are no loss, and our own checkpoints may empty the WAL. */
START_TEST(test_our_own_checkpoints_are_no_damage)
{
    for (int i = 0; i < 30; i++) {
        must(write_notes(&err));
        (void)usleep((useconds_t)(i % 3) * 5000);
        must(log_writer_check(sample.writer, &err));
    }
}
END_TEST

/* Shared memory that is truncated while it is mapped: the process lives on, and knows which
 * mapping lost its content. */

enum { REGION = 32768, THREADS = 4 };

static char shared_path[64];
static int shared_fd = -1;

static void setup_shm_guard(void)
{
    (void)snprintf(shared_path, sizeof(shared_path), "/tmp/devs-guard-XXXXXX-shm");
    shared_fd = mkstemps(shared_path, 4);
    ck_assert_int_ge(shared_fd, 0);
    ck_assert_int_eq(ftruncate(shared_fd, REGION), 0);
    shm_guard_install();
}

static void teardown_shm_guard(void)
{
    close(shared_fd);
    (void)unlink(shared_path);
}

static volatile unsigned char *map_at(void *address, int access)
{
    const int fixed = address ? MAP_FIXED : 0;
    void *at = mmap(address, REGION, access, MAP_SHARED | fixed, shared_fd, 0);
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
    ck_assert_int_eq(ftruncate(shared_fd, 0), 0);
    ck_assert_uint_eq(lost[100], 0);
    ck_assert(is_hit(lost));
    ck_assert(is_hit(lost)); /* and stays so */

    ck_assert_int_eq(ftruncate(shared_fd, REGION), 0);
    volatile unsigned char *other = map_at(NULL, access);
    ck_assert(!is_hit(other));
    ck_assert(is_hit(lost));
}
END_TEST

/* More often than the guard has room for pages. */
START_TEST(test_a_later_mapping_at_the_same_address)
{
    volatile unsigned char *at = map_at(NULL, PROT_READ | PROT_WRITE);
    for (int i = 0; i < 2 * SHM_GUARD_PAGES_MAX; i++) {
        ck_assert_int_eq(ftruncate(shared_fd, 0), 0);
        ck_assert_uint_eq(at[0], 0);
        ck_assert(is_hit(at));
        ck_assert_int_eq(munmap((void *)(uintptr_t)at, REGION), 0);
        ck_assert_int_eq(ftruncate(shared_fd, REGION), 0);
        at = map_at((void *)(uintptr_t)at, PROT_READ | PROT_WRITE);
        if (i % 2 == 0)
            ck_assert(!is_hit(at));
    }
}
END_TEST

/* The thread sanitizer treats a mapping that replaces a page as a write to it. */
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
        ck_assert_int_eq(ftruncate(shared_fd, 0), 0);
        for (int i = 0; i < THREADS; i++)
            ck_assert_int_eq(pthread_create(&threads[i], NULL, read_page, (void *)(uintptr_t)at),
                             0);
        for (int i = 0; i < THREADS; i++) {
            void *hit = NULL;
            ck_assert_int_eq(pthread_join(threads[i], &hit), 0);
            ck_assert_ptr_nonnull(hit);
        }
        ck_assert_int_eq(munmap((void *)(uintptr_t)at, REGION), 0);
        ck_assert_int_eq(ftruncate(shared_fd, REGION), 0);
    }
}
END_TEST

enum { WAIT_US = 60 * 1000 * 1000 };

static atomic_int syncs;
static atomic_int failures; /* this many of the next calls fail */

/* SQLite calls these instead of the C library's. */
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

static void setup_sync(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 2);
    seq = 1;
}

static void teardown_sync(void)
{
    atomic_store(&failures, 0);
    sample_done(&sample);
}

static void commit_note(enum log_sync sync)
{
    struct event *events = sample_notes(seq++, 1);
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

/* The other thread reports the error after the call has returned. */
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

START_TEST(test_a_failed_background_sync_is_reported_once)
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
    ck_assert_int_eq(log_writer_committed_seq(sample.writer), seq - 1);
}
END_TEST

START_TEST(test_events_that_could_not_be_synced_are_written)
{
    atomic_store(&failures, 1);
    commit_note(LOG_SYNC_FULL);
    ck_assert_int_eq(log_writer_committed_seq(sample.writer), seq - 1);
    must_fail(log_writer_synced(sample.writer, &err), ERR_IO);
    commit_note(LOG_SYNC_FULL);
    ck_assert(log_writer_synced(sample.writer, NULL));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_faults");
    TCase *tcase = test_case(suite, "faults");
    tcase_add_checked_fixture(tcase, setup_past, teardown);
    tcase_add_test(tcase, test_a_damaged_page_hides_only_later_events);
    tcase_add_loop_test(tcase, test_a_missing_wal_loses_only_its_own_events, 0, 5);
    tcase_add_test(tcase, test_a_newer_log_is_read_only);
    tcase_add_test(tcase, test_a_newer_log_without_the_columns_is_refused);
    tcase_add_test(tcase, test_nothing_is_left_beside_a_file_that_is_refused);
    tcase_add_loop_test(tcase, test_a_log_with_two_names_is_refused, 0, 3);
    tcase_add_loop_test(tcase, test_a_folder_that_others_can_write_is_refused, 0, 3);
    tcase_add_test(tcase, test_files_are_made_private);
    tcase_add_test(tcase, test_a_log_on_a_read_only_mount_can_be_read);
    TCase *open = test_case(suite, "open");
    tcase_add_checked_fixture(open, setup_open, teardown);
    tcase_add_loop_test(open, test_damage_to_the_wal_leaves_the_database_alone, 0,
                        TABLE_LEN(damages));
    tcase_add_test(open, test_the_checkpointer_copies_nothing);
    tcase_add_test(open, test_the_first_reason_is_kept);
    tcase_add_test(open, test_a_run_that_was_taken_over_is_no_damage);
    tcase_add_loop_test(open, test_a_database_that_was_cut_is_noticed, 0, 2);
    tcase_add_test(open, test_our_own_checkpoints_are_no_damage);
    TCase *guard = test_case(suite, "guard");
    tcase_add_checked_fixture(guard, setup_shm_guard, teardown_shm_guard);
    tcase_add_loop_test(guard, test_the_mapping_that_lost_its_content, 0, 2);
    tcase_add_test(guard, test_a_later_mapping_at_the_same_address);
    tcase_add_test(guard, test_threads_that_read_one_page);
    TCase *sync = test_case(suite, "sync");
    tcase_add_checked_fixture(sync, setup_sync, teardown_sync);
    tcase_add_test(sync, test_a_failed_background_sync_is_reported_once);
    tcase_add_test(sync, test_events_that_could_not_be_synced_are_written);
    return suite;
}
