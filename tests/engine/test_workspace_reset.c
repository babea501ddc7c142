#define _GNU_SOURCE /* nftw, setresuid */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outcome.h"
#include "test_main.h"
#include "workspace_stage.h"

enum { ROUNDS = 12, WRECKS = 25, PATHS_MAX = 2000, NOBODY = 65534 };

static struct stage stage;

static void open_stage(void)
{
    stage_open(&stage, test_tmpdir(), WORKSPACE_WORKTREE);
}

/* Each does to the tree what an attempt may do; $OUT is the folder outside. */
static const struct {
    const char *name;
    const char *script;
} wrecks[] = {
    {"deleted", "rm src/one.c docs/empty; rm -r src/deep"},
    {"all deleted", "rm -rf ./* ./.git .gitignore"},
    {"modified", "echo changed >src/one.c; printf more >>docs/bytes"},
    {"modified, the same size and time",
     "touch -r src/one.c /tmp/devs-ref-$$; printf 'ONE\\nMORE\\n' >src/one.c;"
     "touch -r /tmp/devs-ref-$$ src/one.c; rm /tmp/devs-ref-$$"},
    {"added", "echo x >added; mkdir -p a/b/c; echo y >a/b/c/d; mkdir empty"},
    {"ignored files", "mkdir build; echo o >build/y.o; echo o >src/z.o; echo s >.env"},
    {"modes", "chmod 600 src/one.c; chmod 777 docs; chmod 4755 tools/run; chmod 000 docs/guide.md"},
    {"shut folders", "echo in >src/deep/new; chmod 000 src/deep/er; chmod 555 src/deep src; "
                     "mkdir -p shut/in; echo z >shut/in/z; chmod 000 shut/in; chmod 500 shut"},
    {"the top is shut", "chmod 500 ."},
    {"times",
     "touch src/one.c docs tools/run .; touch -h src/link; touch -d 1960-01-01 docs/empty"},
    {"links", "rm docs/guide.md; ln -s \"$OUT/file\" docs/guide.md; ln -s . loop; "
              "rm src/link; ln -s elsewhere src/link"},
    {"a folder becomes a link", "rm -r src; ln -s \"$OUT\" src"},
    {"a deep folder becomes a link", "rm -r src/deep; ln -s \"$OUT\" src/deep; echo n >src/n"},
    {"a folder with a namesake outside",
     "rm -r src; mkdir -p \"$OUT/../twin\"; "
     "echo keep >\"$OUT/../twin/one.c\"; ln -s \"$OUT/../twin\" src"},
    {"a folder becomes /etc", "rm -r docs; ln -s /etc docs"},
    {"a file becomes a folder", "rm src/one.c; mkdir -p src/one.c/in; echo x >src/one.c/in/x"},
    {"a folder becomes a file", "rm -r src/deep; echo f >src/deep"},
    {"hard links to what is outside", "rm src/one.c; ln \"$OUT/file\" src/one.c; "
                                      "ln \"$OUT/sub/inner\" inner; rm docs/guide.md; "
                                      "ln \"$OUT/file\" docs/guide.md"},
    {"nested repositories", "mkdir sub; git -C sub init -q; echo s >sub/s; git -C sub add s; "
                            "git -C sub -c user.name=a -c user.email=b commit -qm s; "
                            "mkdir empty-repo; git -C empty-repo init -q"},
    {"fifo and socket", "mkfifo pipe; mkfifo src/deep/pipe; "
                        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'"},
    {"odd names", "echo 1 >\"$(printf 'n\\377\\376')\"; echo 2 >\"$(printf 'a\\nb')\"; "
                  "echo 3 >\"$(printf 'e\\033[31m')\"; echo 4 >-rf; echo 5 >' '; "
                  "mkdir \"$(printf '\\351t\\351')\"; echo 6 >\"$(printf '\\351t\\351/x')\""},
    {"long names", "n=$(printf 'n%.0s' $(seq 250)); mkdir -p $n/$n/$n/$n; echo x >$n/$n/$n/$n/f"},
    {"very deep", "d=$(printf 'd/%.0s' $(seq 90)); mkdir -p $d; echo x >$d/x"},
    {"deeper than we look",
     "d=$(printf 'd/%.0s' $(seq 300)); mkdir -p $d; echo x >$d/x; chmod 500 $d"},
    {"commits, branches and locks",
     "echo c >>src/one.c; git -c user.name=a -c user.email=b commit "
     "-qam c; git checkout -q --detach HEAD~1; touch \"$(git rev-parse "
     "--git-dir)/index.lock\""},
    {"the repository is another",
     "rm .git; git init -q .; git config core.fsmonitor "
     "'touch \"'$OUT'\"/run; false'; echo '* filter=x' >.gitattributes; "
     "git config filter.x.clean \"touch '$OUT'/run\""},
    {"the tree is gone", "rm -rf \"$PWD\""},
    {"the tree is a link", "rm -rf \"$PWD\"; ln -s \"$OUT\" \"$PWD\""},
};

static char remembered[128];

static void remember(const struct workspace *workspace)
{
    stage_print(workspace_top(workspace), remembered);
}

/* The tree is what it was; `what` names the case. */
static void want_same(const struct workspace *workspace, const char *what)
{
    char now[128];
    stage_print(workspace_top(workspace), now);
    ck_assert_msg(strcmp(now, remembered) == 0, "%s", what);
}

static void wreck(const struct workspace *workspace, const char *script)
{
    struct str text = {0};
    str_addf(&text, "OUT='%s'; export GIT_CEILING_DIRECTORIES='%s'; %s", stage.outside, stage.base,
             script);
    stage_sh(workspace_top(workspace), text.data, NULL, 0);
    str_done(&text);
}

START_TEST(test_A11_a_wrecked_tree_is_put_back_as_it_was)
{
    struct tree_facts facts;
    struct workspace *workspace = stage_saved(&stage, "tax");
    remember(workspace);
    for (int round = 0; round < 2; round++) {
        wreck(workspace, wrecks[_i].script);
        stage_reset(workspace, 0, &facts);
        want_same(workspace, wrecks[_i].name);
    }
    stage_check(&stage);
    workspace_close(workspace);
}
END_TEST

/* Git works in the tree as it did before. */
START_TEST(test_A11_git_finds_what_it_found_before)
{
    char before[1024];
    char after[1024];
    struct tree_facts facts;
    static const char look[] = "git status --porcelain; git rev-parse HEAD; git rev-parse "
                               "--abbrev-ref HEAD; git diff HEAD";
    struct workspace *workspace = stage_saved(&stage, "tax");
    stage_sh(workspace_top(workspace), look, before, sizeof(before));
    stage_reset(workspace, 0, &facts);
    for (int i = 0; i < TABLE_LEN(wrecks); i++) {
        wreck(workspace, wrecks[i].script);
        stage_reset(workspace, 0, &facts);
        stage_sh(workspace_top(workspace), look, after, sizeof(after));
        ck_assert_msg(strcmp(before, after) == 0, "%s: %s", wrecks[i].name, after);
    }
    stage_check(&stage);
    workspace_close(workspace);
}
END_TEST

/* splitmix64, so that a seed plays the same everywhere. */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static char *paths[PATHS_MAX];
static size_t path_count;

static int take_path(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    if (walk->level > 0 && path_count < PATHS_MAX)
        paths[path_count++] = strdup(path);
    return 0;
}

static int remove_path(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void write_to(const char *path, int flags, uint64_t value)
{
    const int fd = open(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | flags, 0644);
    if (fd >= 0) {
        (void)dprintf(fd, "%" PRIu64, value);
        (void)close(fd);
    }
}

/* A wreck that goes through a link would itself touch what is outside. */
static bool is_inside(const char *path)
{
    char parent[PATH_MAX];
    char real[PATH_MAX];
    (void)snprintf(parent, sizeof(parent), "%s", path);
    *strrchr(parent, '/') = '\0';
    return realpath(parent, real) && strncmp(real, stage.base, strlen(stage.base)) == 0;
}

/* One thing that an attempt may do at random. What cannot be done is not done, and counted. */
static int wreck_once(uint64_t *seed, const char *path)
{
    char other[PATH_MAX];
    struct stat info;
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1, .tv_nsec = 1}};
    int bad = 0;
    const bool is_there = lstat(path, &info) == 0;
    (void)snprintf(other, sizeof(other), "%s-%d", path, (int)(next(seed) % 1000));
    switch (next(seed) % 14) {
    case 0:
        (void)nftw(path, remove_path, 16, FTW_DEPTH | FTW_PHYS);
        break;
    case 1:
        write_to(path, O_APPEND, next(seed));
        break;
    case 2:
        write_to(path, O_TRUNC, next(seed));
        break;
    case 3: /* the same size and time: only the change time tells */
        write_to(path, 0, 7);
        if (is_there)
            (void)utimensat(AT_FDCWD, path, (struct timespec[]){info.st_atim, info.st_mtim},
                            AT_SYMLINK_NOFOLLOW);
        break;
    case 4:
        write_to(other, O_CREAT, next(seed));
        break;
    case 5:
        if (is_there && !S_ISLNK(info.st_mode))
            (void)chmod(path, next(seed) & 07777);
        break;
    case 6:
        (void)utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
        break;
    case 7:
        (void)mkdir(other, 0755);
        break;
    case 8:
        bad += symlink(stage.outside, other) != 0;
        break;
    case 9:
        (void)nftw(path, remove_path, 16, FTW_DEPTH | FTW_PHYS);
        bad += symlink(stage.outside, path) != 0;
        break;
    case 10:
        (void)rename(path, other);
        break;
    case 11:
        (void)mkfifo(other, 0600);
        break;
    case 12:
        bad += link(path, other) != 0;
        break;
    default:
        (void)unlink(path);
        (void)mkdir(path, 0700);
        break;
    }
    return bad;
}

