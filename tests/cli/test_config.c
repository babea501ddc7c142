#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "test_main.h"

static char dir[PATH_MAX - 64];
static struct config config;

/* What is said on stderr goes to a file beside the settings. */
static void setup(void)
{
    char path[PATH_MAX];
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    (void)snprintf(path, sizeof(path), "%s/said", dir);
    int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
    (void)close(fd);
    config = (struct config){0};
}

static void teardown(void)
{
    config_done(&config);
}

static void write_file(const char *where, const char *text)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s%s/devs.config.json", dir, where);
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static int read_in(const char *where)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s%s", dir, where);
    return config_read(path, CONFIG_LOOKS, &config);
}

/* Everything on stderr, which names the file by `dir`. */
static void want_said(const char *want)
{
    char path[PATH_MAX], whole[2 * PATH_MAX];
    (void)fflush(stderr);
    (void)snprintf(path, sizeof(path), "%s/said", dir);
    (void)snprintf(whole, sizeof(whole), "devs: %s/devs.config.json: %s", dir, want);
    char *said = test_read_file(path);
    ck_assert_ptr_nonnull(said);
    ck_assert_str_eq(said, whole);
    free(said);
}

static void make_folder(const char *where)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s%s", dir, where);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

START_TEST(test_no_file_sets_nothing)
{
    ck_assert_int_eq(read_in(""), EXIT_ALL_PASSED);
    ck_assert_str_eq(config.path, "");
    ck_assert_int_eq(config.settings.policy_count, 0);
}
END_TEST

START_TEST(test_a_file_above_counts)
{
    make_folder("/a");
    make_folder("/a/b");
    write_file("", "{\"retry_limit\": 7}");
    ck_assert_int_eq(read_in("/a/b"), EXIT_ALL_PASSED);
    ck_assert_int_eq(settings_policy(&config.settings, "research")->max_attempts, 7);
    ck_assert_ptr_nonnull(strstr(config.path, "/devs.config.json"));
}
END_TEST

START_TEST(test_the_nearest_file_counts_alone)
{
    make_folder("/a");
    write_file("", "{\"retry_limit\": 7}");
    write_file("/a", "{\"sandbox\": {\"transientRetries\": 1}}");
    ck_assert_int_eq(read_in("/a"), EXIT_ALL_PASSED);
    ck_assert_int_eq(settings_policy(&config.settings, "research")->max_attempts, 3);
    ck_assert_int_eq(settings_policy(&config.settings, "infrastructure")->max_attempts, 2);
}
END_TEST

static const struct {
    const char *text;
    const char *want;
} bad[] = {
    {"{\n \"retry_limit\" 3}", "1 error, nothing was done\n"
                               "[NOT_JSON] (root): line 2, column 16: ':' expected, not '3'\n"},
    {"{\"retry_limit\": 0, \"rule\": []}",
     "2 errors, nothing was done\n"
     "[INVALID_VALUE] /retry_limit: too small (expected 1 to 100, got 0)\n"
     "[INVALID_VALUE] /rule: unknown key, did you mean \"rules\"?\n"},
};

START_TEST(test_all_that_is_wrong_is_said_with_the_file)
{
    write_file("", bad[_i].text);
    ck_assert_int_eq(read_in(""), EXIT_USAGE);
    want_said(bad[_i].want);
}
END_TEST

static const struct {
    const char *rule;
    const char *want; /* on stderr; NULL = it is a good one */
} rules[] = {
    {"{\"id\": \"x\", \"class\": \"persistent\", \"pattern\": \"^no\"}", NULL},
    {"{\"id\": \"x\", \"class\": \"persistent\", \"pattern\": \"^(no\"}",
     "1 error, nothing was done\n"
     "[INVALID_VALUE] /rules/0/pattern: rule 'x': pattern, byte 4: missing closing parenthesis\n"},
    {"{\"id\": \"x\", \"class\": \"transient\", \"pattern\": \"no\", \"type\": \"LATE\"}",
     "1 error, nothing was done\n"
     "[INVALID_VALUE] /rules/0/type: not one of the allowed values (expected \"NETWORK_TIMEOUT\", "
     "\"DOCKER_SOCKET_UNAVAILABLE\", \"CONTAINER_OOM\", \"API_RATE_LIMIT\", \"API_OVERLOADED\", "
     "\"SANDBOX_START_TIMEOUT\" or \"RESOURCE_BUSY\", got \"LATE\")\n"},
};

/* With the file and the rule's place in it. */
START_TEST(test_a_rule_that_is_wrong_stops_the_start)
{
    char text[256];
    (void)snprintf(text, sizeof(text), "{\"rules\": [%s]}", rules[_i].rule);
    write_file("", text);
    ck_assert_int_eq(read_in(""), rules[_i].want ? EXIT_USAGE : EXIT_ALL_PASSED);
    if (rules[_i].want)
        want_said(rules[_i].want);
    else
        ck_assert_ptr_nonnull(config.settings.rules);
}
END_TEST

START_TEST(test_too_large_a_file)
{
    char *text = malloc(SETTINGS_BYTES_MAX + 2);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', SETTINGS_BYTES_MAX + 1);
    text[SETTINGS_BYTES_MAX + 1] = '\0';
    write_file("", text);
    free(text);
    ck_assert_int_eq(read_in(""), EXIT_USAGE);
    want_said("it is larger than 1 MiB\n");
}
END_TEST

START_TEST(test_a_file_that_cannot_be_read)
{
    make_folder("/devs.config.json");
    ck_assert_int_eq(read_in(""), EXIT_USAGE);
    want_said("Is a directory\n");
}
END_TEST

/* It is there, so what is above it is not meant. */
START_TEST(test_a_file_that_cannot_be_opened)
{
    char path[PATH_MAX];
    make_folder("/a");
    (void)snprintf(path, sizeof(path), "%s/devs.config.json", dir);
    ck_assert_int_eq(symlink("devs.config.json", path), 0);
    ck_assert_int_eq(read_in("/a"), EXIT_USAGE);
    want_said("Too many levels of symbolic links\n");
}
END_TEST

/* A hint may name what somebody else wrote. */
START_TEST(test_hints_are_cleaned)
{
    char path[PATH_MAX];
    ck_assert_int_eq(fail_usage("see \033[31m'x'\033]0;y\007", "no"), EXIT_USAGE);
    (void)fflush(stderr);
    (void)snprintf(path, sizeof(path), "%s/said", dir);
    char *said = test_read_file(path);
    ck_assert_ptr_nonnull(said);
    ck_assert_ptr_nonnull(strstr(said, "hint: see"));
    ck_assert_ptr_null(strchr(said, '\033'));
    free(said);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("config");
    TCase *tcase = test_case(suite, "config");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_no_file_sets_nothing);
    tcase_add_test(tcase, test_a_file_above_counts);
    tcase_add_test(tcase, test_the_nearest_file_counts_alone);
    tcase_add_loop_test(tcase, test_all_that_is_wrong_is_said_with_the_file, 0, TABLE_LEN(bad));
    tcase_add_loop_test(tcase, test_a_rule_that_is_wrong_stops_the_start, 0, TABLE_LEN(rules));
    tcase_add_test(tcase, test_too_large_a_file);
    tcase_add_test(tcase, test_a_file_that_cannot_be_read);
    tcase_add_test(tcase, test_a_file_that_cannot_be_opened);
    tcase_add_test(tcase, test_hints_are_cleaned);
    return suite;
}
