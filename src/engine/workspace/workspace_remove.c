/* workspace_remove.c - all that is left of a workspace, removed. */
#include "workspace_list.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "str.h"
#include "tree_folder.h"
#include "workspace_parts.h"
#include "xalloc.h"

/* The user's tree that a workspace was made of. False if that is not known, or gone. */
static bool find_origin(const char *home, struct git *out)
{
    char path[PATH_MAX + 8];
    char origin[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/origin", home);
    const ssize_t len = readlink(path, origin, sizeof(origin) - 1);
    if (len <= 0)
        return false;
    origin[len] = '\0';
    *out = (struct git){.places = xcalloc(1, sizeof(*out->places))};
    if (origin[0] == '/' && git_find(origin, out->places, NULL))
        return true;
    git_done(out);
    return false;
}

/* One task. */
static bool remove_task(const char *home, struct err *err)
{
    char path[PATH_MAX + 8];
    struct git git;
    int lock = -1;
    bool ok = true;
    (void)snprintf(path, sizeof(path), "%s/tree", home);
    if (find_origin(home, &git)) {
        ok = tree_folder_remove(AT_FDCWD, path, err) && git_lock(&git, NULL, &lock, err);
        ok = ok && workspace_forget_worktree(git.places->common, path, err);
        git_unlock(lock);
        git_done(&git);
    }
    return ok && tree_folder_remove(AT_FDCWD, home, err);
}

/* What is left of a run once its tasks are gone: nothing. */
static bool remove_rest(const char *log_dir, const char *uid, struct err *err)
{
    struct str path = {0};
    str_addf(&path, "%s/work/%s", log_dir, uid);
    bool ok = workspace_drop_contents(path.data, err);
    if (ok && rmdir(path.data) != 0 && errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST)
        ok = err_set_errno(err, errno, "cannot remove '%s'", path.data);
    str_done(&path);
    return ok;
}

static bool is_one_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && !strchr(name, '/');
}

bool workspace_remove(const char *log_dir, const struct workspace_left *left, struct err *err)
{
    char path[PATH_MAX];
    if (!is_one_name(left->uid) || (left->task[0] && !is_one_name(left->task)))
        return err_set(err, ERR_INVALID, "'%s/%s' is no workspace", left->uid, left->task);
    if (!workspace_left_path(log_dir, left, path, sizeof(path)))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", log_dir);
    return (left->task[0] == '\0' || remove_task(path, err)) &&
           remove_rest(log_dir, left->uid, err);
}