START_TEST(test_A11_random_wrecking_is_put_back)
{
    char what[64];
    struct tree_facts facts;
    const char *given = getenv("DEVS_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)_i * 1000003 + 1;
    const uint64_t first = seed;
    struct workspace *workspace = stage_saved(&stage, "tax");
    remember(workspace);
    int undone = 0;
    for (int round = 0; round < ROUNDS; round++) {
        path_count = 0;
        ck_assert_int_eq(nftw(workspace_top(workspace), take_path, 16, FTW_PHYS), 0);
        for (int i = 0; i < WRECKS; i++) {
            const char *path = paths[next(&seed) % path_count];
            if (is_inside(path))
                undone += wreck_once(&seed, path);
        }
        for (size_t i = 0; i < path_count; i++)
            free(paths[i]);
        stage_reset(workspace, 0, &facts);
        (void)snprintf(what, sizeof(what), "DEVS_SEED=%" PRIu64 " round %d", first, round);
        want_same(workspace, what);
    }
    ck_assert_int_lt(undone, ROUNDS * WRECKS / 2);
    stage_check(&stage);
    workspace_close(workspace);
}
END_TEST

/* As a person: modes count. The tests' own user may be root, for whom they do not. */
static void reset_as_nobody(const char *dir)
{
    struct tree_facts facts;
    ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setenv("HOME", dir, 1), 0);
    stage_open(&stage, dir, WORKSPACE_WORKTREE);
    struct workspace *workspace = stage_saved(&stage, "tax");
    wreck(workspace, "mkdir -p locked/in; echo x >locked/x; echo y >src/y; chmod 000 src/y");
    wreck(workspace, "chmod 000 locked src/deep; chmod 444 docs; chmod 000 src/one.c; "
                     "chmod 555 src; chmod 500 .");
    stage_reset(workspace, 0, &facts);
    stage_save(workspace, 1, &facts);
    remember(workspace);
    for (int i = 0; i < TABLE_LEN(wrecks); i++) {
        wreck(workspace, wrecks[i].script);
        stage_reset(workspace, 1, &facts);
        want_same(workspace, wrecks[i].name);
    }
    stage_check(&stage);
    workspace_close(workspace);
}

