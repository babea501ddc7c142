#define _GNU_SOURCE
/* Where a log is, whether it is the user's own, and who owns a run in it. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log_own.h"
#include "log_reader.h"
#include "log_try.h"
#include "must.h"
#include "owner.h"
#include "place.h"
#include "private_file.h"
#include "test_main.h"

static char top[PATH_MAX - 256]; /* the test's folder, without symbolic links */

static void setup(void)
{
    char *real = realpath(test_tmpdir(), NULL);
    ck_assert_ptr_nonnull(real);
    (void)snprintf(top, sizeof(top), "%s", real);
    free(real);
    ck_assert_int_eq(chdir(top), 0);
    ck_assert_int_eq(unsetenv("DEVS_DB"), 0);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", top, 1), 0);
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
}

static void assert_place(const char *given, bool create, const char *want)
{
    struct place place;
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", top, want);
    must(place_find(given, create, &place, &err));
    ck_assert_str_eq(place.db, path);
    *strrchr(path, '/') = '\0';
    ck_assert_str_eq(place.dir, path);
    ck_assert_int_eq(place.is_shared, strcmp(want, "devs/devs.db") == 0);
}

static void assert_error(const char *given, bool create, enum err_code want)
{
    struct place place = {.db = "untouched"};
    struct err err = {0};
    ck_assert(!place_find(given, create, &place, &err));
    ck_assert_msg(err.code == want, "%d: %s", (int)err.code, err.message);
    ck_assert_str_eq(place.db, "untouched");
}

