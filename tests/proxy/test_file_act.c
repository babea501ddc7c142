#define _GNU_SOURCE /* mkdtemp and friends */

#include "file_act.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attr.h"
#include "test_main.h"

enum { ALL = 1000, FD_MAX = 3 };

static const char *guarded; /* as file_act_write() has it */

/* In a folder of its own, "in", beside which lies "secret". */
static void setup(void)
{
    ck_assert_int_eq(chdir(test_tmpdir()), 0);
    test_write_file("secret", "nobody's business", 0644);
    ck_assert_int_eq(mkdir("in", 0755), 0);
    ck_assert_int_eq(chdir("in"), 0);
}

/* As a child would run it: stdin, stdout and stderr are files. */
static int act(const char *path, const char *input, int64_t offset, int64_t length)
{
    static const char *const names[FD_MAX] = {"../0", "../1", "../2"};
    int kept[FD_MAX];
    test_write_file(names[0], input ? input : "", 0644);
    (void)fflush(NULL);
    for (int i = 0; i < FD_MAX; i++) {
        kept[i] = dup(i);
        int fd = open(names[i], i == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ck_assert_int_ge(dup2(fd, i), 0);
        (void)close(fd);
    }
    int code = input ? file_act_write(path, guarded) : file_act_read(path, offset, length);
    (void)fflush(NULL);
    for (int i = 0; i < FD_MAX; i++) {
        (void)dup2(kept[i], i);
        (void)close(kept[i]);
    }
    return code;
}

static void want_text(const char *path, const char *want)
{
    char *text = test_read_file(path);
    ck_assert_pstr_eq(text, want);
    free(text);
}

START_TEST(test_what_is_written_is_read)
{
    ck_assert_int_eq(act("a/b/c.txt", "hello", 0, 0), 0);
    want_text("a/b/c.txt", "hello");
    ck_assert_int_eq(act("a/b/c.txt", NULL, 0, ALL), 0);
    want_text("../1", "hello");
    want_text("../2", "");
    ck_assert_int_eq(act("a/b/c.txt", NULL, 1, 3), 0);
    want_text("../1", "ell");
    want_text("../2", "bytes 1 to 4 of 5\n");
    ck_assert_int_eq(act("a/b/c.txt", NULL, 99, 3), 0);
    want_text("../1", "");
}
END_TEST

START_TEST(test_a_file_keeps_its_mode)
{
    struct stat info;
    ck_assert_int_eq(act("run.sh", "old", 0, 0), 0);
    ck_assert_int_eq(chmod("run.sh", 0751), 0);
    ck_assert_int_eq(act("run.sh", "new", 0, 0), 0);
    want_text("run.sh", "new");
    ck_assert_int_eq(stat("run.sh", &info), 0);
    ck_assert_int_eq(info.st_mode & 07777, 0751);
}
END_TEST

static const struct {
    const char *name, *link, *to, *path;
} ways_out[] = {
    {"..", NULL, NULL, "../secret"},
    {"a link to a file", "out", "../secret", "out"},
    {"a link to a folder", "out", "..", "out/secret"},
    {"an absolute link", "out", "/etc", "out/hostname"},
    {"a link to a link", "out", "./here/..", "out/../secret"},
    {"the process's own root", "out", "/proc/self/root", "out/etc/passwd"},
};

START_TEST(test_no_way_leads_out)
{
    if (ways_out[_i].link)
        ck_assert_int_eq(symlink(ways_out[_i].to, ways_out[_i].link), 0);
    ck_assert_msg(act(ways_out[_i].path, NULL, 0, ALL) != 0, "read: %s", ways_out[_i].name);
    want_text("../1", "");
    ck_assert_msg(act(ways_out[_i].path, "changed", 0, 0) != 0, "write: %s", ways_out[_i].name);
    want_text("../secret", "nobody's business");
}
END_TEST

START_TEST(test_links_within_are_followed)
{
    ck_assert_int_eq(act("real", "one", 0, 0), 0);
    ck_assert_int_eq(symlink("real", "link"), 0);
    ck_assert_int_eq(act("link", NULL, 0, ALL), 0);
    want_text("../1", "one");
    ck_assert_int_eq(act("link", "two, longer", 0, 0), 0);
    want_text("real", "two, longer");
    ck_assert_int_eq(act("link", "3", 0, 0), 0);
    want_text("real", "3");
}
END_TEST

START_TEST(test_what_is_no_file_is_refused)
{
    ck_assert_int_eq(mkdir("folder", 0755), 0);
    ck_assert_int_eq(mkfifo("pipe", 0600), 0);
    static const char *const paths[] = {"folder", "pipe", "not/there", "."};
    for (size_t i = 0; i < ARRAY_LEN(paths); i++)
        ck_assert_msg(act(paths[i], NULL, 0, ALL) == FILE_ACT_NO_FILE, "read: %s", paths[i]);
    want_text("../2", ".: Is a directory\n");
    ck_assert_int_eq(act("folder", "x", 0, 0), FILE_ACT_NO_FILE);
    ck_assert_int_eq(act("pipe", "x", 0, 0), FILE_ACT_NO_FILE);
}
END_TEST

static void put(const char *path, const char *text);

/* A second name of a guarded file is not written through, and a name of its own is. */
START_TEST(test_a_file_with_two_names_is_not_written_through)
{
    ck_assert_int_eq(mkdir(".git", 0755), 0);
    put(".git/config", "old");
    ck_assert_int_eq(link(".git/config", "y"), 0);
    ck_assert_int_eq(symlink("y", "x"), 0);
    ck_assert_int_eq(act("x", "new", 0, 0), FILE_ACT_NO_FILE);
    want_text("../2", "x: refused: the file has other names (hard links)\n");
    want_text(".git/config", "old");
    ck_assert_int_eq(act("y", "new", 0, 0), 0);
    want_text("y", "new");
    want_text(".git/config", "old");
    ck_assert_int_eq(act("x", "newer", 0, 0), 0);
    want_text("y", "newer");
}
END_TEST

/* Root may read any file, and passes without the fallback. */
START_TEST(test_a_file_that_cannot_be_read_is_overwritten)
{
    struct stat info;
    put("drop", "old");
    ck_assert_int_eq(symlink("drop", "to-drop"), 0);
    ck_assert_int_eq(chmod("drop", 0200), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chmod("..", 0777) | chmod(".", 0777) | chown("drop", 1000, 1000), 0);
        ck_assert_int_eq(seteuid(1000), 0);
    }
    const int code = act("to-drop", "new", 0, 0);
    ck_assert(geteuid() != 1000 || getuid() != 0 || seteuid(0) == 0);
    ck_assert_int_eq(code, 0);
    ck_assert_int_eq(stat("drop", &info) | chmod("drop", 0600), 0);
    ck_assert_int_eq(info.st_mode & 07777, 0200);
    want_text("drop", "new");
}
END_TEST

