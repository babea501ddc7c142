/* workspace_copy.c - workspaces that are copies of a folder. */
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

bool workspace_copy_tree(const char *from, const char *to, const char *const *exclude,
                         const atomic_bool *stop, int64_t *files_out, struct err *err)
{
    struct tree_look source = {.exclude = exclude, .stop = stop};
    struct tree_look target = {.stop = stop};
    source.top_fd = tree_folder_open(AT_FDCWD, from);
    if (source.top_fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", from);
    bool ok = mkdir(to, S_IRWXU) == 0;
    if (!ok)
        (void)err_set_errno(err, errno, "cannot make '%s'", to);
    target.top_fd = ok ? tree_folder_open(AT_FDCWD, to) : -1;
    if (ok && target.top_fd < 0)
        ok = err_set_errno(err, errno, "cannot open '%s'", to);
    ok = ok && tree_copy(&source, &target, files_out, err);
    (void)close(source.top_fd); /* folders: nothing was written to them */
    if (target.top_fd >= 0)
        (void)close(target.top_fd);
    return ok;
}

/* What of the user's tree is never copied: the log's folder, or what in it is ours. */
static char *log_folder(const struct workspace *workspace)
{
    /* base is FOLDER/work/UID */
    char *folder = xstrdup(workspace->base);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(folder, '/');
        if (slash && slash != folder)
            *slash = '\0';
    }
    const size_t len = strlen(workspace->origin);
    char *found = NULL;
    if (strcmp(folder, workspace->origin) == 0)
        found = xstrdup("work");
    else if (strncmp(folder, workspace->origin, len) == 0 && folder[len] == '/')
        found = xstrdup(folder + len + 1);
    free(folder);
    return found;
}

/* The array is the caller's, and its second text. */
static const char **left_out(const struct workspace *workspace, char **log_out)
{
    size_t count = 0;
    char **exclude = workspace->spec.exclude;
    while (exclude && exclude[count])
        count++;
    const char **all = xcalloc(count + 3, sizeof(*all));
    for (size_t i = 0; i < count; i++)
        all[i] = exclude[i];
    *log_out = log_folder(workspace);
    all[count++] = ".devs";
    if (*log_out)
        all[count++] = *log_out;
    return all;
}

bool workspace_make_copy(struct workspace *workspace, const atomic_bool *stop, int64_t *files_out,
                         int *start_code, struct err *err)
{
    int64_t files = 0;
    bool ok;
    if (workspace->needed[0] && workspace->needed[1]) {
        ok = workspace_merge_copies(workspace, stop, &files, start_code, err);
    } else if (workspace->needed[0]) {
        ok = workspace_copy_tree(workspace->needed[0], workspace->tree, NULL, stop, &files, err);
    } else {
        char *log = NULL;
        const char **exclude = left_out(workspace, &log);
        ok = workspace_copy_tree(workspace->origin, workspace->tree, exclude, stop, &files, err);
        free(exclude);
        free(log);
    }
    *files_out = files;
    return ok;
}
