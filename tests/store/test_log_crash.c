#include "test_main.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "log_reader.h"
#include "log_sample.h"
#include "other_program.h"
#include "xalloc.h"

enum { WRITERS = 4, COMMITS = 150, NOTES = 3, TURNS_MAX = 100 };

static void reap(int processes)
{
    for (int i = 0; i < processes; i++) {
        int status = 0;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert_int_eq(status, 0);
    }
}

static int64_t number(const struct place *place, const char *sql)
{
    struct db db;
    struct err err = {0};
    int64_t out = -1;
    ck_assert_msg(other_program_open(&db, place->db, DB_WRITE, &err), "%s", err.message);
    ck_assert_msg(db_number(&db, sql, &out, &err), "%s: %s", sql, err.message);
    db_done(&db);
    return out;
}

static void commit_notes(struct sample *sample, int64_t seq, size_t count, bool idle)
{
    struct event *events = sample_notes(seq, count);
    struct log_batch batch = {.events = events, .event_count = count, .idle = idle};
    struct err err = {0};
    bool ok = log_writer_commit(sample->writer, &batch, LOG_SYNC_NORMAL, &err);
    for (int i = 0; !ok && err.code == ERR_BUSY && i < TURNS_MAX; i++) {
        err = (struct err){0}; /* on a slow disk others may keep it for long: nothing is lost */
        ok = log_writer_commit(sample->writer, &batch, LOG_SYNC_NORMAL, &err);
    }
    ck_assert_msg(ok, "%s", err.message);
    free(events);
}

/* Writers of one log, each with a run of its own, checkpoints in between. */
START_TEST(test_writers_in_turn_lose_nothing)
{
    struct place place = sample_place();
    for (int i = 0; i < WRITERS; i++) {
        if (fork() != 0)
            continue;
        struct sample sample;
        sample_open(&sample, &place, 2);
        for (int n = 0; n < COMMITS; n++) {
            commit_notes(&sample, 1 + (int64_t)n * NOTES, NOTES, n % 20 == 0);
        }
        sample_done(&sample);
        _exit(0);
    }
    reap(WRITERS);
    ck_assert_int_eq(number(&place, "SELECT count(*) FROM run"), WRITERS);
    ck_assert_int_eq(number(&place, "SELECT count(*) FROM event"),
                     (int64_t)WRITERS * COMMITS * NOTES);
    ck_assert_int_eq(number(&place, "SELECT min(n) FROM (SELECT count(*) AS n, max(seq) AS m"
                                    " FROM event GROUP BY run)"),
                     (int64_t)COMMITS * NOTES);
    ck_assert_int_eq(number(&place, "SELECT count(*) FROM pragma_integrity_check"
                                    " WHERE integrity_check<>'ok'"),
                     0);
}
END_TEST

/* Says over the pipe how far it is: what was said must be in the log. */
static void write_until_killed(const struct place *place, int fd)
{
    struct sample sample;
    sample_open(&sample, place, 2);
    for (int64_t seq = 1;; seq += NOTES) {
        commit_notes(&sample, seq, NOTES, seq % 10 == 1);
        int64_t said = seq + NOTES - 1;
        if (write(fd, &said, sizeof(said)) != (ssize_t)sizeof(said))
            _exit(1);
    }
}

static int64_t kill_after(const struct place *place, int commits)
{
    int fds[2];
    ck_assert_int_eq(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        write_until_killed(place, fds[1]);
    }
    (void)close(fds[1]);
    int64_t said = 0;
    for (int i = 0; i < commits; i++)
        ck_assert_int_eq(read(fds[0], &said, sizeof(said)), (ssize_t)sizeof(said));
    kill(pid, SIGKILL);
    while (read(fds[0], &said, sizeof(said)) == (ssize_t)sizeof(said))
        continue;
    (void)close(fds[0]);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return said;
}

START_TEST(test_a_killed_writer_leaves_a_sound_log)
{
    struct place place = sample_place();
    for (int round = 1; round <= 8; round++) {
        int64_t said = kill_after(&place, 1 + round * round);
        struct log_reader *reader = NULL;
        struct log_run_info info;
        struct event_page page = {0};
        struct err err = {0};
        ck_assert_msg(log_reader_open(&reader, &place, &err), "%s", err.message);
        ck_assert_msg(log_reader_run(reader, 0, &info, &err), "%s", err.message);
        ck_assert_int_eq(info.number, round);
        ck_assert(!info.owner_alive);
        ck_assert_int_ge(info.last_seq, said);
        ck_assert(log_reader_events(reader, round, 0, &page, &err));
        ck_assert_int_eq((int64_t)page.count, info.last_seq);
        for (size_t i = 0; i < page.count; i++)
            ck_assert_int_eq(page.events[i].seq, (int64_t)i + 1);
        event_page_done(&page);
        log_run_info_done(&info);
        log_reader_close(reader);
        ck_assert_int_eq(number(&place, "SELECT count(*) FROM pragma_integrity_check"
                                        " WHERE integrity_check<>'ok'"),
                         0);
    }
}
END_TEST

