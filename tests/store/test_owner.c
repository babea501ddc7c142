#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log_sample.h"
#include "must.h"
#include "owner.h"
#include "test_main.h"

static const char uid[] = "0123456789abcdef0123456789abcdef";

static int take(const struct place *place)
{
    int fd = -1;
    must(owner_take(place, uid, &fd, &err));
    return fd;
}

START_TEST(test_one_owner_at_a_time)
{
    struct place place = sample_place();
    ck_assert(!owner_is_alive(&place, uid));
    int fd = take(&place);
    ck_assert(owner_is_alive(&place, uid));

    int other = -1;
    must_fail(owner_take(&place, uid, &other, &err), ERR_BUSY);
    ck_assert_int_eq(other, -1);

    owner_drop(&place, uid, fd);
    ck_assert(!owner_is_alive(&place, uid));
    owner_drop(&place, uid, take(&place));
}
END_TEST

START_TEST(test_files_are_private_and_removed)
{
    struct place place = sample_place();
    umask(0);
    int fd = take(&place);
    char path[PATH_MAX + 64];
    struct stat info;
    (void)snprintf(path, sizeof(path), "%s/owner", place.dir);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0700);
    (void)snprintf(path, sizeof(path), "%s/owner/%s", place.dir, uid);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0600);
    owner_drop(&place, uid, fd);
    ck_assert_int_ne(stat(path, &info), 0);
    owner_drop(&place, uid, -1);
}
END_TEST

START_TEST(test_death_frees_the_run)
{
    struct place place = sample_place();
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
    owner_drop(&place, uid, take(&place));
}
END_TEST

START_TEST(test_a_uid_is_no_path)
{
    static const char *const bad[] = {"", "../../etc/passwd", "a/b"};
    struct place place = sample_place();
    int fd = -1;
    must_fail(owner_take(&place, bad[_i], &fd, &err), ERR_INVALID);
    ck_assert(!owner_is_alive(&place, bad[_i]));
}
END_TEST

/* Somebody moved the directory of the lock files: whoever holds a lock takes it again. */
START_TEST(test_a_lock_that_was_moved_is_taken_again)
{
    struct place place = sample_place();
    char path[PATH_MAX + 64];
    char moved[PATH_MAX + 64];
    int fd = take(&place);
    must(owner_keep(&place, uid, &fd, &err));
    (void)snprintf(path, sizeof(path), "%s/owner", place.dir);
    (void)snprintf(moved, sizeof(moved), "%s/moved", place.dir);
    ck_assert_int_eq(rename(path, moved), 0);
    ck_assert(!owner_is_alive(&place, uid));
    must(owner_keep(&place, uid, &fd, &err));
    ck_assert(owner_is_alive(&place, uid));

    (void)snprintf(moved, sizeof(moved), "%s/again", place.dir);
    ck_assert_int_eq(rename(path, moved), 0);
    int other = take(&place);
    must_fail(owner_keep(&place, uid, &fd, &err), ERR_BUSY);
    owner_drop(&place, uid, other);
    close(fd);
}
END_TEST

START_TEST(test_a_fifo_in_place_of_a_lock_does_not_hang)
{
    struct place place = sample_place();
    char path[PATH_MAX + 64];
    owner_drop(&place, uid, take(&place));
    (void)snprintf(path, sizeof(path), "%s/owner/%s", place.dir, uid);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!owner_is_alive(&place, uid));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("owner");
    TCase *tcase = test_case(suite, "owner");
    tcase_add_test(tcase, test_one_owner_at_a_time);
    tcase_add_test(tcase, test_files_are_private_and_removed);
    tcase_add_test(tcase, test_death_frees_the_run);
    tcase_add_test(tcase, test_a_lock_that_was_moved_is_taken_again);
    tcase_add_test(tcase, test_a_fifo_in_place_of_a_lock_does_not_hang);
    tcase_add_loop_test(tcase, test_a_uid_is_no_path, 0, 3);
    return suite;
}
