#include "err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test_main.h"

START_TEST(test_set_formats_and_returns_false)
{
    struct err err = {0};

    ck_assert(!err_set(&err, ERR_LIMIT, "%s: %d", "too many", 7));

    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_str_eq(err.message, "too many: 7");
    ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(test_first_error_wins)
{
    struct err err = {0};
    err_set(&err, ERR_NOT_FOUND, "first");

    ck_assert(!err_set(&err, ERR_IO, "second"));
    ck_assert(!err_set_errno(&err, ENOENT, "third"));

    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_str_eq(err.message, "first");
}
END_TEST

START_TEST(test_null_is_allowed)
{
    ck_assert(!err_set(NULL, ERR_IO, "x"));
    ck_assert(!err_set_errno(NULL, EIO, "x"));
    ck_assert(!err_hint(NULL, "x"));
}
END_TEST

START_TEST(test_errno_text_is_appended)
{
    struct err err = {0};
    char want[ERR_MESSAGE_MAX];
    (void)snprintf(want, sizeof(want), "cannot open 'a': %s", strerror(ENOENT));

    ck_assert(!err_set_errno(&err, ENOENT, "cannot open '%s'", "a"));

    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_str_eq(err.message, want);
}
END_TEST

START_TEST(test_errno_text_survives_a_long_message)
{
    char name[ERR_MESSAGE_MAX * 2];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    struct err err = {0};

    ck_assert(!err_set_errno(&err, EACCES, "%s", name));

    ck_assert_ptr_nonnull(strstr(err.message, strerror(EACCES)));
}
END_TEST

START_TEST(test_long_message_is_cut)
{
    char text[ERR_MESSAGE_MAX + 50];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    struct err err = {0};

    ck_assert(!err_set(&err, ERR_INVALID, "%s", text));

    ck_assert_uint_eq(strlen(err.message), ERR_MESSAGE_MAX - 1);
}
END_TEST

START_TEST(test_hint_needs_an_error)
{
    struct err err = {0};

    ck_assert(!err_hint(&err, "try again"));

    ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(test_first_hint_wins)
{
    struct err err = {0};
    err_set(&err, ERR_BUSY, "busy");

    ck_assert(!err_hint(&err, "use %s", "--force"));
    ck_assert(!err_hint(&err, "give up"));

    ck_assert_str_eq(err.hint, "use --force");
    ck_assert_str_eq(err.message, "busy");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("err");
    TCase *set = test_case(suite, "set");
    tcase_add_test(set, test_set_formats_and_returns_false);
    tcase_add_test(set, test_first_error_wins);
    tcase_add_test(set, test_null_is_allowed);
    tcase_add_test(set, test_long_message_is_cut);
    TCase *number = test_case(suite, "errno");
    tcase_add_test(number, test_errno_text_is_appended);
    tcase_add_test(number, test_errno_text_survives_a_long_message);
    TCase *hint = test_case(suite, "hint");
    tcase_add_test(hint, test_hint_needs_an_error);
    tcase_add_test(hint, test_first_hint_wins);
    return suite;
}