static off_t wal_size(const struct place *place)
{
    char path[PATH_MAX + 8];
    struct stat info;
    (void)snprintf(path, sizeof(path), "%s-wal", place->db);
    return stat(path, &info) == 0 ? info.st_size : 0;
}

/* The checkpoint is another thread's: look until it is done or too late. */
static bool wal_shrinks(const struct place *place)
{
    const struct timespec pause = {.tv_nsec = 2L * 1000 * 1000};
    int64_t until_us = clock_mono_us() + 60LL * 1000 * 1000;
    while (wal_size(place) > 0 && clock_mono_us() < until_us)
        (void)nanosleep(&pause, NULL);
    return wal_size(place) == 0;
}

START_TEST(test_a_paused_reader_does_not_hold_the_wal)
{
    struct place place = sample_place();
    struct sample sample;
    sample_open(&sample, &place, 2);
    struct log_reader *reader = NULL;
    struct event_page page = {0};
    struct err err = {0};
    commit_notes(&sample, 1, 5000, false);
    ck_assert(log_reader_open(&reader, &place, &err));
    ck_assert(log_reader_events(reader, sample.number, 0, &page, &err));
    ck_assert_uint_eq(page.count, LOG_PAGE_EVENTS); /* more to come: a pager that pauses */
    ck_assert_int_gt(wal_size(&place), 0);
    commit_notes(&sample, 5001, 1, true);
    ck_assert(wal_shrinks(&place));
    ck_assert(log_reader_events(reader, sample.number, LOG_PAGE_EVENTS, &page, &err));
    ck_assert_uint_eq(page.count, 5001 - LOG_PAGE_EVENTS);
    event_page_done(&page);
    log_reader_close(reader);
    sample_done(&sample);
}
END_TEST

START_TEST(test_a_large_wal_is_cut_without_asking_twice)
{
    enum { PIECE = 64 * 1024, PIECES = 64 };
    struct place place = sample_place();
    struct sample sample;
    sample_open(&sample, &place, 2);
    char *bytes = xcalloc(1, PIECE);
    struct err err = {0};
    off_t most = 0;
    for (int i = 0; i < 16 * PIECES; i++) {
        struct log_output output = {
            .attempt = 1, .stream = 1, .index = i, .bytes = bytes, .len = PIECE};
        struct log_batch batch = {.outputs = &output, .output_count = 1};
        ck_assert(log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err));
        most = wal_size(&place) > most ? wal_size(&place) : most;
    }
    /* 64 MiB went through it. */
    ck_assert_int_ge(most, LOG_CHECKPOINT_BYTES / 2);
    ck_assert_int_lt(most, 3 * LOG_CHECKPOINT_BYTES);
    free(bytes);
    sample_done(&sample);
}
END_TEST

/* A row that is there already is not replaced, by the writer that goes without the triggers either:
 * the error is told, and what comes after is sound. */
START_TEST(test_a_failed_commit_is_told_and_tried_again)
{
    struct place place = sample_place();
    struct sample sample;
    sample_open(&sample, &place, 2);
    commit_notes(&sample, 1, 3, false);
    struct db other;
    struct err err = {0};
    ck_assert(other_program_open(&other, place.db, DB_WRITE, &err));
    ck_assert_msg(db_exec(&other,
                          "INSERT INTO event(run, seq, at_ms, mono_ms, kind)"
                          " SELECT id, 5, 1, 1, 1 FROM run",
                          &err),
                  "%s", err.message);
    struct event *events = sample_notes(4, 3);
    struct log_batch batch = {.events = events, .event_count = 3};
    ck_assert(!log_writer_commit(sample.writer, &batch, LOG_SYNC_NORMAL, &err));
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "UNIQUE constraint failed"));
    ck_assert_int_eq(number(&place, "SELECT count(*) FROM event"), 4);

    err = (struct err){0};
    ck_assert(!db_exec(&other, "DELETE FROM event WHERE seq=5", &err));
    err = (struct err){0};
    ck_assert_int_eq(sqlite3_db_config(other.handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL),
                     SQLITE_OK);
    ck_assert(db_exec(&other, "DELETE FROM event WHERE seq=5", &err));
    db_done(&other);
    ck_assert_msg(log_writer_commit(sample.writer, &batch, LOG_SYNC_FULL, &err), "%s", err.message);
    ck_assert_int_eq(number(&place, "SELECT count(*) FROM event"), 6);
    ck_assert_int_eq(number(&place, "SELECT last_seq FROM run"), 6);
    free(events);
    sample_done(&sample);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_crash");
    TCase *many = test_case(suite, "many");
    tcase_add_test(many, test_writers_in_turn_lose_nothing);
    TCase *crash = test_case(suite, "crash");
    tcase_add_test(crash, test_a_killed_writer_leaves_a_sound_log);
    tcase_add_test(crash, test_a_failed_commit_is_told_and_tried_again);
    TCase *wal = test_case(suite, "wal");
    tcase_add_test(wal, test_a_paused_reader_does_not_hold_the_wal);
    tcase_add_test(wal, test_a_large_wal_is_cut_without_asking_twice);
    return suite;
}
