/* result_left.c - what is left of a result: is it there, and what may go? */
#include <stdio.h>
#include <sys/stat.h>

#include "result_parts.h"

static bool has_folder(const struct workspace_result *result)
{
    char path[PATH_MAX];
    struct stat info;
    return workspace_path(result->workspace, "result", path, NULL) && lstat(path, &info) == 0;
}

/* Where git cannot say, the branch counts as there. */
static bool has_branch(const struct workspace_result *result)
{
    char ref[WORKSPACE_NAME_MAX + 16];
    struct tool_result said = {0};
    const char *const words[] = {"show-ref", "--verify", "--quiet", ref, NULL};
    const struct git_call call = {.words = words};
    (void)snprintf(ref, sizeof(ref), "refs/heads/%s", result->note.branch);
    const bool is_gone = workspace_open_git(result->workspace, NULL) &&
                         git_run(&result->workspace->git, &call, &said, NULL) &&
                         said.exit_code == 1;
    tool_result_done(&said);
    return !is_gone;
}

bool workspace_result_is_there(const struct workspace_result *result)
{
    if (!result->is_kept)
        return false;
    return result->note.kind == WORKSPACE_COPY ? has_folder(result) : has_branch(result);
}

bool workspace_result_trim(struct workspace_result *result, struct err *err)
{
    if (!result->is_kept)
        return err_set(err, ERR_INVALID, "there is nothing but the workspace");
    return workspace_drop(result->workspace, err);
}