START_TEST(test_A11_what_is_shut_is_put_back_without_being_root)
{
    char dir[] = "/tmp/devs-nobody-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(chown(dir, NOBODY, NOBODY), 0);
    reset_as_nobody(dir);
    (void)nftw(dir, remove_path, 16, FTW_DEPTH | FTW_PHYS);
}
END_TEST

/* A tree that holds what nobody may read, and is saved so. */
START_TEST(test_A11_shut_things_that_were_there_stay_shut)
{
    struct tree_facts facts;
    struct workspace *workspace = stage_saved(&stage, "tax");
    wreck(workspace, "mkdir -p shut/in; echo x >shut/in/x; chmod 000 shut/in/x shut/in; "
                     "chmod 511 shut; mkfifo -m 600 pipe; ln docs/guide.md hard");
    stage_save(workspace, 3, &facts);
    remember(workspace);
    wreck(workspace, "chmod 755 shut shut/in; rm -r shut/in pipe; echo x >>hard");
    stage_reset(workspace, 3, &facts);
    want_same(workspace, "reset");
    workspace_close(workspace);
}
END_TEST

/* The kernel clears set-ID bits when the group changes, even if root changes it. */
START_TEST(test_A11_set_id_bits_stay_when_only_the_group_is_put_back)
{
    struct tree_facts facts;
    struct workspace *workspace = stage_saved(&stage, "tax");
    if (geteuid() == 0) {
        wreck(workspace, "echo x >tool; chmod 6755 tool");
        stage_save(workspace, 3, &facts);
        remember(workspace);
        wreck(workspace, "chgrp 65534 tool; chmod 6755 tool");
        stage_reset(workspace, 3, &facts);
        want_same(workspace, "reset");
    }
    workspace_close(workspace);
}
END_TEST

