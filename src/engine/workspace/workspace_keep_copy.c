/* workspace_keep_copy.c - the same of a copy: a folder of its own beside it. */
#include "workspace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "tree_folder.h"
#include "tree_scan.h"

bool workspace_note_start(struct workspace *workspace, const atomic_bool *stop, struct err *err)
{
    char path[PATH_MAX];
    struct tree tree = {0};
    struct tree_look look = {.exclude = (const char *const *)workspace->spec.exclude, .stop = stop};
    if (!workspace_path(workspace, "start", path, err) ||
        !workspace_open_top(workspace, &look.top_fd, err))
        return false;
    bool ok = tree_scan(&look, &tree, err);
    if (ok) {
        ok = tree_hash(&look, &tree, NULL, NULL, err);
        tree_shut(look.top_fd, &tree);
    }
    (void)close(look.top_fd); /* a folder: nothing was written to it */
    ok = ok && tree_write_file(&tree, path, err);
    workspace_now_known(workspace, WORKSPACE_TREE, &tree);
    return ok;
}

/* Beside its place first: half a result is none. */
bool workspace_keep_copy(struct workspace *workspace, const atomic_bool *stop,
                         struct workspace_kept *out, struct err *err)
{
    char beside[PATH_MAX];
    char path[PATH_MAX];
    char note_path[PATH_MAX];
    int64_t files = 0;
    const struct workspace_note note = {.kind = WORKSPACE_COPY};
    if (!workspace_path(workspace, "result.new", beside, err) ||
        !workspace_path(workspace, "result", path, err) ||
        !workspace_path(workspace, "kept", note_path, err) ||
        !tree_folder_remove(AT_FDCWD, beside, err))
        return false;
    if (!workspace_copy_tree(workspace->tree, beside, (const char *const *)workspace->spec.exclude,
                             stop, &files, err) ||
        !tree_folder_remove(AT_FDCWD, path, err))
        return false;
    if (rename(beside, path) != 0)
        return err_set_errno(err, errno, "cannot name '%s'", path);
    if (!workspace_note_write(note_path, &note, err))
        return false;
    str_add(&out->path, path);
    return true;
}