START_TEST(test_given_comes_first)
{
    make_file("a.db");
    make_file("b.db");
    setenv("DEVS_DB", "b.db", 1);
    assert_place("a.db", false, "a.db");
    assert_place(NULL, false, "b.db");
    setenv("DEVS_DB", "", 1);
    assert_error(NULL, false, ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_given_makes_its_folder)
{
    assert_error("x/y/z.db", false, ERR_NOT_FOUND);
    assert_place("x/y/z.db", true, "x/y/z.db");
    struct stat info;
    check_mode("x/y", 0700);
    ck_assert_int_ne(stat("x/y/z.db", &info), 0);
}
END_TEST

START_TEST(test_walks_up_like_git)
{
    ck_assert_int_eq(mkdir(".devs", 0700), 0);
    make_file(".devs/devs.db");
    ck_assert_int_eq(mkdir("deep", 0700), 0);
    ck_assert_int_eq(mkdir("deep/down", 0700), 0);
    ck_assert_int_eq(chdir("deep/down"), 0);
    assert_place(NULL, false, ".devs/devs.db");
    assert_place(NULL, true, ".devs/devs.db");

    /* A folder without a log is skipped; a nearer log is used. */
    ck_assert_int_eq(mkdir(".devs", 0700), 0);
    assert_place(NULL, false, ".devs/devs.db");
    make_file(".devs/devs.db");
    assert_place(NULL, false, "deep/down/.devs/devs.db");
}
END_TEST

START_TEST(test_new_folder_is_private_whatever_the_umask)
{
    static const mode_t masks[] = {0, 022, 0777};
    umask(masks[_i]);
    assert_place(NULL, true, ".devs/devs.db");
    umask(022);
    check_mode(".devs", 0700);
    char *ignore = test_read_file(".devs/.gitignore");
    ck_assert_pstr_eq(ignore, "*\n");
    free(ignore);
}
END_TEST

START_TEST(test_an_existing_folder_is_left_alone)
{
    ck_assert_int_eq(mkdir(".devs", 0755), 0);
    ck_assert_int_eq(chmod(".devs", 0755), 0);
    assert_place(NULL, true, ".devs/devs.db");
    struct stat info;
    check_mode(".devs", 0755);
    ck_assert_int_ne(stat(".devs/.gitignore", &info), 0);
}
END_TEST

START_TEST(test_state_folder_is_the_last_resort)
{
    ck_assert_int_eq(mkdir("devs", 0700), 0);
    make_file("devs/devs.db");
    assert_place(NULL, false, "devs/devs.db");

    /* A project where no folder can be made. */
    ck_assert_int_eq(mkdir("project", 0700), 0);
    ck_assert_int_eq(chdir("project"), 0);
    make_file(".devs");
    assert_place(NULL, true, "devs/devs.db");

    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_error(NULL, false, ERR_NOT_FOUND);
}
END_TEST

START_TEST(test_a_folder_of_somebody_elses_is_not_used)
{
    if (geteuid() != 0)
        return; /* only root can make a folder somebody else's */
    ck_assert_int_eq(mkdir(".devs", 0755), 0);
    ck_assert_int_eq(chown(".devs", 1234, 1234), 0);
    assert_place(NULL, true, "devs/devs.db");
    make_file(".devs/devs.db");
    make_file("devs/devs.db");
    assert_place(NULL, false, "devs/devs.db");
}
END_TEST

START_TEST(test_bad_names)
{
    static const struct {
        const char *given;
        bool create;
        enum err_code want;
    } cases[] = {
        {"", false, ERR_INVALID},       {"", true, ERR_INVALID},
        {"folder/", true, ERR_INVALID}, {"missing.db", false, ERR_NOT_FOUND},
        {".", false, ERR_NOT_FOUND},    {"/dev/null/x.db", true, ERR_IO},
    };
    assert_error(cases[_i].given, cases[_i].create, cases[_i].want);
}
END_TEST

START_TEST(test_a_long_name_is_a_limit)
{
    char path[PATH_MAX + 10];
    memset(path, 'a', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    assert_error(path, false, ERR_LIMIT);
}
END_TEST

START_TEST(test_network_file_systems)
{
    static const struct {
        unsigned long type;
        bool want;
    } cases[] = {
        {0x6969, true},      {0xff534d42, true},  {0x01021997, true},  {0xfe534d42, true},
        {0x00c36400, true},  {0xef53, false},     {0x01021994, false}, {0x9123683e, false},
        {0x58465342, false}, {0x794c7630, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        ck_assert_msg(place_type_is_network(cases[i].type) == cases[i].want, "%lx", cases[i].type);
}
END_TEST

START_TEST(test_the_file_system_of_a_folder)
{
    struct place_disk disk;
    ck_assert(place_disk("/proc", &disk, NULL));
    ck_assert_str_eq(disk.type, "?");
    ck_assert(!disk.is_network);
    ck_assert_int_eq(disk.free_bytes, 0);
    ck_assert(place_disk(test_tmpdir(), &disk, NULL));
    ck_assert_int_gt(disk.free_bytes, 0);
    must_fail(place_disk("/nonexistent", &disk, &err), ERR_IO);
}
END_TEST

static struct place place; /* of a log that was made here and is closed; copies go to `top` */
static char state_home[PATH_MAX];

static void setup_own(void)
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
    const pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        (void)execl("/bin/sh", "sh", "-c", script, "sh", a, b, (char *)NULL);
        _exit(127);
    }
    check_exit(pid);
}

/* The log in another directory below `top`. */
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
    struct log_writer *writer = NULL;
    must_fail_with(log_writer_open(&writer, of, &err), code, words);
}

static void assert_readable(const struct place *of)
{
    struct log_reader *reader = log_reader_of(of);
    log_reader_close(reader);
}

static void assert_own(const struct place *of)
{
    struct log_writer *writer = NULL;
    must(log_own_check(of, &err));
    must(log_writer_open(&writer, of, &err));
    log_writer_close(writer);
}

START_TEST(test_a_log_made_here_is_ones_own)
{
    char path[PATH_MAX + 16];
    struct stat info;
    assert_own(&place);
    (void)snprintf(path, sizeof(path), "%s-mine", place.db);
    check_mode(path, 0600);
    (void)snprintf(path, sizeof(path), "%s/devs/log-key", state_home);
    check_mode(path, 0600);
    ck_assert_int_eq(stat(path, &info), 0);
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
        ("umask 077; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\" && printf %064d 0 "
         ">\"$2\"/devs.db-mine"),
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

/* As `git pull` does if the log is ignored and somebody committed one. */
START_TEST(test_a_log_that_replaced_ours_is_read_only)
{
    shell("cp \"$1\"/devs.db \"$1\"/x && mv \"$1\"/x \"$1\"/devs.db", place.dir, "");
    assert_refused(&place, ERR_INVALID, "devs gc --adopt makes it yours");
    assert_readable(&place);
}
END_TEST

/* The mark stays behind, and another file gets the inode number of the log. */
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
    shell("umask 022; mkdir \"$2\" && cp \"$1\"/devs.db \"$2\"", place.dir, copy.dir);
    must(log_own_adopt(&copy, &err));
    assert_own(&copy);
    check_mode(copy.db, 0600);

    shell("echo no log >\"$2\"/devs.db", "", copy.dir);
    must_fail(log_own_adopt(&copy, &err), ERR_DAMAGED);
}
END_TEST

/* If no key can be kept, the mode and the owner of the file decide. */
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

static const char uid[] = "0123456789abcdef0123456789abcdef";

static int take_owner(void)
{
    int fd = -1;
    must(owner_take(&place, uid, &fd, &err));
    return fd;
}

START_TEST(test_one_owner_at_a_time)
{
    place = sample_place();
    ck_assert(!owner_is_alive(&place, uid));
    int fd = take_owner();
    ck_assert(owner_is_alive(&place, uid));

    int other = -1;
    must_fail(owner_take(&place, uid, &other, &err), ERR_BUSY);
    ck_assert_int_eq(other, -1);

    owner_drop(&place, uid, fd);
    ck_assert(!owner_is_alive(&place, uid));
    owner_drop(&place, uid, take_owner());
}
END_TEST

START_TEST(test_files_are_private_and_removed)
{
    place = sample_place();
    umask(0);
    int fd = take_owner();
    char path[PATH_MAX + 64];
    struct stat info;
    (void)snprintf(path, sizeof(path), "%s/owner", place.dir);
    check_mode(path, 0700);
    (void)snprintf(path, sizeof(path), "%s/owner/%s", place.dir, uid);
    check_mode(path, 0600);
    owner_drop(&place, uid, fd);
    ck_assert_int_ne(stat(path, &info), 0);
    owner_drop(&place, uid, -1);
}
END_TEST

START_TEST(test_death_frees_the_run)
{
    place = sample_place();
    int pipe_fds[2];
    ck_assert_int_eq(pipe(pipe_fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = -1;
        if (!owner_take(&place, uid, &fd, NULL) || write(pipe_fds[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    char byte = 0;
    ck_assert_int_eq(read(pipe_fds[0], &byte, 1), 1);
    ck_assert(owner_is_alive(&place, uid));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    ck_assert(!owner_is_alive(&place, uid));
    owner_drop(&place, uid, take_owner());
}
END_TEST

START_TEST(test_a_uid_is_no_path)
{
    static const char *const bad[] = {"", "../../etc/passwd", "a/b"};
    place = sample_place();
    int fd = -1;
    must_fail(owner_take(&place, bad[_i], &fd, &err), ERR_INVALID);
    ck_assert(!owner_is_alive(&place, bad[_i]));
}
END_TEST

/* If the directory of the lock files is moved, the owner takes its lock again. */
START_TEST(test_a_lock_that_was_moved_is_taken_again)
{
    place = sample_place();
    char path[PATH_MAX + 64];
    char moved[PATH_MAX + 64];
    int fd = take_owner();
    must(owner_keep(&place, uid, &fd, &err));
    (void)snprintf(path, sizeof(path), "%s/owner", place.dir);
    (void)snprintf(moved, sizeof(moved), "%s/moved", place.dir);
    ck_assert_int_eq(rename(path, moved), 0);
    ck_assert(!owner_is_alive(&place, uid));
    must(owner_keep(&place, uid, &fd, &err));
    ck_assert(owner_is_alive(&place, uid));

    (void)snprintf(moved, sizeof(moved), "%s/again", place.dir);
    ck_assert_int_eq(rename(path, moved), 0);
    int other = take_owner();
    must_fail(owner_keep(&place, uid, &fd, &err), ERR_BUSY);
    owner_drop(&place, uid, other);
    close(fd);
}
END_TEST

START_TEST(test_a_fifo_in_place_of_a_lock_does_not_hang)
{
    place = sample_place();
    char path[PATH_MAX + 64];
    owner_drop(&place, uid, take_owner());
    (void)snprintf(path, sizeof(path), "%s/owner/%s", place.dir, uid);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!owner_is_alive(&place, uid));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("place");
    TCase *tcase = test_case(suite, "find");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_given_comes_first);
    tcase_add_test(tcase, test_given_makes_its_folder);
    tcase_add_test(tcase, test_walks_up_like_git);
    tcase_add_loop_test(tcase, test_new_folder_is_private_whatever_the_umask, 0, 3);
    tcase_add_test(tcase, test_an_existing_folder_is_left_alone);
    tcase_add_test(tcase, test_state_folder_is_the_last_resort);
    tcase_add_test(tcase, test_a_folder_of_somebody_elses_is_not_used);
    tcase_add_loop_test(tcase, test_bad_names, 0, 6);
    tcase_add_test(tcase, test_a_long_name_is_a_limit);
    tcase_add_test(tcase, test_network_file_systems);
    tcase_add_test(tcase, test_the_file_system_of_a_folder);
    TCase *own = test_case(suite, "own");
    tcase_add_checked_fixture(own, setup_own, NULL);
    tcase_add_test(own, test_a_log_made_here_is_ones_own);
    tcase_add_loop_test(own, test_a_copy_is_read_only, 0, 6);
    tcase_add_test(own, test_a_log_that_replaced_ours_is_read_only);
    tcase_add_test(own, test_a_file_with_the_inode_of_a_removed_log);
    tcase_add_test(own, test_moving_keeps_it_ones_own);
    tcase_add_test(own, test_another_person_s_key_does_not_fit);
    tcase_add_test(own, test_adopting);
    tcase_add_test(own, test_without_a_state_directory);
    tcase_add_loop_test(own, test_links_are_not_followed, 0, 6);
    tcase_add_test(own, test_a_rollback_journal_is_never_replayed);
    tcase_add_test(own, test_a_wal_of_another_making_is_never_replayed);
    tcase_add_test(own, test_a_directory_of_its_own);
    TCase *owner = test_case(suite, "owner");
    tcase_add_test(owner, test_one_owner_at_a_time);
    tcase_add_test(owner, test_files_are_private_and_removed);
    tcase_add_test(owner, test_death_frees_the_run);
    tcase_add_test(owner, test_a_lock_that_was_moved_is_taken_again);
    tcase_add_test(owner, test_a_fifo_in_place_of_a_lock_does_not_hang);
    tcase_add_loop_test(owner, test_a_uid_is_no_path, 0, 3);
    return suite;
}
