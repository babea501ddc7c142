#define _GNU_SOURCE /* syscall */

#include "test_main.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "log_reader.h"
#include "log_sample.h"
#include "loop.h"
#include "spill.h"
#include "turns.h"

enum {
    FEW = 10,
    MANY = 50000,            /* more than may be kept */
    SOME_ROOM = 1024 * 1024, /* for a part of them */
    RETRIED = RECORDER_RETRY_MS + 1,
};

static atomic_bool sync_fails;

/* In place of the C library's: SQLite calls it. */
int fdatasync(int fildes)
{
    if (atomic_load(&sync_fails)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fildes);
}

static struct sample sample;
static struct recorder recorder;

/* There can be no spill: a file lies where its folder would be. */
static void block_spill(const struct place *place)
{
    FILE *file = fopen(test_path(place->dir, "devs"), "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place->dir, 1), 0);
}

static void setup(void)
{
    struct place place = sample_place();
    block_spill(&place);
    sample_open(&sample, &place, 2);
    recorder = (struct recorder){.writer = sample.writer};
    sample.writer = NULL;
}

static void teardown(void)
{
    atomic_store(&sync_fails, false);
    recorder_done(&recorder);
    sample_done(&sample);
}

static bool commit(int64_t seq, size_t count, enum recorder_urgency urgency, int64_t now_ms)
{
    struct event *events = sample_notes(seq, count);
    const struct log_batch batch = {.events = events, .event_count = count};
    bool ok = recorder_commit(&recorder, &batch, urgency, now_ms);
    free(events);
    return ok;
}

/* A checkpoint keeps the lock while it syncs, and a disk may be slower than a commit waits. */
static bool commit_tried_again(const struct log_batch *batch)
{
    enum { TRIES = 200 };
    bool ok = recorder_commit(&recorder, batch, RECORDER_IN_TIME, 1);
    for (int i = 0; !ok && i < TRIES; i++)
        ok = recorder_commit(&recorder, batch, RECORDER_NOW, 1);
    return ok;
}

static bool commit_output(int64_t now_ms)
{
    const struct log_output output = {.attempt = 1, .stream = 1, .bytes = "abc", .len = 3};
    const struct log_batch batch = {.outputs = &output, .output_count = 1};
    return recorder_commit(&recorder, &batch, RECORDER_IN_TIME, now_ms);
}

static void assert_in_log(int64_t want)
{
    struct log_reader *reader = NULL;
    struct log_run_info info;
    struct err err = {0};
    ck_assert_msg(log_reader_open(&reader, &sample.place, &err), "%s", err.message);
    ck_assert_msg(log_reader_run(reader, 0, &info, &err), "%s", err.message);
    ck_assert_int_eq(info.last_seq, want);
    log_run_info_done(&info);
    log_reader_close(reader);
}

static void assert_news(const char *word)
{
    struct recorder_news news = recorder_news(&recorder);
    ck_assert_ptr_nonnull(news.what);
    ck_assert_msg(strstr(news.what, word) != NULL, "%s", news.what);
    const bool is_over = strstr(news.what, "written again") != NULL;
    ck_assert_int_eq(news.why[0] == '\0', is_over);
    ck_assert_ptr_null(recorder_news(&recorder).what);
}

START_TEST(test_events_wait_until_there_is_room)
{
    sample_limit_wal(&sample, 0);
    ck_assert(!commit(1, FEW, RECORDER_IN_TIME, 1));
    ck_assert(!commit(1 + FEW, FEW, RECORDER_IN_TIME, 2));
    ck_assert(recorder.failing && !recorder.lost);
    ck_assert_int_eq(recorder_due(&recorder), RETRIED);
    sample_limit_wal(&sample, -1);
    ck_assert(!commit(0, 0, RECORDER_IN_TIME, RETRIED - 1));
    ck_assert(commit(0, 0, RECORDER_IN_TIME, RETRIED));
    ck_assert(!recorder.failing && !recorder.lost);
    ck_assert_uint_eq(recorder.kept.count, 0);
    ck_assert_uint_eq(recorder.kept_bytes, 0);
    ck_assert_int_eq(recorder_due(&recorder), INT64_MAX);
    assert_in_log(2 * FEW);
    assert_news("nothing is missing");
}
END_TEST

START_TEST(test_output_does_not_wait)
{
    sample_limit_wal(&sample, 0);
    ck_assert(!commit_output(1));
    ck_assert(recorder.lost);
    sample_limit_wal(&sample, -1);
    ck_assert(commit_output(RETRIED));
    assert_news("some output is missing");
}
END_TEST

/* A whole plan of 50,000 tasks is cancelled and the disk is full in the middle, or at
 * once. */
START_TEST(test_a_large_batch_is_tried_again)
{
    sample_limit_wal(&sample, _i == 0 ? SOME_ROOM : 0);
    ck_assert(!commit(1, MANY, RECORDER_NOW, 1));
    int64_t there = log_writer_committed_seq(recorder.writer);
    ck_assert(_i == 0 ? there > 0 : there == 0);
    ck_assert_uint_eq(recorder.kept.count, (size_t)(MANY - there));
    ck_assert(!commit(MANY + 1, FEW, RECORDER_NOW, 2));
    ck_assert(!recorder.over && !recorder.lost);
    sample_limit_wal(&sample, -1);
    ck_assert(commit(MANY + 1 + FEW, FEW, RECORDER_IN_TIME, RETRIED));
    ck_assert(!recorder.over && !recorder.lost && !recorder.failing);
    assert_in_log(MANY + 2 * FEW);
}
END_TEST

START_TEST(test_recording_ends_when_too_much_waits)
{
    sample_limit_wal(&sample, 0);
    ck_assert(!commit(1, MANY, RECORDER_IN_TIME, 1));
    ck_assert(!commit(0, 0, RECORDER_IN_TIME, RETRIED));
    ck_assert(recorder.over && recorder.lost);
    ck_assert_uint_eq(recorder.kept.count, 0);
    sample_limit_wal(&sample, -1);
    ck_assert(!commit(MANY + 1, FEW, RECORDER_NOW, (int64_t)2 * RETRIED));
    ck_assert_int_eq(recorder_due(&recorder), INT64_MAX);
    assert_in_log(0);
}
END_TEST

START_TEST(test_what_is_not_yet_on_the_disk_is_not_lost)
{
    atomic_store(&sync_fails, true);
    ck_assert(commit(1, FEW, RECORDER_NOW, 1));
    ck_assert(commit(1 + FEW, FEW, RECORDER_NOW, 2));
    ck_assert(!recorder.failing && !recorder.lost);
    ck_assert_int_eq(recorder.err.code, ERR_NONE);
    assert_in_log(2 * FEW);
    assert_news("power failure");
    ck_assert(commit(1 + 2 * FEW, FEW, RECORDER_NOW, 3));
    ck_assert_ptr_null(recorder_news(&recorder).what);
}
END_TEST

START_TEST(test_the_end_waits_for_another_process)
{
    sample_limit_wal(&sample, 0);
    ck_assert(!commit(1, FEW, RECORDER_NOW, 1));
    sample_limit_wal(&sample, -1);
    recorder_finish(&recorder); /* it was the disk: no use */
    ck_assert(recorder.failing);
    recorder.busy = true;
    recorder_finish(&recorder);
    ck_assert(!recorder.failing && !recorder.lost);
    assert_in_log(FEW);
}
END_TEST

/* As above, but there is a place for a spill. */
static void setup_with_room(void)
{
    struct place place = sample_place();
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", place.dir, 1), 0);
    sample_open(&sample, &place, 2);
    recorder = (struct recorder){.writer = sample.writer, .spill_controls = INT64_MAX};
    sample.writer = NULL;
}

/* The log's own name, and one to put it aside. */
static void move_log(bool back)
{
    char aside[PATH_MAX + 8];
    (void)snprintf(aside, sizeof(aside), "%s.aside", sample.place.db);
    ck_assert_int_eq(rename(back ? aside : sample.place.db, back ? sample.place.db : aside), 0);
}

START_TEST(test_what_the_log_cannot_take_is_spilled_and_brought_home)
{
    ck_assert(commit(1, FEW, RECORDER_IN_TIME, 1));
    move_log(false);
    ck_assert(commit(1 + FEW, FEW, RECORDER_IN_TIME, 2));
    ck_assert(recorder_is_away(&recorder) && !recorder.lost && !recorder.failing);
    assert_news("recorded in a spill log");
    ck_assert_int_eq(recorder_due(&recorder), RETRIED + 1);
    ck_assert(commit_output(3));
    ck_assert(commit(1 + 2 * FEW, FEW, RECORDER_NOW, 4));
    ck_assert_uint_eq(recorder.kept.count, 0);

    /* Not yet, then the log is there again. */
    ck_assert(commit(0, 0, RECORDER_IN_TIME, RETRIED + 1));
    ck_assert(recorder_is_away(&recorder));
    move_log(true);
    ck_assert(commit(1 + 3 * FEW, FEW, RECORDER_IN_TIME, 2 * RETRIED + 1));
    ck_assert(!recorder_is_away(&recorder) && !recorder.lost);
    assert_in_log(4 * FEW);
    assert_news("nothing is missing");
    ck_assert_int_eq(recorder_due(&recorder), INT64_MAX);
}
END_TEST

START_TEST(test_a_spill_stays_where_the_log_does_not_come_back)
{
    struct place left;
    ck_assert(commit(1, FEW, RECORDER_IN_TIME, 1));
    if (_i == 1)
        ck_assert(commit_output(1));
    move_log(false);
    ck_assert(commit(1 + FEW, FEW, RECORDER_NOW, 2));
    recorder_finish(&recorder);
    ck_assert(recorder_is_away(&recorder) && !recorder.lost);
    ck_assert(recorder.left_output == (_i == 1)); /* the spill has no output of before */
    char uid[LOG_UID_MAX];
    (void)snprintf(uid, sizeof(uid), "%s", log_writer_uid(recorder.writer));
    recorder_done(&recorder);
    ck_assert(spill_find(uid, &left));
    struct spill_info info;
    struct err err = {0};
    ck_assert_msg(spill_read_info(&left, &info, &err), "%s", err.message);
    ck_assert(!info.alive);
    ck_assert_int_eq(info.first_seq, 1); /* the log is gone: all of the run */
    ck_assert_int_eq(info.last_seq, 2 * FEW);
    ck_assert_str_eq(info.home, sample.place.db);
}
END_TEST

/* Somebody keeps the turn: the run waits so long, no longer, and loses nothing. */
START_TEST(test_a_log_that_is_locked_for_long_is_left_alone)
{
    struct turns turns;
    struct err err = {0};
    ck_assert(turns_init(&turns, &sample.place, &err) && turns_take(&turns, &err));
    ck_assert_int_eq(turns_holder(&sample.place), getpid());
    int64_t began_us = clock_mono_us();
    ck_assert(commit(1, FEW, RECORDER_IN_TIME, 1));
    int64_t took_ms = (clock_mono_us() - began_us) / 1000;
    ck_assert_int_ge(took_ms, TURNS_WAIT_MS_MAX);
    ck_assert(recorder_is_away(&recorder) && commit_output(2));
    turns_give(&turns);
    ck_assert_int_eq(turns_holder(&sample.place), 0);
    turns_done(&turns);
    recorder_finish(&recorder);
    ck_assert(!recorder_is_away(&recorder) && !recorder.lost);
    assert_in_log(FEW);

    /* What is told of the next time is not the reason of this one. */
    (void)recorder_news(&recorder);
    (void)recorder_news(&recorder);
    move_log(false);
    ck_assert(commit(1 + FEW, FEW, RECORDER_IN_TIME, 3));
    const struct recorder_news news = recorder_news(&recorder);
    ck_assert_ptr_nonnull(news.what);
    ck_assert_msg(strstr(news.why, "deleted") != NULL, "%s", news.why);
    move_log(true);
}
END_TEST

START_TEST(test_a_full_spill_drops_output_first)
{
    enum { PIECE = 1024 * 1024 };
    move_log(false);
    char *bytes = malloc(PIECE);
    ck_assert_ptr_nonnull(bytes);
    memset(bytes, 'x', PIECE);
    for (int i = 0; i < 2 * SPILL_BYTES_MAX / PIECE; i++) {
        const struct log_output output = {.attempt = 1,
                                          .stream = 1,
                                          .part = LOG_OUTPUT_HEAD,
                                          .index = i,
                                          .bytes = bytes,
                                          .len = PIECE};
        const struct log_batch batch = {.outputs = &output, .output_count = 1};
        ck_assert(commit_tried_again(&batch));
    }
    free(bytes);
    ck_assert(recorder.lost && !recorder.failing);
    ck_assert(commit(1, FEW, RECORDER_NOW, 2) || commit_tried_again(&(struct log_batch){0}));
    struct stat info;
    ck_assert_int_eq(stat(log_writer_place(recorder.spill)->db, &info), 0);
    ck_assert_int_lt(info.st_size, SPILL_BYTES_MAX);
    move_log(true);
    recorder_finish(&recorder);
    ck_assert(!recorder_is_away(&recorder));
    assert_in_log(FEW);
}
END_TEST

/* Output whose end is written again and again makes the database no larger, but the WAL. */
START_TEST(test_the_wal_of_a_spill_stays_small)
{
    enum { PIECE = 1024 * 1024, WRITTEN = 3 * LOG_CHECKPOINT_BYTES, TRIES = 6000 };
    char wal[PATH_MAX + 8];
    struct stat info = {0};
    move_log(false);
    char *bytes = calloc(PIECE, 1);
    ck_assert_ptr_nonnull(bytes);
    for (int i = 0; i < WRITTEN / PIECE; i++) {
        const struct log_output output = {
            .attempt = 1, .stream = 1, .part = LOG_OUTPUT_TAIL, .bytes = bytes, .len = PIECE};
        const bool idle = i + 1 == WRITTEN / PIECE;
        const struct log_batch batch = {.outputs = &output, .output_count = 1, .idle = idle};
        ck_assert(commit_tried_again(&batch));
    }
    free(bytes);
    (void)snprintf(wal, sizeof(wal), "%s-wal", log_writer_place(recorder.spill)->db);
    /* It is cut off on another thread. */
    for (int i = 0; i < TRIES && stat(wal, &info) == 0 && info.st_size >= LOG_CHECKPOINT_BYTES; i++)
        (void)poll(NULL, 0, 10);
    ck_assert_int_lt(info.st_size, LOG_CHECKPOINT_BYTES);
}
END_TEST

/* There was no room in the spill either, and at the end the log is there again. */
START_TEST(test_what_waits_goes_home_with_the_spill)
{
    enum { PIECE = 1024 * 1024 };
    ck_assert(commit(1, FEW, RECORDER_IN_TIME, 1));
    move_log(false);
    ck_assert(commit(1 + FEW, FEW, RECORDER_IN_TIME, 2));
    const struct sample second = {.place = *log_writer_place(recorder.spill)};
    sample_limit_wal(&second, 0);
    ck_assert(!commit(1 + 2 * FEW, FEW, RECORDER_IN_TIME, 3));
    sample_limit_wal(&sample, -1);
    move_log(true);
    recorder_finish(&recorder);
    ck_assert(!recorder_is_away(&recorder) && !recorder.failing && !recorder.lost);
    assert_in_log(3 * FEW);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("recorder");
    TCase *tcase = test_case(suite, "recorder");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_events_wait_until_there_is_room);
    tcase_add_test(tcase, test_output_does_not_wait);
    tcase_add_test(tcase, test_the_end_waits_for_another_process);
    tcase_add_loop_test(tcase, test_a_large_batch_is_tried_again, 0, 2);
    tcase_add_test(tcase, test_recording_ends_when_too_much_waits);
    tcase_add_test(tcase, test_what_is_not_yet_on_the_disk_is_not_lost);
    TCase *away = test_case(suite, "away");
    tcase_add_checked_fixture(away, setup_with_room, teardown);
    tcase_add_test(away, test_what_the_log_cannot_take_is_spilled_and_brought_home);
    tcase_add_loop_test(away, test_a_spill_stays_where_the_log_does_not_come_back, 0, 2);
    tcase_add_test(away, test_a_log_that_is_locked_for_long_is_left_alone);
    tcase_add_test(away, test_a_full_spill_drops_output_first);
    tcase_add_test(away, test_the_wal_of_a_spill_stays_small);
    tcase_add_test(away, test_what_waits_goes_home_with_the_spill);
    return suite;
}