static void put(const char *path, const char *text)
{
    test_write_file(path, text, 0644);
}

/* Each is refused, and leaves no folder behind. */
static const struct {
    const char *path, *left; /* left: a path that must not be there afterwards; NULL = none */
} guarded_paths[] = {
    {"devs.config.json", "devs.config.json"},
    {"./devs.config.json", "devs.config.json"},
    {"a/../devs.config.json", "devs.config.json"},
    {"sub/Devs.Config.JSON", "sub/Devs.Config.JSON"},
    {"devs.config.json/x", "devs.config.json"},
    {".git", ".git"},
    {".git/hooks/pre-commit", ".git"},
    {"sub/.git/config", "sub/.git"},
    {".GIT/config", ".GIT"},
    {"git~1/config", "git~1"},
    {"GIT~2/config", "GIT~2"},
    {".git./config", ".git."},
    {".git /config", ".git "},
    {".git::$INDEX_ALLOCATION/config", ".git::$INDEX_ALLOCATION"},
    {".devs/devs.db", ".devs"},
    {"sub/.devs/gate", "sub/.devs"},
    {"plan.json", "plan.json"},
    {"sub/PLAN.json", "sub/PLAN.json"},
    {"to-git/config", NULL},
    {"to-git/hooks/new/file", "meta/hooks/new"},
    {"to-config", NULL},
    {"meta/config", NULL},
    {"real.json", NULL},
    {"to-real", NULL},
    {"second.json", NULL},
    {"other-plan.json", NULL},
    {"to-plan", NULL},
};

