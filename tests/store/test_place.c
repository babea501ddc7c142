#define _DEFAULT_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "must.h"
#include "place.h"
#include "private_file.h"
#include "test_main.h"

static char top[PATH_MAX - 256]; /* this test's own folder, without symbolic links */

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
    ck_assert_int_eq(stat("x/y", &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0700);
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

    /* A folder with no log in it does not count, a nearer log does. */
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
    struct stat info;
    ck_assert_int_eq(stat(".devs", &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0700);
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
    ck_assert_int_eq(stat(".devs", &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0755);
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

START_TEST(test_what_a_folder_lies_on)
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
    tcase_add_test(tcase, test_what_a_folder_lies_on);
    return suite;
}
