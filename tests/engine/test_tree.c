#define _GNU_SOURCE /* types of files */

#include "tree.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "test_main.h"

static char path[4096];

static void setup(void)
{
    (void)snprintf(path, sizeof(path), "%s/tree", test_tmpdir());
}

static void add(struct tree *tree, const char *name, uint32_t mode, unsigned char content)
{
    struct tree_entry entry = {.path = strdup(name),
                               .mode = mode,
                               .size = S_ISREG(mode) ? content : 0,
                               .mtime_ns = -1,
                               .ctime_ns = INT64_MAX,
                               .inode = UINT64_MAX,
                               .is_stored = content & 1};
    if (S_ISREG(mode))
        memset(entry.hash, content, sizeof(entry.hash));
    if (S_ISLNK(mode))
        entry.target = strdup("tar\nget");
    tree_add(tree, &entry);
}

static const char *const in_order[] = {"",    "a",  "a/b", "a/b/c", "a/c",      "a b",       "a-b",
                                       "a.b", "a0", "b",   "\x80z", "\xff\xfe", "\xff\xff/x"};

START_TEST(test_a_folder_comes_before_what_is_in_it)
{
    for (int i = 0; i < TABLE_LEN(in_order); i++) {
        for (int j = 0; j < TABLE_LEN(in_order); j++) {
            const int order = tree_path_compare(in_order[i], in_order[j]);
            ck_assert_msg((order > 0) - (order < 0) == (i > j) - (i < j), "%d %d", i, j);
        }
    }
}
END_TEST

static const struct {
    const char *path;
    bool is_sound;
} paths[] = {
    {"", true},      {"a", true},      {"a/b.c/d", true}, {"...", true}, {"..", false},
    {".", false},    {"a/..", false},  {"../a", false},   {"/a", false}, {"a/", false},
    {"a//b", false}, {"a/./b", false}, {".git/x", true},
};

START_TEST(test_sound_paths_stay_within)
{
    ck_assert_msg(tree_path_is_sound(paths[_i].path) == paths[_i].is_sound, "%s", paths[_i].path);
}
END_TEST

static void fill(struct tree *tree)
{
    add(tree, "", S_IFDIR | 0755, 0);
    add(tree, "a", S_IFDIR | 0700, 0);
    add(tree, "a/x\n\xff", S_IFREG | 04755, 3);
    add(tree, "link", S_IFLNK | 0777, 0);
    add(tree, "pipe", S_IFIFO | 0600, 0);
}

START_TEST(test_a_file_gives_back_what_was_written)
{
    struct err err = {0};
    struct tree tree = {0};
    struct tree read = {0};
    fill(&tree);
    ck_assert_msg(tree_write_file(&tree, path, &err), "%s", err.message);
    ck_assert_msg(tree_read_file(path, &read, &err), "%s", err.message);
    ck_assert_uint_eq(read.count, tree.count);
    ck_assert_int_eq(read.files, 1);
    ck_assert_int_eq(read.bytes, 3);
    for (size_t i = 0; i < tree.count; i++) {
        const struct tree_entry *a = &tree.entries[i];
        const struct tree_entry *b = &read.entries[i];
        ck_assert_str_eq(a->path, b->path);
        ck_assert(tree_entry_same_content(a, b) && tree_entry_same_mode(a, b));
        ck_assert(a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns);
        ck_assert(a->inode == b->inode && a->is_stored == b->is_stored);
    }
    tree_done(&tree);
    tree_done(&read);
}
END_TEST

