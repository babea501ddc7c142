#define _GNU_SOURCE /* types of files */

#include "workspace_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"
#include "tree_folder.h"
#include "tree_scan.h"
#include "workspace_note.h"
#include "xalloc.h"

static const char objects_name[] = ".objects";

/* What is found so far. */
struct listing {
    const char *log_dir; /* borrowed */
    bool only_counts;    /* those that have a tree, and nothing is read of them */
    struct workspace_left *items;
    size_t count, cap;
};

bool workspace_left_path(const char *log_dir, const struct workspace_left *left, char *out,
                         size_t cap)
{
    const int len = snprintf(out, cap, "%s/work/%s/%s", log_dir, left->uid,
                             left->task[0] ? left->task : objects_name);
    return len >= 0 && (size_t)len < cap;
}

/* Names of a folder, in order; the array and the texts are the caller's. */
static char **read_names(int fd, size_t *count_out)
{
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    char **names = NULL;
    size_t cap = 0;
    *count_out = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && *count_out < WORKSPACE_LIST_MAX;
         entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        names = xgrow(names, &cap, *count_out + 1, sizeof(*names));
        names[(*count_out)++] = xstrdup(entry->d_name);
    }
    if (dir)
        (void)closedir(dir); /* it was only looked at */
    return names;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

/* Bytes of all files in a folder; -1 where that cannot be said. */
static int64_t bytes_of(int fd)
{
    struct tree tree = {0};
    const struct tree_look look = {.top_fd = fd};
    if (!tree_scan(&look, &tree, NULL))
        return -1;
    tree_shut(fd, &tree);
    const int64_t bytes = tree.bytes;
    tree_done(&tree);
    return bytes;
}

static bool has_tree(int fd)
{
    struct stat info;
    return fstatat(fd, "tree", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(fd, "snapshots", &info, AT_SYMLINK_NOFOLLOW) == 0;
}

static void describe(struct workspace_left *left, int fd, const char *path)
{
    char kept[PATH_MAX + 8];
    struct stat info;
    struct workspace_note note;
    left->bytes = bytes_of(fd);
    left->has_tree = has_tree(fd);
    if (fstat(fd, &info) == 0)
        left->changed_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    (void)snprintf(kept, sizeof(kept), "%s/kept", path);
    if (!workspace_note_read(kept, &note, NULL))
        return;
    left->result = note.kind == WORKSPACE_COPY ? WORKSPACE_RESULT_FOLDER : WORKSPACE_RESULT_BRANCH;
    (void)snprintf(left->branch, sizeof(left->branch), "%s", note.branch);
}

static void add_one(struct listing *listing, int run_fd, const char *uid, const char *name)
{
    char path[PATH_MAX];
    struct workspace_left left = {0};
    const bool is_contents = strcmp(name, objects_name) == 0;
    if (strlen(uid) >= sizeof(left.uid) || (!is_contents && strlen(name) >= sizeof(left.task)) ||
        (!is_contents && name[0] == '.') || listing->count >= WORKSPACE_LIST_MAX)
        return; /* nothing of ours */
    (void)snprintf(left.uid, sizeof(left.uid), "%s", uid);
    if (!is_contents)
        (void)snprintf(left.task, sizeof(left.task), "%s", name);
    const int fd = tree_folder_open(run_fd, name);
    if (fd < 0)
        return;
    if (listing->only_counts) {
        listing->count += has_tree(fd);
    } else if (workspace_left_path(listing->log_dir, &left, path, sizeof(path))) {
        describe(&left, fd, path);
        listing->items =
            xgrow(listing->items, &listing->cap, listing->count + 1, sizeof(*listing->items));
        listing->items[listing->count++] = left;
    }
    (void)close(fd); /* it was only looked at */
}

static void add_run(struct listing *listing, int work_fd, const char *uid)
{
    size_t count;
    const int fd = tree_folder_open(work_fd, uid);
    if (fd < 0)
        return;
    char **names = read_names(fd, &count);
    for (size_t i = 0; i < count; i++)
        add_one(listing, fd, uid, names[i]);
    free_names(names, count);
    (void)close(fd); /* it was only looked at */
}

static int compare_left(const void *a, const void *b)
{
    const struct workspace_left *x = a;
    const struct workspace_left *y = b;
    const int order = strcmp(x->uid, y->uid);
    return order != 0 ? order : strcmp(x->task, y->task);
}

static bool list_runs(struct listing *listing, struct err *err)
{
    size_t count;
    struct str path = {0};
    str_addf(&path, "%s/work", listing->log_dir);
    const int fd = tree_folder_open(AT_FDCWD, path.data);
    const int number = errno;
    const bool ok = fd >= 0 || number == ENOENT ||
                    err_set_errno(err, number, "cannot look into '%s'", path.data);
    str_done(&path);
    if (fd < 0)
        return ok;
    char **names = read_names(fd, &count);
    for (size_t i = 0; i < count; i++)
        add_run(listing, fd, names[i]);
    free_names(names, count);
    (void)close(fd); /* it was only looked at */
    return true;
}

bool workspace_list(const char *log_dir, struct workspace_left **out, size_t *count_out,
                    struct err *err)
{
    struct listing listing = {.log_dir = log_dir};
    if (!list_runs(&listing, err))
        return false;
    if (listing.count > 0)
        qsort(listing.items, listing.count, sizeof(*listing.items), compare_left);
    *out = listing.items;
    *count_out = listing.count;
    return true;
}

size_t workspace_count(const char *log_dir)
{
    struct listing listing = {.log_dir = log_dir, .only_counts = true};
    return list_runs(&listing, NULL) ? listing.count : 0;
}
