/*
 * workspace_list.h - the workspaces that are left on disk: what they are, and removing them.
 *
 * They lie in <folder of the log>/work/UID/TASK. Whether their run is alive the log says, not
 * this: who removes one makes sure of that. Blocks; any thread.
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
    WORKSPACE_UID_MAX = 64,         /* of a run's uid, with its NUL */
    WORKSPACE_LIST_MAX = 20000,     /* that are listed; more are there once these are gone */
    WORKSPACE_LIST_BRANCH_MAX = 256 /* of a branch's name, with its NUL */
};

/* What is said to have been kept of a task. */
enum workspace_result_form {
    WORKSPACE_RESULT_NONE,
    WORKSPACE_RESULT_BRANCH,
    WORKSPACE_RESULT_FOLDER, /* within the workspace: it goes when that is removed */
};

/* One workspace, or what is left of it. A plain value. */
struct workspace_left {
    char uid[WORKSPACE_UID_MAX]; /* of its run */
    char task[PLAN_ID_MAX + 1];  /* "": no task's, the contents that all of the run share */
    bool has_tree;               /* the task's files or snapshots of them are there */
    enum workspace_result_form result;
    int64_t bytes;      /* of all its files; -1 where that cannot be said */
    int64_t changed_ms; /* when something was put into it or removed last, UTC */
    char branch[WORKSPACE_LIST_BRANCH_MAX]; /* that holds the result; "" for none */
};

/* All there are, by run and task. The caller frees *out. No folder at all: none. ERR_IO: one cannot
 * be read. */
ATTR_MUST_USE bool workspace_list(const char *log_dir, struct workspace_left **out,
                                  size_t *count_out, struct err *err);

/* The number of workspaces that workspace_list() would return with `has_tree`. Reads no file in
 * them; 0 if the folder cannot be read. */
size_t workspace_count(const char *log_dir);

/* Its folder, absolute if log_dir is. False if it does not fit. */
ATTR_MUST_USE bool workspace_left_path(const char *log_dir, const struct workspace_left *left,
                                       char *out, size_t cap);

/* Remove all of it from disk, with a result that is a folder and with what is said of a branch,
 * and from the list of worktrees of its repository, where that is still there. With the last task
 * of a run the run's folder goes. Shared contents (task "") go only where no snapshot of the run
 * needs them. The branch itself stays. Runs no git. ERR_INVALID: its names are those of no
 * workspace. */
ATTR_MUST_USE bool workspace_remove(const char *log_dir, const struct workspace_left *left,
                                    struct err *err);

#endif