/* Another process goes on: what it knows is on disk. */
START_TEST(test_A11_a_snapshot_outlives_the_one_who_made_it)
{
    struct tree_facts facts;
    struct workspace_made made;
    struct workspace *workspace = stage_saved(&stage, "tax");
    remember(workspace);
    ck_assert(workspace_has(workspace, 0));
    ck_assert(!workspace_has(workspace, 1));
    workspace_close(workspace);
    stage_sh(stage.base, "cd tax/tree; rm -r src; echo x >docs/guide.md; echo y >new", NULL, 0);

    workspace = stage_workspace(&stage, "tax", NULL);
    stage_make(workspace, &made);
    ck_assert(made.was_there);
    ck_assert(workspace_has(workspace, 0));
    stage_reset(workspace, 0, &facts);
    want_same(workspace, "reset");
    ck_assert_int_gt(facts.changed, 3);
    ck_assert_int_gt(facts.written, 0);
    workspace_close(workspace);
}
END_TEST

START_TEST(test_A11_what_is_excluded_is_left_alone)
{
    char text[256];
    char cache[] = "build/cache/";
    char *exclude[] = {cache, NULL};
    struct tree_facts facts;
    stage.spec.exclude = exclude;
    struct workspace *workspace = stage_saved(&stage, "tax");
    wreck(workspace, "mkdir -p build/cache build/other; echo kept >build/cache/x; "
                     "echo gone >build/other/y; rm src/one.c");
    stage_reset(workspace, 0, &facts);
    stage_sh(workspace_top(workspace), "cat build/cache/x src/one.c; ls build", text, sizeof(text));
    ck_assert_str_eq(text, "kept\none\nmore\ncache");
    workspace_close(workspace);
}
END_TEST

