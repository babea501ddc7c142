/*
 * workspace_list.h - lists and removes the workspaces that are left on disk.
 *
 * They are in <folder of the log>/work/UID/TASK. Only the log knows whether a workspace's run is
 * still alive; check that before removing one. Blocks. Any thread.
 */
#ifndef DEVS_WORKSPACE_LIST_H
#define DEVS_WORKSPACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "plan.h"

enum {
    WORKSPACE_UID_MAX = 64,     /* maximum size of a run's uid, with its NUL */
    WORKSPACE_LIST_MAX = 20000, /* maximum workspaces listed at once; remove some to see the rest */
    WORKSPACE_LIST_BRANCH_MAX = 256 /* maximum size of a branch name, with its NUL */
};

/* The form in which a task's result was kept, according to its workspace. */
enum workspace_result_form {
    WORKSPACE_RESULT_NONE,
    WORKSPACE_RESULT_BRANCH,
    WORKSPACE_RESULT_FOLDER, /* inside the workspace, and removed with it */
};

/* One workspace, or what is left of it. A plain value. */
struct workspace_left {
    char uid[WORKSPACE_UID_MAX]; /* the run's uid */
    char task[PLAN_ID_MAX + 1];  /* "" for the contents that the whole run shares */
    bool has_tree;               /* the task's files, or snapshots of them, exist */
    enum workspace_result_form result;
    int64_t bytes;                          /* total size of its files; -1 if unknown */
    int64_t changed_ms;                     /* last time an entry was added or removed, UTC */
    char branch[WORKSPACE_LIST_BRANCH_MAX]; /* branch that holds the result; "" = none */
};

/* Lists all workspaces, sorted by run and task. The caller frees *out. Returns an empty list if the
 * folder does not exist. Fails with ERR_IO if a folder cannot be read. */
ATTR_MUST_USE bool workspace_list(const char *log_dir, struct workspace_left **out,
                                  size_t *count_out, struct err *err);

/* Returns the number of workspaces that workspace_list() would return with `has_tree`. Does not
 * read the files in them. Returns 0 if the folder cannot be read. */
size_t workspace_count(const char *log_dir);

/* Writes the workspace's path, absolute if log_dir is. Returns false if it does not fit. */
ATTR_MUST_USE bool workspace_left_path(const char *log_dir, const struct workspace_left *left,
                                       char *out, size_t cap);

/* Removes the workspace from disk, including a result folder and the record of a result branch, and
 * unregisters its worktree if the repository still exists. Removing the last task of a run also
 * removes the run's folder. Shared contents (task "") are removed only if no snapshot of the run
 * needs them. The branch itself stays. Does not run git. Fails with ERR_INVALID if the names cannot
 * be those of a workspace. */
ATTR_MUST_USE bool workspace_remove(const char *log_dir, const struct workspace_left *left,
                                    struct err *err);

#endif
