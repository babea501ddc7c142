/* result_copy.c - the result of a task whose workspace is a copy: what it has changed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "result_parts.h"
#include "tree_diff.h"
#include "tree_folder.h"
#include "xalloc.h"

static void take_diff(const struct tree_diff *diff, struct workspace_changes *out)
{
    size_t cap = 0;
    out->items = xgrow(NULL, &cap, diff->path_count + 1, sizeof(*out->items));
    for (size_t i = 0; i < diff->path_count; i++) {
        const struct diff_path *path = &diff->paths[i];
        out->items[out->count++] = (struct workspace_change){.kind = diff_kind_letter(path->kind),
                                                             .path = xstrdup(path->path),
                                                             .added = path->added,
                                                             .removed = path->removed};
    }
    str_add_n(&out->text, str_text(&diff->text), diff->text.len);
    str_add(&out->why, str_text(&diff->why));
}

/* One of the names that are not brought home. */
static void leave_out(struct tree_diff *diff, const char *name)
{
    const char *const names[] = {name, NULL};
    size_t kept = 0;
    for (size_t i = 0; i < diff->path_count; i++) {
        if (tree_path_is_under(diff->paths[i].path, names))
            free(diff->paths[i].path);
        else
            diff->paths[kept++] = diff->paths[i];
    }
    if (kept < diff->path_count)
        str_addf(&diff->why, "%s'%s' changed, too, and is no part of the result",
                 diff->why.len > 0 ? "; " : "", name);
    diff->changed -= (int64_t)(diff->path_count - kept);
    diff->path_count = kept;
}

static bool compare(const struct workspace_result *result, struct result_copy *copy,
                    struct workspace_changes *out, struct err *err)
{
    static const struct diff_limits limits = {.paths_max = RESULT_PATHS_MAX,
                                              .text_bytes_max = RESULT_DIFF_BYTES,
                                              .read_bytes_max = RESULT_DIFF_BYTES,
                                              .timeout_ms = TOOL_TIMEOUT_MS};
    struct result_originals originals = {.result = result};
    struct tree_diff diff = {0};
    const int origin = tree_folder_open(AT_FDCWD, result->workspace->origin);
    if (origin < 0)
        return err_set_errno(err, errno, "cannot open '%s'", result->workspace->origin);
    tree_folder_init(&originals.origin, origin);
    const struct tree_source contents = {.open = result_open_original, .ctx = &originals};
    const struct diff_lines lines = {.before = &copy->start,
                                     .now = &copy->now,
                                     .contents = &contents,
                                     .top_fd = copy->look.top_fd,
                                     .folder = result->workspace->home,
                                     .environment = result->workspace->environment,
                                     .limits = &limits};
    tree_diff_paths(&copy->start, &copy->now, &limits, &diff);
    for (size_t i = 0; result_left_out[i]; i++)
        leave_out(&diff, result_left_out[i]);
    const bool ok = diff_lines_add(&lines, &diff, err);
    if (ok)
        take_diff(&diff, out);
    tree_diff_done(&diff);
    tree_folder_done(&originals.origin);
    (void)close(origin); /* a folder: nothing was written to it */
    return ok;
}

bool result_copy_read(const struct workspace_result *result, struct result_copy *out,
                      struct err *err)
{
    char path[PATH_MAX];
    const struct workspace *workspace = result->workspace;
    *out = (struct result_copy){.look = {.top_fd = -1}};
    if (!workspace_path(workspace, "start", path, err) || !tree_read_file(path, &out->start, err) ||
        !workspace_path(workspace, result->is_kept ? "result" : "tree", path, err))
        return false;
    out->look.top_fd = tree_folder_open(AT_FDCWD, path);
    if (out->look.top_fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    if (!tree_scan(&out->look, &out->now, err))
        return false;
    const bool ok = tree_hash(&out->look, &out->now, &out->start, NULL, err);
    tree_shut(out->look.top_fd, &out->now);
    return ok;
}

void result_copy_done(struct result_copy *copy)
{
    if (copy->look.top_fd >= 0)
        (void)close(copy->look.top_fd); /* a folder: nothing was written to it */
    tree_done(&copy->start);
    tree_done(&copy->now);
}

bool result_copy_compare(const struct workspace_result *result, struct workspace_changes *out,
                         struct err *err)
{
    char path[PATH_MAX];
    struct result_copy copy;
    const bool ok = result_copy_read(result, &copy, err) && compare(result, &copy, out, err) &&
                    workspace_path(result->workspace, "result", path, err);
    if (ok && result->is_kept)
        str_add(&out->path, path);
    result_copy_done(&copy);
    return ok;
}