static void want_too_large(struct workspace *workspace, struct err *err)
{
    struct tree_facts facts;
    int code = 0;
    ck_assert(!workspace_save(workspace, 1, NULL, &facts, &code, err));
    ck_assert_int_eq(code, START_TOO_LARGE);
}

START_TEST(test_A11_a_tree_that_is_too_large_says_what_to_leave_out)
{
    struct err err = {0};
    struct workspace *workspace = stage_saved(&stage, "tax");
    wreck(workspace, "mkdir node_modules; truncate -s 3G node_modules/big; truncate -s 9M small");
    want_too_large(workspace, &err);
    ck_assert_msg(strstr(err.message, "'node_modules' 3072 MiB, 'small' 9 MiB"), "%s", err.message);
    ck_assert_msg(strstr(err.hint, "exclude"), "%s", err.hint);
    ck_assert(!workspace_has(workspace, 1));
    workspace_close(workspace);
}
END_TEST

START_TEST(test_small_trees_over_a_small_limit_are_told_in_small_sizes)
{
    struct err err = {0};
    stage.spec.snapshot_bytes_max = 4096;
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    struct workspace_made made;
    stage_make(workspace, &made);
    wreck(workspace, "rm -rf ./* .g*; head -c 5120 /dev/zero >blob; head -c 99 /dev/zero >note");
    want_too_large(workspace, &err);
    ck_assert_str_eq(err.message,
                     "the workspace holds 5 KiB, but a snapshot holds 4 KiB at most; the "
                     "largest: 'blob' 5 KiB, 'note' 99 bytes");
    workspace_close(workspace);
}
END_TEST

START_TEST(test_a_tree_that_is_too_deep_says_where_and_what_to_do)
{
    struct err err = {0};
    struct workspace *workspace = stage_saved(&stage, "tax");
    wreck(workspace, "d=deep; for i in $(seq 120); do d=$d/d; done; mkdir -p $d");
    want_too_large(workspace, &err);
    ck_assert_msg(strstr(err.message, "more than 100 nested folders: 'deep/d/d"), "%s",
                  err.message);
    ck_assert_msg(strstr(err.hint, "exclude"), "%s", err.hint);
    workspace_close(workspace);
}
END_TEST

START_TEST(test_A11_an_immutable_file_is_named)
{
    int code = 0;
    struct err err = {0};
    struct tree_facts facts;
    struct workspace *workspace = stage_saved(&stage, "tax");
    char can[8];
    stage_sh(workspace_top(workspace),
             "echo x >fixed; if chattr +i fixed 2>/dev/null; then echo yes; else echo no; fi", can,
             sizeof(can));
    if (strcmp(can, "yes") == 0) {
        const bool ok = workspace_reset(workspace, 0, NULL, &facts, &code, &err);
        stage_sh(workspace_top(workspace), "chattr -i fixed", NULL, 0);
        ck_assert(!ok);
        ck_assert_int_eq(code, START_WORKSPACE_FAILED);
        ck_assert_msg(strstr(err.message, "'fixed' is immutable"), "%s", err.message);
        ck_assert_msg(strstr(err.hint, "chattr"), "%s", err.hint);
    }
    stage_reset(workspace, 0, &facts);
    workspace_close(workspace);
}
END_TEST

/* A content that is no longer what it was is no tree that was put back. */
START_TEST(test_A11_a_damaged_content_is_noticed)
{
    int code = 0;
    struct err err = {0};
    struct tree_facts facts;
    struct workspace *workspace = stage_saved(&stage, "tax");
    stage_sh(stage.base, "for f in $(find .objects -type f); do echo other >$f; done", NULL, 0);
    wreck(workspace, "rm src/one.c");
    ck_assert(!workspace_reset(workspace, 0, NULL, &facts, &code, &err));
    ck_assert_int_eq(code, START_WORKSPACE_FAILED);
    ck_assert_msg(strstr(err.message, "src/one.c"), "%s", err.message);
    stage_sh(stage.base, "rm -r .objects/*", NULL, 0);
    err = (struct err){0};
    ck_assert(!workspace_reset(workspace, 0, NULL, &facts, &code, &err));
    ck_assert_msg(strstr(err.message, "is missing"), "%s", err.message);
    workspace_close(workspace);
}
END_TEST

