#define _GNU_SOURCE
/* What is left of a log that was damaged, cut, or taken into a place where nothing can be
 * written: it is read as far as it goes, by surgery on the files. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control_desk.h"
#include "db.h"
#include "follower.h"
#include "log_sample.h"
#include "must.h"
#include "test_main.h"

enum { TASKS = 400, NOTES = 200, PAGE = 4096 };

static struct sample sample;

static void setup(void)
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

/* The log as a process leaves it: all in one file. */
static void close_log(void)
{
    log_writer_close(sample.writer);
    sample.writer = NULL;
}

static void sql(const char *text)
{
    struct db db;
    must(db_init(&db, sample.place.db, DB_WRITE, &err));
    must(db_exec(&db, text, &err));
    db_done_in_turn(&db);
}

/* Read all there is; the last event that could be. *err_out says why no more. */
static int64_t read_to_the_end(struct err *err_out)
{
    struct follower *follower = NULL;
    struct err err = {0};
    ck_assert_msg(follower_open(&follower, &sample.place, 0, &err), "%s", err.message);
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
        if (at == 0 || !memmem(page, sizeof(page), text, strlen(text)) || seen++ < keep)
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

START_TEST(test_a_damaged_page_hides_only_what_comes_after)
{
    int64_t last = sample.state.last_seq;
    close_log();
    /* What an attempt that failed said is in events only. */
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

/* Events that only the WAL has, by a process that is gone without a word. */
static void add_events_and_die(int64_t after)
{
    char text[512];
    struct db db;
    (void)snprintf(text, sizeof(text),
                   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d)"
                   " INSERT INTO event(run, seq, at_ms, mono_ms, kind, text)"
                   " SELECT 1, %lld+i, 1700000000000, 1, %d, '{\"note\":\"late\"}' FROM n",
                   NOTES, (long long)after, EVENT_NOTE);
    bool ok = db_init(&db, sample.place.db, DB_WRITE, NULL) && db_exec(&db, text, NULL);
    _exit(ok ? 0 : 1);
}

/* Killed, and somebody tidied up: what a checkpoint brought into the file is there. */
START_TEST(test_a_missing_wal_costs_what_was_in_it)
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
    close_log();
    pid_t child = fork();
    if (child == 0)
        add_events_and_die(before);
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert(!cases[_i].without_wal || unlink(wal) == 0);
    ck_assert(!cases[_i].without_shm || unlink(shm) == 0);
    ck_assert(!cases[_i].cut || truncate(wal, 5 * PAGE / 2) == 0);
    struct err err;
    bool lost = cases[_i].without_wal || cases[_i].cut;
    ck_assert_int_eq(read_to_the_end(&err), lost ? before : before + NOTES);
    ck_assert_msg(err.code == ERR_NONE, "%s", err.message);
}
END_TEST

START_TEST(test_a_newer_log_is_looked_at_and_not_written)
{
    int64_t last = sample.state.last_seq;
    close_log();
    sql("PRAGMA user_version=7; UPDATE run SET devs='0.5'; ALTER TABLE event ADD COLUMN f");
    struct err err;
    ck_assert_int_eq(read_to_the_end(&err), last);
    ck_assert_int_eq(err.code, ERR_NONE);

    struct log_reader *reader = NULL;
    struct log_trouble trouble;
    struct str words = {0};
    ck_assert(log_reader_open(&reader, &sample.place, &err));
    log_reader_trouble(reader, 0, &trouble);
    log_trouble_words(&trouble, &words);
    ck_assert_str_eq(str_text(&words),
                     "this log was written by devs 0.5 (schema 7, latest known 2): read only");
    str_done(&words);
    log_reader_close(reader);

    struct log_writer *writer = NULL;
    struct control_desk *desk = NULL;
    ck_assert(!log_writer_open(&writer, &sample.place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_msg(strstr(err.message, "schema 7, latest known 2") != NULL, "%s", err.message);
    err = (struct err){0};
    ck_assert(!control_desk_start(&desk, &sample.place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
}
END_TEST

START_TEST(test_a_newer_log_without_the_columns_is_refused)
{
    close_log();
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
    struct log_writer *writer = NULL;
    struct control_desk *desk = NULL;
    struct err err = {0};
    ck_assert(!log_writer_open(&writer, &place, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert(!control_desk_start(&desk, &place, &err));
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
    close_log();
    if (_i == 0)
        ck_assert_int_eq(link(sample.place.db, place.db), 0);
    else if (_i == 1)
        ck_assert_int_eq(symlink(sample.place.db, place.db), 0);
    else
        ck_assert_int_eq(mkfifo(place.db, 0600), 0);
    struct log_writer *writer = NULL;
    struct err err = {0};
    ck_assert(!log_writer_open(&writer, &place, &err));
    ck_assert_msg(err.code == (_i == 2 ? ERR_DAMAGED : ERR_INVALID), "%s", err.message);
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
                   _i == 0 ? "others may write" : "somebody else's");
    ck_assert_int_ne(access(place.db, F_OK), 0);
}
END_TEST

/* Files that an older umask left open are closed. */
START_TEST(test_files_are_made_private)
{
    struct stat info;
    close_log();
    ck_assert_int_eq(chmod(sample.place.db, 0644), 0);
    struct log_writer *writer = NULL;
    must(log_writer_open(&writer, &sample.place, &err));
    ck_assert_int_eq(stat(sample.place.db, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    log_writer_close(writer);
}
END_TEST

START_TEST(test_a_read_only_place_can_be_looked_at)
{
    int64_t last = sample.state.last_seq;
    close_log();
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_faults");
    TCase *tcase = test_case(suite, "faults");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_damaged_page_hides_only_what_comes_after);
    tcase_add_loop_test(tcase, test_a_missing_wal_costs_what_was_in_it, 0, 5);
    tcase_add_test(tcase, test_a_newer_log_is_looked_at_and_not_written);
    tcase_add_test(tcase, test_a_newer_log_without_the_columns_is_refused);
    tcase_add_test(tcase, test_nothing_is_left_beside_a_file_that_is_refused);
    tcase_add_loop_test(tcase, test_a_log_with_two_names_is_refused, 0, 3);
    tcase_add_loop_test(tcase, test_a_folder_that_others_can_write_is_refused, 0, 3);
    tcase_add_test(tcase, test_files_are_made_private);
    tcase_add_test(tcase, test_a_read_only_place_can_be_looked_at);
    return suite;
}
