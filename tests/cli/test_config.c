#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "json.h"
#include "json_edit.h"
#include "test_main.h"

static char dir[PATH_MAX - 64];
static struct config config;

/* What is said on stderr goes to a file beside the settings. */
static void setup(void)
{
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    int fd = open(test_path(dir, "said"), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
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
    test_write_file(path, text, 0644);
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
    char whole[2 * PATH_MAX];
    (void)fflush(stderr);
    (void)snprintf(whole, sizeof(whole), "devs: %s/devs.config.json: %s", dir, want);
    char *said = test_read_file(test_path(dir, "said"));
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
    make_folder("/a");
    ck_assert_int_eq(symlink("devs.config.json", test_path(dir, "devs.config.json")), 0);
    ck_assert_int_eq(read_in("/a"), EXIT_USAGE);
    want_said("Too many levels of symbolic links\n");
}
END_TEST

/* A hint may name what somebody else wrote. */
START_TEST(test_hints_are_cleaned)
{
    ck_assert_int_eq(fail_usage("see \033[31m'x'\033]0;y\007", "no"), EXIT_USAGE);
    (void)fflush(stderr);
    char *said = test_read_file(test_path(dir, "said"));
    ck_assert_ptr_nonnull(said);
    ck_assert_ptr_nonnull(strstr(said, "hint: see"));
    ck_assert_ptr_null(strchr(said, '\033'));
    free(said);
}
END_TEST

static const char rule_a[] = "{\"name\":\"a\",\"verdict\":\"transient\",\"type\":"
                             "\"NETWORK_TIMEOUT\",\"pattern\":\"^lamp is out\"}";
static const char rule_b[] =
    "{\"name\":\"b\",\"verdict\":\"persistent\",\"pattern\":\"^lamp is broken\"}";

static char folder[PATH_MAX - 64];
static char file[PATH_MAX];

static void name_file(void)
{
    (void)snprintf(folder, sizeof(folder), "%s", test_tmpdir());
    (void)snprintf(file, sizeof(file), "%s/devs.config.json", folder);
}

static void write_settings(const char *text)
{
    test_write_file(file, text, 0644);
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
    add(folder, rule_a);
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
            if (!rules_add(folder, rule, &err)) {
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
    add(folder, rule_a);
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
    write_settings(old);
    ck_assert_int_eq(chmod(file, 0600), 0);
    add(folder, rule_a);
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
    write_settings(old);
    add(folder, rule_a);
    (void)snprintf(want, sizeof(want), "{\"rules\": [%s, %s]}", rule_a, rule_b);
    want_file(want);
}
END_TEST

START_TEST(test_the_nearest_file_above_is_meant)
{
    ck_assert_int_eq(mkdir(test_path(folder, "below"), 0700), 0);
    write_settings("{}");
    add(test_path(folder, "below"), rule_a);
    char *text = test_read_file(file);
    ck_assert_ptr_nonnull(strstr(text, rule_a));
    free(text);
}
END_TEST

START_TEST(test_a_link_stays_one)
{
    write_settings("{}");
    ck_assert_int_eq(rename(file, test_path(folder, "real.json")), 0);
    ck_assert_int_eq(symlink("real.json", file), 0);
    add(folder, rule_a);
    struct stat info;
    ck_assert_int_eq(lstat(file, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    char *text = test_read_file(test_path(folder, "real.json"));
    ck_assert_ptr_nonnull(strstr(text, rule_a));
    free(text);
}
END_TEST

static const struct {
    const char *name;
    const char *old;
    const char *rule;
    const char *said; /* part of it */
} bad_rules[] = {
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
    write_settings(bad_rules[_i].old);
    ck_assert_msg(!rules_add(folder, bad_rules[_i].rule, &err), "%s", bad_rules[_i].name);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_null(strchr(err.message, '\n'));
    ck_assert_msg(strstr(err.message, bad_rules[_i].said) != NULL, "%s: %s", bad_rules[_i].name,
                  err.message);
    want_file(bad_rules[_i].old);
}
END_TEST

START_TEST(test_a_folder_that_takes_no_file_is_an_error)
{
    struct err err = {0};
    if (geteuid() == 0)
        return; /* who may write everywhere cannot be kept out */
    write_settings("{}");
    ck_assert_int_eq(chmod(folder, 0500), 0);
    ck_assert(!rules_add(folder, rule_a, &err));
    ck_assert_int_eq(err.code, ERR_IO);
    ck_assert_int_eq(chmod(folder, 0700), 0);
    want_file("{}");
}
END_TEST

static struct str text;

static void forget_text(void)
{
    text = (struct str){0};
}

static void done_text(void)
{
    str_done(&text);
}

static const struct {
    const char *name;
    const char *text;
    const char *want;
} appended[] = {
    {"empty", "{\"l\":[]}", "{\"l\":[\n    9\n  ]}"},
    {"in a line", "{\"l\": [1, {\"a\":[2]}]}", "{\"l\": [1, {\"a\":[2]}, 9]}"},
    {"on lines", "{\n  \"l\": [\n\t1,\n\t\"2\"\n  ]\n}\n",
     "{\n  \"l\": [\n\t1,\n\t\"2\",\n\t9\n  ]\n}\n"},
    {"brackets in texts", "{\"a]\":\"}\\\"]\",\"l\":[\"]\\\\\"]}",
     "{\"a]\":\"}\\\"]\",\"l\":[\"]\\\\\", 9]}"},
    {"not the inner one", "{\"a\":{\"l\":[1]},\"l\" : [ 2 ] }",
     "{\"a\":{\"l\":[1]},\"l\" : [ 2, 9 ] }"},
    {"none yet", "{\"a\":1}", "{\"a\":1, \"l\": [\n    9\n  ]}"},
    {"none yet, on lines", "{\n    \"a\": {\"b\": 2}\n}\n",
     "{\n    \"a\": {\"b\": 2},\n    \"l\": [\n    9\n  ]\n}\n"},
    {"nothing at all", " { }\n", " {\n  \"l\": [\n    9\n  ]\n}\n"},
};

START_TEST(test_a_list_grows_and_all_else_stays)
{
    struct json_span list;
    str_add(&text, appended[_i].text);
    if (!json_edit_member(text.data, "l", &list)) {
        json_edit_add_member(&text, "l", "[]");
        ck_assert(json_edit_member(text.data, "l", &list));
    }
    json_edit_append(&text, list, "9");
    ck_assert_str_eq(text.data, appended[_i].want);
    struct json *json = NULL;
    ck_assert(json_parse(text.data, text.len, &json, NULL, NULL));
    const struct json *now = json_get(json, "l");
    ck_assert_int_eq(json_i64(json_at(now, json_count(now) - 1), 0), 9);
    json_free(json);
}
END_TEST

START_TEST(test_an_element_is_replaced)
{
    struct json_span list, element;
    str_add(&text, "{\"l\": [1 , {\"a\": [2]}, 3]}");
    ck_assert(json_edit_member(text.data, "l", &list));
    ck_assert(!json_edit_element(text.data, list, 3, &element));
    ck_assert(json_edit_element(text.data, list, 1, &element));
    json_edit_replace(&text, element, "true");
    ck_assert_str_eq(text.data, "{\"l\": [1 , true, 3]}");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("config");
    TCase *config_cases = test_case(suite, "config");
    tcase_add_checked_fixture(config_cases, setup, teardown);
    tcase_add_test(config_cases, test_no_file_sets_nothing);
    tcase_add_test(config_cases, test_a_file_above_counts);
    tcase_add_test(config_cases, test_the_nearest_file_counts_alone);
    tcase_add_loop_test(config_cases, test_all_that_is_wrong_is_said_with_the_file, 0,
                        TABLE_LEN(bad));
    tcase_add_loop_test(config_cases, test_a_rule_that_is_wrong_stops_the_start, 0,
                        TABLE_LEN(rules));
    tcase_add_test(config_cases, test_too_large_a_file);
    tcase_add_test(config_cases, test_a_file_that_cannot_be_read);
    tcase_add_test(config_cases, test_a_file_that_cannot_be_opened);
    tcase_add_test(config_cases, test_hints_are_cleaned);
    TCase *tests = test_case(suite, "add");
    tcase_add_checked_fixture(tests, name_file, NULL);
    tcase_add_test(tests, test_the_file_is_made_where_there_is_none);
    tcase_add_test(tests, test_two_savers_lose_nothing);
    tcase_add_test(tests, test_what_a_killed_saver_left_makes_way);
    tcase_add_test(tests, test_what_is_there_stays_as_it_is);
    tcase_add_test(tests, test_a_rule_of_that_name_makes_way);
    tcase_add_test(tests, test_the_nearest_file_above_is_meant);
    tcase_add_test(tests, test_a_link_stays_one);
    tcase_add_loop_test(tests, test_what_does_not_compile_changes_nothing, 0, TABLE_LEN(bad_rules));
    tcase_add_test(tests, test_a_folder_that_takes_no_file_is_an_error);
    TCase *edit = test_case(suite, "edit");
    tcase_add_checked_fixture(edit, forget_text, done_text);
    tcase_add_loop_test(edit, test_a_list_grows_and_all_else_stays, 0, TABLE_LEN(appended));
    tcase_add_test(edit, test_an_element_is_replaced);
    return suite;
}
