#include "watch.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test_main.h"

static char path[PATH_MAX];
static int file = -1;
static struct watch *watch;

static void setup(void)
{
    struct err err = {0};
    (void)snprintf(path, sizeof(path), "%s/log", test_tmpdir());
    file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ck_assert_int_ge(file, 0);
    ck_assert_msg(watch_open(&watch, &err), "%s", err.message);
    ck_assert_msg(watch_file(watch, path, &err), "%s", err.message);
}

static void teardown(void)
{
    watch_close(watch);
    ck_assert_int_eq(close(file), 0);
    ck_assert_int_eq(unlink(path), 0);
}

static void write_byte(void)
{
    ck_assert_int_eq(write(file, "x", 1), 1);
}

static int news_waiting(void)
{
    struct pollfd waiting = {.fd = watch_fd(watch), .events = POLLIN};
    return poll(&waiting, 1, 0);
}

START_TEST(test_quiet_file_has_no_news)
{
    ck_assert_int_eq(news_waiting(), 0);
    ck_assert(!watch_drain(watch));
}
END_TEST

START_TEST(test_write_is_news_until_drained)
{
    write_byte();

    ck_assert_int_eq(news_waiting(), 1);
    ck_assert(watch_drain(watch));
    ck_assert_int_eq(news_waiting(), 0);
    ck_assert(!watch_drain(watch));

    write_byte();
    ck_assert(watch_drain(watch));
}
END_TEST

START_TEST(test_many_news_are_drained_at_once)
{
    struct err err = {0};
    char other[PATH_MAX];
    (void)snprintf(other, sizeof(other), "%s/other", test_tmpdir());
    int fd = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert(watch_file(watch, other, &err));

    for (int i = 0; i < 1000; i++) { /* by turns, so that the kernel cannot join them */
        write_byte();
        ck_assert_int_eq(write(fd, "y", 1), 1);
    }

    ck_assert(watch_drain(watch));
    ck_assert_int_eq(news_waiting(), 0);
    ck_assert_int_eq(close(fd), 0);
    ck_assert_int_eq(unlink(other), 0);
}
END_TEST

START_TEST(test_reading_and_closing_is_no_news)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read(fd, &byte, 1), 0);
    ck_assert_int_eq(close(fd), 0);

    ck_assert(!watch_drain(watch));
}
END_TEST

START_TEST(test_missing_file_is_an_error)
{
    struct err err = {0};

    ck_assert(!watch_file(watch, "/nonexistent/log", &err));

    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "cannot watch '/nonexistent/log': "));
}
END_TEST

START_TEST(test_descriptor_is_not_inherited)
{
    int flags = fcntl(watch_fd(watch), F_GETFD);
    ck_assert_int_ne(flags & FD_CLOEXEC, 0);
    watch_close(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("watch");
    TCase *news = test_case(suite, "news");
    tcase_add_checked_fixture(news, setup, teardown);
    tcase_add_test(news, test_quiet_file_has_no_news);
    tcase_add_test(news, test_write_is_news_until_drained);
    tcase_add_test(news, test_many_news_are_drained_at_once);
    tcase_add_test(news, test_reading_and_closing_is_no_news);
    tcase_add_test(news, test_missing_file_is_an_error);
    tcase_add_test(news, test_descriptor_is_not_inherited);
    return suite;
}
