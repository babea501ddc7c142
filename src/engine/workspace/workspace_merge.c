/* workspace_merge.c - several results made one for a task that needs all of them. */
#include "workspace_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "outcome.h"
#include "tree.h"
#include "tree_folder.h"
#include "tree_restore.h"

/* A result that is brought into the tree. */
struct merging {
    struct tree_look tree;   /* the workspace's; its folder is open */
    struct tree_look result; /* the needed one's, likewise */
    struct tree base, ours, theirs, want;
};

/* What a copy was before anything ran in it lies beside its result. */
static bool read_start(const char *result, struct tree *out, struct err *err)
{
    char path[PATH_MAX];
    const char *slash = strrchr(result, '/');
    const int len = slash ? (int)(slash - result) : 0;
    const int wrote = snprintf(path, sizeof(path), "%.*s/start", len, result);
    if (wrote < 0 || (size_t)wrote >= sizeof(path))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", result);
    return tree_read_file(path, out, err);
}

static bool look_at(const struct tree_look *look, struct tree *out, struct err *err)
{
    if (!tree_scan(look, out, err))
        return false;
    const bool ok = tree_hash(look, out, NULL, NULL, err);
    tree_shut(look->top_fd, out);
    return ok;
}

static bool merge_opened(struct merging *merging, const char *result, int64_t *files,
                         int *start_code, struct err *err)
{
    struct err why = {0};
    struct tree_work work;
    struct tree_folder folder;
    if (!read_start(result, &merging->base, err) || !look_at(&merging->tree, &merging->ours, err) ||
        !look_at(&merging->result, &merging->theirs, err))
        return false;
    if (!tree_merge(&merging->base, &merging->ours, &merging->theirs, &merging->want, &why)) {
        *start_code = START_CONFLICT;
        (void)err_set(err, ERR_INVALID, "the results of the needed tasks do not go together: %s",
                      why.message);
        return err_hint(err, "let one of the two tasks need the other");
    }
    tree_folder_init(&folder, merging->result.top_fd);
    const struct tree_source source = tree_source_of(&folder);
    const bool ok =
        tree_restore(&merging->tree, &merging->ours, &merging->want, &source, &work, err);
    tree_folder_done(&folder);
    *files = merging->want.files;
    return ok;
}

static bool merge_one(const struct workspace *workspace, const char *result,
                      const atomic_bool *stop, int64_t *files, int *start_code, struct err *err)
{
    struct merging merging = {.tree = {.top_fd = -1, .stop = stop},
                              .result = {.top_fd = -1, .stop = stop}};
    bool ok = workspace_open_top(workspace, &merging.tree.top_fd, err);
    if (ok) {
        merging.result.top_fd = tree_folder_open(AT_FDCWD, result);
        ok = merging.result.top_fd >= 0 || err_set_errno(err, errno, "cannot open '%s'", result);
    }
    ok = ok && merge_opened(&merging, result, files, start_code, err);
    if (merging.tree.top_fd >= 0)
        (void)close(merging.tree.top_fd); /* folders: nothing was written to them */
    if (merging.result.top_fd >= 0)
        (void)close(merging.result.top_fd);
    tree_done(&merging.base);
    tree_done(&merging.ours);
    tree_done(&merging.theirs);
    tree_done(&merging.want);
    return ok;
}

bool workspace_merge_copies(struct workspace *workspace, const atomic_bool *stop,
                            int64_t *files_out, int *start_code, struct err *err)
{
    char **result = workspace->needed;
    bool ok = workspace_copy_tree(*result++, workspace->tree, NULL, stop, files_out, err);
    for (; ok && *result; result++)
        ok = merge_one(workspace, *result, stop, files_out, start_code, err);
    return ok;
}