START_TEST(test_what_decides_what_runs_is_refused)
{
    const char *path = guarded_paths[_i].path, *left = guarded_paths[_i].left;
    struct stat info;
    ck_assert_int_eq(mkdir("sub", 0755), 0);
    ck_assert_int_eq(mkdir("meta", 0755), 0);
    put("meta/config", "old");
    put("real.json", "old");
    put("other-plan.json", "{\"//\":\"mine\",\"tasks\":[],\"version\":1}");
    if (!left || strcmp(left, "meta/hooks/new") == 0) {
        ck_assert_int_eq(mkdir("meta/hooks", 0755), 0);
        ck_assert_int_eq(symlink("meta", ".git"), 0);
        ck_assert_int_eq(symlink(".git", "to-git"), 0);
        ck_assert_int_eq(symlink(".git/config", "to-config"), 0);
        ck_assert_int_eq(symlink("real.json", "devs.config.json"), 0);
        ck_assert_int_eq(symlink("real.json", "to-real"), 0);
        ck_assert_int_eq(link("real.json", "second.json"), 0);
        ck_assert_int_eq(symlink("other-plan.json", "to-plan"), 0);
    }
    ck_assert_int_eq(act(path, "new", 0, 0), FILE_ACT_NO_FILE);
    char *said = test_read_file("../2");
    ck_assert_msg(strstr(said, "refused: it decides which commands devs or git run"), "%s: %s",
                  path, said);
    free(said);
    want_text("meta/config", "old");
    want_text("real.json", "old");
    ck_assert_msg(!left || lstat(left, &info) != 0, "%s: left %s", path, left);
}
END_TEST

/* What only looks like it is written as any file. */
START_TEST(test_other_names_are_written)
{
    static const char *const paths[] = {".gitignore",   ".github/workflows/ci.yml",
                                        "plan.json.md", "devs.config.json.bak",
                                        "git/config",   ".devsrc",
                                        "config.json",  ".vscode/tasks.json"};
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        ck_assert_int_eq(act(paths[i], "{\"version\":\"2.0.0\",\"tasks\":[]}", 0, 0), 0);
        ck_assert_int_eq(act(paths[i], "new", 0, 0), 0);
        want_text(paths[i], "new");
    }
}
END_TEST

START_TEST(test_the_guarded_folder_is_refused)
{
    char here[PATH_MAX], path[PATH_MAX + sizeof("/state/devs/trust")];
    ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
    (void)snprintf(path, sizeof(path), "%s/state/devs/trust", here);
    guarded = path;
    ck_assert_int_eq(act("state/devs/trust/x", "new", 0, 0), FILE_ACT_NO_FILE);
    ck_assert_int_ne(access("state/devs/trust", F_OK), 0);
    ck_assert_int_eq(act("state/devs/trust", "new", 0, 0), FILE_ACT_NO_FILE);
    ck_assert_int_eq(act("state/devs/trusty", "new", 0, 0), 0);
    guarded = NULL;
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("file_act");
    TCase *tcase = test_case(suite, "files");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_what_is_written_is_read);
    tcase_add_test(tcase, test_a_file_keeps_its_mode);
    tcase_add_loop_test(tcase, test_no_way_leads_out, 0, ARRAY_LEN(ways_out));
    tcase_add_test(tcase, test_links_within_are_followed);
    tcase_add_test(tcase, test_what_is_no_file_is_refused);
    tcase_add_test(tcase, test_a_file_with_two_names_is_not_written_through);
    tcase_add_test(tcase, test_a_file_that_cannot_be_read_is_overwritten);
    tcase_add_loop_test(tcase, test_what_decides_what_runs_is_refused, 0, ARRAY_LEN(guarded_paths));
    tcase_add_test(tcase, test_other_names_are_written);
    tcase_add_test(tcase, test_the_guarded_folder_is_refused);
    return suite;
}
