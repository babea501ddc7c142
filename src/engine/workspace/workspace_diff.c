/* workspace_diff.c - what an attempt has changed in its workspace, for its capture. */
#include "workspace_parts.h"

#include <unistd.h>

#include "clock.h"
#include "tree_diff.h"

/* The tree as it is, hashed. The caller ends *now. */
static bool look(struct workspace *workspace, const struct tree *before,
                 const struct tree_look *call, struct tree *now, struct err *err)
{
    const struct tree *known = workspace->known.count > 0 ? &workspace->known : before;
    if (!tree_scan(call, now, err))
        return false;
    const bool ok = tree_hash(call, now, known, NULL, err);
    tree_shut(call->top_fd, now);
    return ok;
}

bool workspace_diff(struct workspace *workspace, int step, const struct diff_limits *limits,
                    const atomic_bool *stop, struct tree_diff *out, struct err *err)
{
    char path[PATH_MAX];
    struct tree before = {0};
    struct tree now = {0};
    struct tree_diff diff = {0};
    struct tree_look call = {
        .top_fd = -1, .exclude = (const char *const *)workspace->spec.exclude, .stop = stop};
    const int64_t start_ms = clock_now().mono_ms;
    bool ok = workspace_snapshot_path(workspace, step, WORKSPACE_TREE, path, err) &&
              tree_read_file(path, &before, err) && workspace_open_store(workspace, err) &&
              workspace_open_top(workspace, &call.top_fd, err) &&
              look(workspace, &before, &call, &now, err);
    if (ok) {
        const struct tree_source contents = {.open = workspace_open_content,
                                             .ctx = &workspace->store};
        tree_diff_paths(&before, &now, limits, &diff);
        const struct diff_lines lines = {.before = &before,
                                         .now = &now,
                                         .contents = &contents,
                                         .top_fd = call.top_fd,
                                         .folder = workspace->home,
                                         .environment = workspace->environment,
                                         .limits = limits,
                                         .stop = stop};
        ok = diff_lines_add(&lines, &diff, err);
    }
    if (call.top_fd >= 0)
        (void)close(call.top_fd); /* a folder: nothing was written to it */
    if (ok)
        workspace_now_known(workspace, WORKSPACE_TREE, &now);
    tree_done(&before);
    tree_done(&now);
    diff.ms = clock_now().mono_ms - start_ms;
    if (ok)
        *out = diff;
    else
        tree_diff_done(&diff);
    return ok;
}
