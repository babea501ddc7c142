#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log_own.h"
#include "log_reader.h"
#include "log_sample.h"
#include "must.h"
#include "test_main.h"

static struct place place;       /* of a log that was made here and is closed */
static char top[PATH_MAX - 256]; /* where copies of it go */
static char state_home[PATH_MAX];

static void setup(void)
{
    (void)snprintf(top, sizeof(top), "%s", test_tmpdir());
    (void)snprintf(state_home, sizeof(state_home), "%s/state", top);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", state_home, 1), 0);
    struct sample sample = {0};
    place = sample_place();
    sample_open(&sample, &place, 5);
    sample_done(&sample);
}

/* Runs a script of sh with $1 and $2. */
static void shell(const char *script, const char *a, const char *b)
{
    int status = 0;
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        (void)execl("/bin/sh", "sh", "-c", script, "sh", a, b, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

/* The log in a directory of that name beside its own. */
static struct place place_in(const char *name)
{
    char path[PATH_MAX];
    struct place out;
    (void)snprintf(path, sizeof(path), "%s/%s/devs.db", top, name);
    must(place_of_file(path, &out, &err));
    return out;
}

static void assert_refused(const struct place *of, enum err_code code, const char *words)
{
    struct err err = {0};
    struct log_writer *writer = NULL;
    ck_assert(!log_writer_open(&writer, of, &err));
    ck_assert_msg(err.code == code && strstr(err.message, words), "%d: %s", (int)err.code,
                  err.message);
}

static void assert_readable(const struct place *of)
{
    struct log_reader *reader = NULL;
    must(log_reader_open(&reader, of, &err));
    log_reader_close(reader);
}

static void assert_own(const struct place *of)
{
    struct log_writer *writer = NULL;
    must(log_own_check(of, &err));
    must(log_writer_open(&writer, of, &err));
    log_writer_close(writer);
}

START_TEST(test_a_log_that_was_made_here_is_ones_own)
{
    char path[PATH_MAX + 16];
    struct stat info;
    assert_own(&place);
    (void)snprintf(path, sizeof(path), "%s-mine", place.db);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    (void)snprintf(path, sizeof(path), "%s/devs/log-key", state_home);
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    ck_assert_int_eq(info.st_size, 32);
}
END_TEST

/* As a clone makes it, with all its files, private or not; or one whose mark is somebody's guess.
 */
START_TEST(test_a_copy_is_read_only)
{
    static const char *const copies[] = {
        "umask 077; mkdir \"$2\" && cp \"$1\"/devs.db* \"$2\"",
        "umask 022; mkdir \"$2\" && cp \"$1\"/devs.db* \"$2\"",
        "umask 077; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\"",
        "umask 077; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\" && printf %064d 0 "
        ">\"$2\"/devs.db-mine",
        "umask 077; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\" && ln -s \"$1\"/devs.db-mine \"$2\"",
        "cp -a \"$1\" \"$2\"",
    };
    const struct place copy = place_in("copy");
    shell(copies[_i], place.dir, copy.dir);
    assert_readable(&copy);
    ck_assert(!log_own_check(&copy, NULL));
    struct log_writer *writer = NULL;
    must_fail(log_writer_open(&writer, &copy, &err), ERR_INVALID);
}
END_TEST

/* As a pull does it where the log is ignored and somebody committed one. */
START_TEST(test_a_log_that_was_put_in_place_of_ours_is_read_only)
{
    shell("cp \"$1\"/devs.db \"$1\"/x && mv \"$1\"/x \"$1\"/devs.db", place.dir, "");
    assert_refused(&place, ERR_INVALID, "devs gc --adopt makes it yours");
    assert_readable(&place);
}
END_TEST

/* The mark is left behind, and the next file gets the inode number of the log. */
START_TEST(test_a_file_with_the_inode_of_a_removed_log)
{
    enum { TRIES = 100 };
    char path[PATH_MAX + 32];
    struct stat old;
    struct stat info = {0};
    ck_assert_int_eq(lstat(place.db, &old), 0);
    shell("cp \"$1\"/devs.db \"$2\"/kept.db && rm \"$1\"/devs.db", place.dir, top);
    for (int i = 0; i < TRIES && info.st_ino != old.st_ino; i++) {
        (void)snprintf(path, sizeof(path), "%s/try-%d", place.dir, i);
        shell("umask 077; cat \"$1\"/kept.db >\"$2\"", top, path);
        ck_assert_int_eq(lstat(path, &info), 0);
    }
    ck_assert_int_eq(rename(path, place.db), 0);
    assert_refused(&place, ERR_INVALID, "devs gc --adopt makes it yours");
}
END_TEST

START_TEST(test_moving_keeps_it_ones_own)
{
    const struct place moved = place_in("moved");
    ck_assert_int_eq(rename(place.dir, moved.dir), 0);
    assert_own(&moved);
}
END_TEST

START_TEST(test_another_person_s_key_does_not_fit)
{
    (void)snprintf(state_home, sizeof(state_home), "%s/other", top);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", state_home, 1), 0);
    assert_refused(&place, ERR_INVALID, "devs gc --adopt makes it yours");
}
END_TEST

START_TEST(test_adopting)
{
    const struct place copy = place_in("copy");
    struct stat info;
    shell("umask 022; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\"", place.dir, copy.dir);
    must(log_own_adopt(&copy, &err));
    assert_own(&copy);
    ck_assert_int_eq(lstat(copy.db, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);

    shell("echo no log >\"$2\"/devs.db", "", copy.dir);
    must_fail(log_own_adopt(&copy, &err), ERR_DAMAGED);
}
END_TEST

/* Where no key can be kept, modes and owner count. */
START_TEST(test_without_a_state_directory)
{
    const struct place copy = place_in("copy");
    shell("umask 077; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\"", place.dir, copy.dir);
    ck_assert_int_eq(unsetenv("XDG_STATE_HOME"), 0);
    ck_assert_int_eq(unsetenv("HOME"), 0);
    assert_own(&copy);
    ck_assert_int_eq(chmod(copy.db, 0644), 0);
    assert_refused(&copy, ERR_INVALID, "devs gc --adopt makes it yours");
}
END_TEST

START_TEST(test_links_are_not_followed)
{
    static const char *const links[] = {"work",         "owner",         "sessions",
                                        "devs.db-gate", "devs.db-write", "devs.db-bell"};
    char path[PATH_MAX + 64];
    shell("mkdir \"$1/target\"", top, "");
    (void)snprintf(path, sizeof(path), "%s/%s", place.dir, links[_i]);
    (void)remove(path);
    shell("ln -s \"$1/target\" \"$2\"", top, path);
    struct err err = {0};
    struct log_writer *writer = NULL;
    ck_assert(!log_writer_open(&writer, &place, &err));
    ck_assert_msg(strstr(err.message, links[_i]), "%s", err.message);
    shell("rmdir \"$1/target\"", top, ""); /* nothing was put there */
}
END_TEST

START_TEST(test_a_rollback_journal_is_never_replayed)
{
    shell("cp \"$1\"/devs.db \"$1\"/devs.db-journal", place.dir, "");
    struct log_reader *reader = NULL;
    assert_refused(&place, ERR_DAMAGED, "devs.db-journal' is next to the log");
    must_fail(log_reader_open(&reader, &place, &err), ERR_DAMAGED);
}
END_TEST

START_TEST(test_a_wal_of_another_making_is_never_replayed)
{
    shell("cp \"$1\"/devs.db \"$1\"/devs.db-wal && chmod 644 \"$1\"/devs.db-wal", place.dir, "");
    assert_refused(&place, ERR_DAMAGED, "devs.db-wal' was not created together with the log");
}
END_TEST

static void assert_folder(const char *name, bool want)
{
    struct err err = {0};
    const struct place of = place_in(name);
    const bool is_own = log_own_folder_check(&of, &err);
    ck_assert_msg(is_own == want, "%s: %s", name, err.message);
}

START_TEST(test_a_directory_of_its_own)
{
    shell("mkdir -p \"$1/p/.devs\" && umask 077 && cd \"$1\" && mkdir bare log loose wide"
          " && touch log/devs.db log/devs.db-wal log/devs.db-mine log/other.db log/other.db-shm"
          " loose/devs.db loose/plan.json wide/devs.db && mkdir log/owner log/work"
          " && chmod 755 wide && ln -s log link && chmod 755 p p/.devs",
          top, "");
    assert_folder("p/.devs", true);
    assert_folder("bare", true);
    assert_folder("log", true);
    assert_folder("loose", false);
    assert_folder("wide", false);
    assert_folder("link", false);
    assert_folder("not-there", false);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log_own");
    TCase *tcase = test_case(suite, "own");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_a_log_that_was_made_here_is_ones_own);
    tcase_add_loop_test(tcase, test_a_copy_is_read_only, 0, 6);
    tcase_add_test(tcase, test_a_log_that_was_put_in_place_of_ours_is_read_only);
    tcase_add_test(tcase, test_a_file_with_the_inode_of_a_removed_log);
    tcase_add_test(tcase, test_moving_keeps_it_ones_own);
    tcase_add_test(tcase, test_another_person_s_key_does_not_fit);
    tcase_add_test(tcase, test_adopting);
    tcase_add_test(tcase, test_without_a_state_directory);
    tcase_add_loop_test(tcase, test_links_are_not_followed, 0, 6);
    tcase_add_test(tcase, test_a_rollback_journal_is_never_replayed);
    tcase_add_test(tcase, test_a_wal_of_another_making_is_never_replayed);
    tcase_add_test(tcase, test_a_directory_of_its_own);
    return suite;
}
