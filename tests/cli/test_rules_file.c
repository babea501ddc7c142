#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_main.h"

static const char rule_a[] = "{\"name\":\"a\",\"verdict\":\"transient\",\"type\":"
                             "\"NETWORK_TIMEOUT\",\"pattern\":\"^lamp is out\"}";
static const char rule_b[] =
    "{\"name\":\"b\",\"verdict\":\"persistent\",\"pattern\":\"^lamp is broken\"}";

static char dir[PATH_MAX - 64];
static char file[PATH_MAX];

static void setup(void)
{
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    (void)snprintf(file, sizeof(file), "%s/devs.config.json", dir);
}

static void write_file(const char *text)
{
    FILE *to = fopen(file, "we");
    ck_assert_ptr_nonnull(to);
    ck_assert_int_ge(fputs(text, to), 0);
    ck_assert_int_eq(fclose(to), 0);
}

static void want_file(const char *want)
{
    char *text = test_read_file(file);
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, want);
    free(text);
}

static void add(const char *where, const char *rule)
{
    struct err err = {0};
    ck_assert_msg(rules_add(where, rule, &err), "%s", err.message);
}

START_TEST(test_the_file_is_made_where_there_is_none)
{
    char want[1024];
    struct stat info;
    (void)umask(027);
    add(dir, rule_a);
    (void)snprintf(want, sizeof(want), "{\n  \"rules\": [\n    %s\n  ]\n}\n", rule_a);
    want_file(want);
    ck_assert_int_eq(stat(file, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0640);
}
END_TEST

/* Each adds rules of its own while the others do: none is lost. */
START_TEST(test_two_savers_lose_nothing)
{
    enum { SAVERS = 2, RULES = 6 };
    pid_t savers[SAVERS];
    for (int saver = 0; saver < SAVERS; saver++) {
        savers[saver] = fork();
        ck_assert_int_ge(savers[saver], 0);
        for (int i = 0; savers[saver] == 0 && i < RULES; i++) {
            char rule[200];
            struct err err = {0};
            (void)snprintf(rule, sizeof(rule),
                           "{\"name\":\"r%d-%d\",\"verdict\":\"persistent\",\"pattern\":\"x y\"}",
                           saver, i);
            if (!rules_add(dir, rule, &err)) {
                (void)fprintf(stderr, "saver %d: %s\n", saver, err.message);
                _exit(1);
            }
        }
        if (savers[saver] == 0)
            _exit(0);
    }
    for (int saver = 0; saver < SAVERS; saver++) {
        int status = -1;
        ck_assert_int_eq(waitpid(savers[saver], &status, 0), savers[saver]);
        ck_assert_int_eq(status, 0);
    }
    char *text = test_read_file(file);
    int found = 0;
    for (const char *at = text; (at = strstr(at, "\"name\"")); at++)
        found++;
    free(text);
    ck_assert_int_eq(found, SAVERS * RULES);
}
END_TEST

START_TEST(test_what_a_killed_saver_left_makes_way)
{
    char left[PATH_MAX + 8];
    struct stat info;
    (void)snprintf(left, sizeof(left), "%s.new~", file);
    ck_assert_int_eq(symlink("elsewhere", left), 0);
    add(dir, rule_a);
    ck_assert_int_ne(lstat(left, &info), 0);
    char *text = test_read_file(file);
    ck_assert_ptr_nonnull(strstr(text, rule_a));
    free(text);
}
END_TEST

START_TEST(test_what_is_there_stays_as_it_is)
{
    char old[1024], want[2048];
    struct stat info;
    (void)snprintf(old, sizeof(old),
                   "{\n  \"// why\": \"the lamp\",\n  \"rules\": [\n      %s\n  ],\n"
                   "  \"retry_limit\":   5\n}\n",
                   rule_b);
    write_file(old);
    ck_assert_int_eq(chmod(file, 0600), 0);
    add(dir, rule_a);
    (void)snprintf(want, sizeof(want),
                   "{\n  \"// why\": \"the lamp\",\n  \"rules\": [\n      %s,\n      %s\n  ],\n"
                   "  \"retry_limit\":   5\n}\n",
                   rule_b, rule_a);
    want_file(want);
    ck_assert_int_eq(stat(file, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777, 0600);
}
END_TEST

START_TEST(test_a_rule_of_that_name_makes_way)
{
    char old[1024], want[1024];
    (void)snprintf(old, sizeof(old),
                   "{\"rules\": [{\"id\":\"a\",\"verdict\":\"persistent\","
                   "\"pattern\":\"^x\"}, %s]}",
                   rule_b);
    write_file(old);
    add(dir, rule_a);
    (void)snprintf(want, sizeof(want), "{\"rules\": [%s, %s]}", rule_a, rule_b);
    want_file(want);
}
END_TEST

START_TEST(test_the_nearest_file_above_is_meant)
{
    char below[PATH_MAX];
    (void)snprintf(below, sizeof(below), "%s/below", dir);
    ck_assert_int_eq(mkdir(below, 0700), 0);
    write_file("{}");
    add(below, rule_a);
    char *text = test_read_file(file);
    ck_assert_ptr_nonnull(strstr(text, rule_a));
    free(text);
}
END_TEST

START_TEST(test_a_link_stays_one)
{
    char target[PATH_MAX];
    (void)snprintf(target, sizeof(target), "%s/real.json", dir);
    write_file("{}");
    ck_assert_int_eq(rename(file, target), 0);
    ck_assert_int_eq(symlink("real.json", file), 0);
    add(dir, rule_a);
    struct stat info;
    ck_assert_int_eq(lstat(file, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    char *text = test_read_file(target);
    ck_assert_ptr_nonnull(strstr(text, rule_a));
    free(text);
}
END_TEST

static const struct {
    const char *name;
    const char *old;
    const char *rule;
    const char *said; /* part of it */
} bad[] = {
    {"no JSON", "{}", "{", "the rule: line 1"},
    {"no verdict", "{}", "{\"name\":\"a\",\"pattern\":\"x\"}", "verdict"},
    {"no pattern that compiles", "{}",
     "{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"(\"}", "a"},
    {"a file that was bad before", "{\"retry_limit\": 0}",
     "{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"x\"}", "retry_limit"},
};

START_TEST(test_what_does_not_compile_changes_nothing)
{
    struct err err = {0};
    write_file(bad[_i].old);
    ck_assert_msg(!rules_add(dir, bad[_i].rule, &err), "%s", bad[_i].name);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_null(strchr(err.message, '\n'));
    ck_assert_msg(strstr(err.message, bad[_i].said) != NULL, "%s: %s", bad[_i].name, err.message);
    want_file(bad[_i].old);
}
END_TEST

START_TEST(test_a_folder_that_takes_no_file_is_an_error)
{
    struct err err = {0};
    if (geteuid() == 0)
        return; /* who may write everywhere cannot be kept out */
    write_file("{}");
    ck_assert_int_eq(chmod(dir, 0500), 0);
    ck_assert(!rules_add(dir, rule_a, &err));
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_int_eq(chmod(dir, 0700), 0);
    want_file("{}");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules_file");
    TCase *tests = test_case(suite, "add");
    tcase_add_checked_fixture(tests, setup, NULL);
    tcase_add_test(tests, test_the_file_is_made_where_there_is_none);
    tcase_add_test(tests, test_two_savers_lose_nothing);
    tcase_add_test(tests, test_what_a_killed_saver_left_makes_way);
    tcase_add_test(tests, test_what_is_there_stays_as_it_is);
    tcase_add_test(tests, test_a_rule_of_that_name_makes_way);
    tcase_add_test(tests, test_the_nearest_file_above_is_meant);
    tcase_add_test(tests, test_a_link_stays_one);
    tcase_add_loop_test(tests, test_what_does_not_compile_changes_nothing, 0, TABLE_LEN(bad));
    tcase_add_test(tests, test_a_folder_that_takes_no_file_is_an_error);
    return suite;
}