START_TEST(test_a_stopped_reset_says_so)
{
    int code = 0;
    struct err err = {0};
    struct tree_facts facts;
    atomic_bool stop = true;
    struct workspace *workspace = stage_saved(&stage, "tax");
    ck_assert(!workspace_reset(workspace, 0, &stop, &facts, &code, &err));
    ck_assert_int_eq(code, ECANCELED);
    ck_assert(!workspace_save(workspace, 1, &stop, &facts, &code, &err));
    ck_assert_int_eq(code, ECANCELED);
    workspace_close(workspace);
}
END_TEST

/* What git does not see makes no proof stale; what it sees does. */
START_TEST(test_the_digest_is_of_what_git_sees)
{
    struct tree_facts first;
    struct tree_facts facts;
    struct err err = {0};
    struct workspace *workspace = stage_workspace(&stage, "tax", NULL);
    struct workspace_made made;
    stage_make(workspace, &made);
    stage_save(workspace, 0, &first);
    wreck(workspace, "mkdir -p build/in; echo o >build/in/x; echo o >src/x.o; touch src/one.c; "
                     "git status >/dev/null");
    ck_assert_msg(workspace_hash(workspace, NULL, &facts, &err), "%s", err.message);
    ck_assert(digest_equal(first.digest, facts.digest));
    ck_assert_int_eq(facts.files, first.files + 2);
    wreck(workspace, "chmod 600 src/one.c");
    ck_assert_msg(workspace_hash(workspace, NULL, &facts, &err), "%s", err.message);
    ck_assert(!digest_equal(first.digest, facts.digest));
    stage_reset(workspace, 0, &facts);
    ck_assert(digest_equal(first.digest, facts.digest));
    wreck(workspace, "echo new >new.txt");
    ck_assert_msg(workspace_hash(workspace, NULL, &facts, &err), "%s", err.message);
    ck_assert(!digest_equal(first.digest, facts.digest));
    workspace_close(workspace);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("workspace_reset");
    TCase *tcase = test_case(suite, "wrecked");
    tcase_add_unchecked_fixture(tcase, stage_prepare, NULL);
    tcase_add_checked_fixture(tcase, open_stage, NULL);
    tcase_add_loop_test(tcase, test_A11_a_wrecked_tree_is_put_back_as_it_was, 0, TABLE_LEN(wrecks));
    tcase_add_test(tcase, test_A11_git_finds_what_it_found_before);
    tcase_add_loop_test(tcase, test_A11_random_wrecking_is_put_back, 0, 10);
    tcase_add_test(tcase, test_A11_shut_things_that_were_there_stay_shut);
    tcase_add_test(tcase, test_A11_set_id_bits_stay_when_only_the_group_is_put_back);
    tcase_add_test(tcase, test_A11_a_snapshot_outlives_the_one_who_made_it);
    tcase_add_test(tcase, test_A11_what_is_excluded_is_left_alone);
    tcase_add_test(tcase, test_A11_a_tree_that_is_too_large_says_what_to_leave_out);
    tcase_add_test(tcase, test_small_trees_over_a_small_limit_are_told_in_small_sizes);
    tcase_add_test(tcase, test_a_tree_that_is_too_deep_says_where_and_what_to_do);
    tcase_add_test(tcase, test_A11_an_immutable_file_is_named);
    tcase_add_test(tcase, test_A11_a_damaged_content_is_noticed);
    tcase_add_test(tcase, test_a_stopped_reset_says_so);
    tcase_add_test(tcase, test_the_digest_is_of_what_git_sees);
    if (geteuid() == 0)
        tcase_add_test(test_case(suite, "as a person"),
                       test_A11_what_is_shut_is_put_back_without_being_root);
    return suite;
}