/* No byte of it may be another, and none may be missing. */
START_TEST(test_a_damaged_file_is_noticed)
{
    struct err err = {0};
    struct tree tree = {0};
    struct tree read = {0};
    fill(&tree);
    ck_assert_msg(tree_write_file(&tree, path, &err), "%s", err.message);
    FILE *file = fopen(path, "r+b");
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    for (long at = 0; at < size; at++) {
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        const int byte = fgetc(file);
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        ck_assert_int_eq(fputc(byte ^ 0x10, file), byte ^ 0x10);
        ck_assert_int_eq(fflush(file), 0);
        err = (struct err){0};
        ck_assert(!tree_read_file(path, &read, &err));
        ck_assert_int_eq(err.code, ERR_DAMAGED);
        ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
        ck_assert_int_eq(fputc(byte, file), byte);
    }
    ck_assert_int_eq(fclose(file), 0);
    err = (struct err){0};
    ck_assert_msg(tree_read_file(path, &read, &err), "%s", err.message);
    tree_done(&read);
    tree_done(&tree);
    (void)remove(path);
    err = (struct err){0};
    ck_assert(!tree_read_file(path, &read, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

/* Written by somebody else: well formed, but it leads out of the tree. */
START_TEST(test_a_file_that_leads_outside_is_damaged)
{
    struct err err = {0};
    struct tree tree = {0};
    struct tree read = {0};
    add(&tree, "", S_IFDIR | 0755, 0);
    add(&tree, "../escape", S_IFREG | 0644, 1);
    ck_assert_msg(tree_write_file(&tree, path, &err), "%s", err.message);
    ck_assert(!tree_read_file(path, &read, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    tree_done(&tree);
}
END_TEST

/* As git says of its index: what changed in the tick in which it was read is not known. */
START_TEST(test_what_changed_while_it_was_read_is_read_again)
{
    const int64_t second = 1000000000;
    struct tree_entry known = {.mode = S_IFREG, .ctime_ns = 100 * second + 5, .mtime_ns = 1};
    struct tree_entry now = known;
    ck_assert(!tree_entry_is_known(&now, &known));
    known.read_ns = known.ctime_ns + TREE_SETTLED_NS;
    ck_assert(!tree_entry_is_known(&now, &known));
    known.read_ns++;
    ck_assert(tree_entry_is_known(&now, &known));
    now.inode = 1;
    ck_assert(!tree_entry_is_known(&now, &known));
    now = known;
    now.ctime_ns++;
    ck_assert(!tree_entry_is_known(&now, &known));
    /* A file system that knows no parts of a second. */
    known.ctime_ns = now.ctime_ns = 100 * second;
    known.read_ns = now.read_ns = 102 * second;
    ck_assert(!tree_entry_is_known(&now, &known));
    known.read_ns = 102 * second + 1;
    ck_assert(tree_entry_is_known(&now, &known));
}
END_TEST

/* One path in three trees: its content, 0 = it is not there. What comes of it; -1 = a conflict. */
static const struct {
    unsigned char base, ours, theirs;
    int merged;
} merges[] = {
    {0, 0, 0, 0},  {1, 1, 1, 1}, {1, 2, 1, 2}, {1, 1, 2, 2},  {1, 2, 2, 2},
    {1, 2, 3, -1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {0, 1, 1, 1},  {0, 1, 2, -1},
    {1, 0, 1, 0},  {1, 1, 0, 0}, {1, 0, 0, 0}, {1, 0, 2, -1}, {1, 2, 0, -1},
};

static void one_path(struct tree *tree, unsigned char content)
{
    add(tree, "", S_IFDIR | 0755, 0);
    if (content > 0)
        add(tree, "x", S_IFREG | 0644, content);
}

START_TEST(test_changes_of_two_go_together)
{
    struct err err = {0};
    struct tree trees[4] = {0};
    one_path(&trees[0], merges[_i].base);
    one_path(&trees[1], merges[_i].ours);
    one_path(&trees[2], merges[_i].theirs);
    const bool ok = tree_merge(&trees[0], &trees[1], &trees[2], &trees[3], &err);
    ck_assert_msg(ok == (merges[_i].merged >= 0), "%d: %s", _i, err.message);
    const struct tree_entry *entry = tree_find(&trees[3], "x");
    if (ok)
        ck_assert_int_eq(entry ? entry->size : 0, merges[_i].merged);
    else
        ck_assert_msg(strstr(err.message, "'x'"), "%s", err.message);
    for (int i = 0; i < 4; i++)
        tree_done(&trees[i]);
}
END_TEST

START_TEST(test_a_new_file_in_a_folder_that_the_other_removed_is_a_conflict)
{
    struct err err = {0};
    struct tree base = {0};
    struct tree ours = {0};
    struct tree theirs = {0};
    struct tree merged = {0};
    one_path(&base, 0);
    add(&base, "d", S_IFDIR | 0755, 0);
    one_path(&ours, 0);
    one_path(&theirs, 0);
    add(&theirs, "d", S_IFDIR | 0755, 0);
    add(&theirs, "d/new", S_IFREG | 0644, 1);
    ck_assert(!tree_merge(&base, &ours, &theirs, &merged, &err));
    ck_assert_msg(strstr(err.message, "'d/new'"), "%s", err.message);
    tree_done(&base);
    tree_done(&ours);
    tree_done(&theirs);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tree");
    TCase *tcase = test_case(suite, "tree");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_a_folder_comes_before_what_is_in_it);
    tcase_add_loop_test(tcase, test_sound_paths_stay_within, 0, TABLE_LEN(paths));
    tcase_add_test(tcase, test_a_file_gives_back_what_was_written);
    tcase_add_test(tcase, test_a_damaged_file_is_noticed);
    tcase_add_test(tcase, test_a_file_that_leads_outside_is_damaged);
    tcase_add_test(tcase, test_what_changed_while_it_was_read_is_read_again);
    tcase_add_loop_test(tcase, test_changes_of_two_go_together, 0, TABLE_LEN(merges));
    tcase_add_test(tcase, test_a_new_file_in_a_folder_that_the_other_removed_is_a_conflict);
    return suite;
}
