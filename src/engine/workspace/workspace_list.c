/* workspace_list.c - lists and removes the workspaces on disk, used or not.
 *
 * Dropping a workspace keeps its result. The tasks of a run share file contents, which are removed
 * when no task has snapshots and no workspace has the contents open. */
#define _GNU_SOURCE /* S_IFMT */

#include "workspace_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "str.h"
#include "tree.h"
#include "tree_folder.h"
#include "workspace_internal.h"
#include "xalloc.h"

static const char objects_name[] = ".objects";

/* A listing in progress. */
struct listing {
    const char *log_dir; /* borrowed */
    bool only_counts;    /* only count workspaces that have a tree, without reading them */
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

/* Reads the names in a folder and sorts them. The caller frees the array and the strings. */
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
        (void)closedir(dir); /* nothing was written */
    else if (again >= 0)
        (void)close(again);
    return names;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static bool has_tree(int fd)
{
    struct stat info;
    return fstatat(fd, "tree", &info, AT_SYMLINK_NOFOLLOW) == 0 ||
           fstatat(fd, "snapshots", &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Fills in facts about the workspace at `path`, which is open as `fd`. */
static void describe_left(struct workspace_left *left, int fd, const char *path)
{
    char kept[PATH_MAX + 8];
    struct stat info;
    struct workspace_note note;
    struct tree tree = {0};
    const struct tree_look look = {.top_fd = fd};
    left->bytes = -1; /* unknown */
    if (tree_scan(&look, &tree, NULL)) {
        tree_shut(fd, &tree);
        left->bytes = tree.bytes;
        tree_done(&tree);
    }
    left->has_tree = has_tree(fd);
    if (fstat(fd, &info) == 0)
        left->changed_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    (void)snprintf(kept, sizeof(kept), "%s/kept", path);
    if (!workspace_note_read(kept, &note, NULL))
        return;
    left->result = note.kind == WORKSPACE_COPY ? WORKSPACE_RESULT_FOLDER : WORKSPACE_RESULT_BRANCH;
    (void)snprintf(left->branch, sizeof(left->branch), "%s", note.branch);
}

static void add_left(struct listing *listing, int run_fd, const char *uid, const char *name)
{
    char path[PATH_MAX];
    struct workspace_left left = {0};
    const bool is_contents = strcmp(name, objects_name) == 0;
    if (strlen(uid) >= sizeof(left.uid) || (!is_contents && strlen(name) >= sizeof(left.task)) ||
        (!is_contents && name[0] == '.') || listing->count >= WORKSPACE_LIST_MAX)
        return; /* not a workspace of devs */
    (void)snprintf(left.uid, sizeof(left.uid), "%s", uid);
    if (!is_contents)
        (void)snprintf(left.task, sizeof(left.task), "%s", name);
    const int fd = tree_folder_open(run_fd, name);
    if (fd < 0)
        return;
    if (listing->only_counts) {
        listing->count += has_tree(fd);
    } else if (workspace_left_path(listing->log_dir, &left, path, sizeof(path))) {
        describe_left(&left, fd, path);
        listing->items =
            xgrow(listing->items, &listing->cap, listing->count + 1, sizeof(*listing->items));
        listing->items[listing->count++] = left;
    }
    (void)close(fd); /* nothing was written */
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
                    err_set_errno(err, number, "cannot read folder '%s'", path.data);
    str_done(&path);
    if (fd < 0)
        return ok;
    char **uids = read_names(fd, &count);
    for (size_t i = 0; i < count; i++) {
        size_t name_count;
        const int run_fd = tree_folder_open(fd, uids[i]);
        if (run_fd < 0)
            continue;
        char **names = read_names(run_fd, &name_count);
        for (size_t j = 0; j < name_count; j++)
            add_left(listing, run_fd, uids[i], names[j]);
        free_names(names, name_count);
        (void)close(run_fd); /* nothing was written */
    }
    free_names(uids, count);
    (void)close(fd); /* nothing was written */
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

/* Drops a workspace, and file contents that are no longer needed by any snapshot. */

enum { TASKS_MAX = 100000 };

/* Returns whether a task of the run still has snapshots. Also returns true if that cannot be
 * determined. */
static bool has_snapshots(int base_fd)
{
    struct stat info;
    const int again = openat(base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    bool found = !dir;
    int count = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && !found; entry = readdir(dir)) {
        struct str path = {0};
        str_addf(&path, "%s/snapshots", entry->d_name);
        found = ++count > TASKS_MAX ||
                (entry->d_name[0] != '.' && fstatat(base_fd, path.data, &info, 0) == 0);
        str_done(&path);
    }
    if (dir)
        (void)closedir(dir); /* nothing was written */
    else if (again >= 0)
        (void)close(again);
    return found;
}

/* Removes the file contents of a run unless a snapshot needs them or a workspace has them open. */
static bool drop_contents(const char *base, struct err *err)
{
    static const char name[] = ".objects";
    const int base_fd = tree_folder_open(AT_FDCWD, base);
    const int fd = base_fd >= 0 ? tree_folder_open(base_fd, name) : -1;
    bool ok = true;
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && !has_snapshots(base_fd))
        ok = tree_folder_remove(base_fd, name, err);
    if (fd >= 0)
        (void)close(fd); /* folders opened for reading; nothing to flush */
    if (base_fd >= 0)
        (void)close(base_fd);
    return ok;
}

bool workspace_drop(struct workspace *workspace, const atomic_bool *stop, struct err *err)
{
    static const char *const names[] = {"made",  "tree",       "snapshots", "keep-index",
                                        "index", "result.new", "ready"};
    char path[PATH_MAX];
    int lock = -1;
    bool ok = !workspace->ship.executor || ship_drop(workspace, stop, err);
    for (size_t i = 0; i < ARRAY_LEN(names) && ok; i++)
        ok = workspace_path(workspace, names[i], path, err) &&
             tree_folder_remove(AT_FDCWD, path, err);
    if (ok && workspace->spec.kind == WORKSPACE_WORKTREE) {
        ok = workspace_open_git(workspace, err) && git_lock(&workspace->git, stop, &lock, err);
        ok = ok && workspace_forget_worktree(workspace->git.places->common, workspace->tree, err);
        git_unlock(lock);
    }
    git_done(&workspace->git);
    workspace->looked_for_git = false;
    ok = ok && workspace_path(workspace, "git", path, err) &&
         tree_folder_remove(AT_FDCWD, path, err);
    content_close(&workspace->store);
    return ok && drop_contents(workspace->base, err);
}

/* Removes a workspace completely. */

/* Removes the workspace of a task and, if the user's tree that it was made from still exists, its
 * worktree. */
static bool remove_task(const char *home, struct err *err)
{
    char path[PATH_MAX + 8];
    char origin[PATH_MAX];
    struct git git = {0};
    int lock = -1;
    bool ok = true;
    (void)snprintf(path, sizeof(path), "%s/origin", home);
    const ssize_t len = readlink(path, origin, sizeof(origin) - 1);
    origin[len > 0 ? len : 0] = '\0';
    (void)snprintf(path, sizeof(path), "%s/tree", home);
    if (len > 0)
        git.places = xcalloc(1, sizeof(*git.places));
    if (origin[0] == '/' && git_find(origin, git.places, NULL)) {
        ok = tree_folder_remove(AT_FDCWD, path, err) && git_lock(&git, NULL, &lock, err);
        ok = ok && workspace_forget_worktree(git.places->common, path, err);
        git_unlock(lock);
    }
    git_done(&git);
    return ok && tree_folder_remove(AT_FDCWD, home, err);
}

static bool is_one_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strchr(name, '/');
}

bool workspace_remove(const char *log_dir, const struct workspace_left *left, struct err *err)
{
    char path[PATH_MAX];
    if (!is_one_name(left->uid) || (left->task[0] && !is_one_name(left->task)))
        return err_set(err, ERR_INVALID, "'%s/%s' is not a workspace", left->uid, left->task);
    if (!workspace_left_path(log_dir, left, path, sizeof(path)))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", log_dir);
    if (left->task[0] && !remove_task(path, err))
        return false;

    /* Remove the folder of the run if no tasks are left in it. */
    struct str run = {0};
    str_addf(&run, "%s/work/%s", log_dir, left->uid);
    bool ok = drop_contents(run.data, err);
    if (ok && rmdir(run.data) != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        ok = err_set_errno(err, errno, "cannot remove '%s'", run.data);
    str_done(&run);
    return ok;
}
