/* workspace_drop.c - a workspace removed, and the contents that no snapshot needs any more. */
#include "workspace_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_folder.h"

enum { TASKS_MAX = 100000 };

/* Does a task of the run still have snapshots? Where that cannot be seen: yes. */
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
        (void)closedir(dir); /* it was only looked at */
    else if (again >= 0)
        (void)close(again);
    return found;
}

bool workspace_drop_contents(const char *base, struct err *err)
{
    static const char name[] = ".objects";
    const int base_fd = tree_folder_open(AT_FDCWD, base);
    const int fd = base_fd >= 0 ? tree_folder_open(base_fd, name) : -1;
    bool ok = true;
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && !has_snapshots(base_fd))
        ok = tree_folder_remove(base_fd, name, err);
    if (fd >= 0)
        (void)close(fd); /* folders: what was removed is gone */
    if (base_fd >= 0)
        (void)close(base_fd);
    return ok;
}

bool workspace_drop(struct workspace *workspace, struct err *err)
{
    static const char *const names[] = {"made",       "tree",  "snapshots",
                                        "keep-index", "index", "result.new"};
    char path[PATH_MAX];
    int lock = -1;
    bool ok = true;
    for (size_t i = 0; i < ARRAY_LEN(names) && ok; i++)
        ok = workspace_path(workspace, names[i], path, err) &&
             tree_folder_remove(AT_FDCWD, path, err);
    if (ok && workspace->spec.kind == WORKSPACE_WORKTREE) {
        ok = workspace_open_git(workspace, err) && git_lock(&workspace->git, NULL, &lock, err);
        ok = ok && workspace_forget_worktree(workspace->git.places->common, workspace->tree, err);
        git_unlock(lock);
    }
    git_done(&workspace->git);
    workspace->looked_for_git = false;
    ok = ok && workspace_path(workspace, "git", path, err) &&
         tree_folder_remove(AT_FDCWD, path, err);
    content_close(&workspace->store);
    return ok && workspace_drop_contents(workspace->base, err);
}
