/* workspace_bring.c - paths of the user's tree into a workspace. */
#define _GNU_SOURCE /* types of files */

#include "workspace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree_folder.h"
#include "tree_restore.h"
#include "xalloc.h"

/* A path of the user's tree on its way into the workspace. */
struct bringing {
    const char *path;   /* borrowed */
    int from_fd, to_fd; /* the tops; borrowed */
    const atomic_bool *stop;
    int64_t files;
    struct err *err;
};

/* A folder with all that is in it, made anew. */
static bool bring_folder(struct bringing *bringing, int from, int to)
{
    int64_t files = 0;
    const struct tree_look source = {.top_fd = from, .stop = bringing->stop};
    const struct tree_look target = {.top_fd = to, .stop = bringing->stop};
    const bool ok = tree_copy(&source, &target, &files, bringing->err);
    bringing->files += files;
    return ok;
}

/* A file: its content, mode and time. */
static bool bring_file(struct bringing *bringing, int from_fd, int to_fd, const char *name,
                       const struct stat *info)
{
    bool cannot_clone = false;
    int64_t bytes = 0;
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, info->st_mtim};
    const int from = tree_folder_open_file(from_fd, name);
    if (from < 0)
        return err_set_errno(bringing->err, errno, "cannot read '%s'", bringing->path);
    const int to = openat(to_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = to >= 0;
    if (!ok)
        (void)err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
    ok = ok && content_copy(from, to, &cannot_clone, &bytes, bringing->err);
    if (ok && (fchmod(to, info->st_mode & 0777) != 0 || futimens(to, times) != 0))
        ok = err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
    (void)close(from); /* it was only read */
    if (to >= 0 && close(to) != 0 && ok)
        ok = err_set_errno(bringing->err, errno, "cannot write '%s'", bringing->path);
    bringing->files++;
    return ok;
}

static bool bring_link(const struct bringing *bringing, int from_fd, int to_fd, const char *name)
{
    char target[TREE_TARGET_MAX];
    const ssize_t len = readlinkat(from_fd, name, target, sizeof(target) - 1);
    if (len < 0)
        return err_set_errno(bringing->err, errno, "cannot read the link '%s'", bringing->path);
    target[len] = '\0';
    return symlinkat(target, to_fd, name) == 0 ||
           err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
}

/* What git put there is replaced by what the user has. */
static bool bring_one(struct bringing *bringing, int from_fd, int to_fd, const char *name)
{
    struct stat info;
    if (fstatat(from_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return err_set_errno(bringing->err, errno, "workspace.copy: '%s'", bringing->path);
    if (!tree_folder_remove(to_fd, name, bringing->err))
        return false;
    if (S_ISLNK(info.st_mode))
        return bring_link(bringing, from_fd, to_fd, name);
    if (S_ISREG(info.st_mode))
        return bring_file(bringing, from_fd, to_fd, name, &info);
    if (!S_ISDIR(info.st_mode))
        return err_set(bringing->err, ERR_INVALID,
                       "workspace.copy: '%s' is neither a file nor a folder nor a link",
                       bringing->path);
    if (mkdirat(to_fd, name, S_IRWXU) != 0)
        return err_set_errno(bringing->err, errno, "cannot make '%s'", bringing->path);
    const int from = tree_folder_open(from_fd, name);
    const int to = tree_folder_open(to_fd, name);
    bool ok = from >= 0 && to >= 0;
    if (!ok)
        (void)err_set_errno(bringing->err, errno, "cannot open '%s'", bringing->path);
    ok = ok && bring_folder(bringing, from, to);
    if (from >= 0)
        (void)close(from); /* folders: nothing was written to them */
    if (to >= 0)
        (void)close(to);
    return ok;
}

static bool bring_path(struct bringing *bringing)
{
    struct tree_folder from;
    struct tree_folder to;
    int from_fd;
    int to_fd;
    const char *name;
    tree_folder_init(&from, bringing->from_fd);
    tree_folder_init(&to, bringing->to_fd);
    const bool ok = tree_folder_make_parents(bringing->to_fd, bringing->path, bringing->err) &&
                    tree_folder_reach(&from, bringing->path, &from_fd, &name, bringing->err) &&
                    tree_folder_reach(&to, bringing->path, &to_fd, &name, bringing->err) &&
                    bring_one(bringing, from_fd, to_fd, name);
    tree_folder_done(&from);
    tree_folder_done(&to);
    return ok;
}

bool workspace_bring(const struct workspace *workspace, const atomic_bool *stop, int64_t *files_out,
                     struct err *err)
{
    char **paths = workspace->spec.copy;
    struct bringing bringing = {.from_fd = -1, .to_fd = -1, .stop = stop, .err = err};
    if (!paths || !paths[0])
        return true;
    bringing.from_fd = tree_folder_open(AT_FDCWD, workspace->origin);
    bool ok = bringing.from_fd >= 0;
    if (!ok)
        (void)err_set_errno(err, errno, "cannot open '%s'", workspace->origin);
    ok = ok && workspace_open_top(workspace, &bringing.to_fd, err);
    for (; ok && *paths; paths++) {
        char *path = xstrdup(*paths);
        size_t len = strlen(path);
        while (len > 0 && path[len - 1] == '/')
            path[--len] = '\0';
        bringing.path = path;
        const bool is_sound = len > 0 && len <= WORKSPACE_PATH_MAX && tree_path_is_sound(path);
        ok = is_sound ? bring_path(&bringing)
                      : err_set(err, ERR_INVALID, "workspace.copy: '%s' is no path within '%s'",
                                *paths, workspace->origin);
        free(path);
    }
    if (bringing.from_fd >= 0)
        (void)close(bringing.from_fd); /* folders: nothing was written to them */
    if (bringing.to_fd >= 0)
        (void)close(bringing.to_fd);
    *files_out += bringing.files;
    return ok;
}
