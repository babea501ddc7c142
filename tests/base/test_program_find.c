#include "program_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_main.h"

static char top[PATH_MAX - 256];

static const char *at(const char *name)
{
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%s", top, name);
    return path;
}

static void make_program(const char *folder)
{
    char path[PATH_MAX];
    (void)mkdir(at(folder), 0700);
    (void)snprintf(path, sizeof(path), "%s/%s/helper", top, folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path, 0700), 0);
}

static void set_up(void)
{
    char folders[3 * PATH_MAX];
    (void)snprintf(top, sizeof(top), "%s", test_tmpdir());
    (void)mkdir(at("project"), 0700);
    (void)mkdir(at("project/.git"), 0700);
    (void)mkdir(at("project/sub"), 0700);
    make_program("project/bin");
    make_program("system");
    (void)snprintf(folders, sizeof(folders), "bin:%s/project/bin:%s/link:%s/system", top, top, top);
    ck_assert_int_eq(symlink(test_path(top, "project/bin"), at("link")), 0);
    ck_assert_int_eq(setenv("PATH", folders, 1), 0);
}

START_TEST(test_a_step_gets_the_first_program_of_path)
{
    char found[PATH_MAX];
    ck_assert(program_find("helper", found));
    ck_assert_str_eq(found, at("project/bin/helper"));
}
END_TEST

START_TEST(test_devs_takes_no_program_of_a_project)
{
    char found[PATH_MAX];
    ck_assert(program_find_absolute("helper", found));
    ck_assert_str_eq(found, at("project/bin/helper"));
    program_avoid(at("project/sub"));
    ck_assert(program_find_absolute("helper", found));
    ck_assert_str_eq(found, at("system/helper"));
    ck_assert(program_find("helper", found));
    ck_assert_str_eq(found, at("project/bin/helper"));
    ck_assert(!program_find_absolute("nothing-of-that-name", found));
    ck_assert_str_eq(found, "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("program_find");
    TCase *find = test_case(suite, "find");
    tcase_add_checked_fixture(find, set_up, NULL);
    tcase_add_test(find, test_a_step_gets_the_first_program_of_path);
    tcase_add_test(find, test_devs_takes_no_program_of_a_project);
    return suite;
}
