/*
 * workspace_result.h - shows what a task changed in its workspace, and applies it to the user's
 * tree.
 *
 * Reads only the disk, so it works for past runs, too. If the task passed, this is its kept result;
 * otherwise, the current contents of its workspace. Blocks. Any thread, but each value belongs to
 * one thread at a time.
 */
#ifndef DEVS_WORKSPACE_RESULT_H
#define DEVS_WORKSPACE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum {
    RESULT_PATHS_MAX = 1000000,            /* maximum paths in a result */
    RESULT_DIFF_BYTES = 256 * 1024 * 1024, /* maximum size of its diff */
    RESULT_CLASHES_NAMED = 10,             /* maximum conflicting paths that an error names */
};

/* Selects a task. All borrowed for the call. */
struct workspace_result_call {
    const char *log_dir; /* the folder of the log, absolute */
    const char *uid;     /* the run's uid */
    const char *run;     /* the run's number, for messages */
    const char *task;
    const char *const *needed; /* ids of the tasks it depends on, NULL-terminated; may be NULL */
    char *const *environment;  /* environment of git */
};

struct workspace_result;

/* Finds the task's result or workspace. Fails with ERR_NOT_FOUND and a hint if the task has no
 * workspace here, or it was removed. The caller ends *out with workspace_result_close(). */
ATTR_MUST_USE bool workspace_result_open(struct workspace_result **out,
                                         const struct workspace_result_call *call, struct err *err);
/* Frees the struct; files on disk stay. `result` may be NULL. */
void workspace_result_close(struct workspace_result *result);

/* Returns whether the result's branch or folder still exists. Also true if git cannot tell. */
bool workspace_result_is_there(const struct workspace_result *result);
/* Removes the remaining workspace of a task whose result was kept. The result stays, and can still
 * be shown and applied. Fails with ERR_INVALID if the task has no result besides its workspace. */
ATTR_MUST_USE bool workspace_result_trim(struct workspace_result *result, struct err *err);

/* One path that the task changed. Untrusted bytes. */
struct workspace_change {
    char kind;  /* 'A' added, 'M' modified, 'D' deleted, 'T' type changed, 'X' mode changed */
    char *path; /* owned by the list; relative to the user's tree */
    int64_t added, removed; /* numbers of lines; -1 = not text */
};

struct workspace_changes {
    struct workspace_change *items; /* owned */
    size_t count;
    struct str text;   /* a unified diff that git apply(1) accepts (for a copy: display only) */
    bool is_result;    /* false: these are changes in the current workspace of a task that has not
                          passed */
    char commit[65];   /* the result's commit; "" = none */
    char base[65];     /* the commit it started from; "" = none */
    struct str branch; /* branch that holds the result; "" = none */
    struct str path;   /* folder that holds the result; "" = none */
    struct str origin; /* the user's tree */
    struct str why;    /* why `text` is incomplete; "" if it is complete */
};
/* Frees the contents. */
void workspace_changes_done(struct workspace_changes *changes);

/* Lists everything that the task has changed since it started. The caller frees *out with
 * workspace_changes_done(). Fails with ERR_NOT_FOUND if its branch or folder no longer exists;
 * ERR_LIMIT if there are more than RESULT_PATHS_MAX paths. */
ATTR_MUST_USE bool workspace_result_changes(struct workspace_result *result,
                                            struct workspace_changes *out, struct err *err);

enum workspace_apply { WORKSPACE_APPLY, WORKSPACE_APPLY_CHECK };

/* Applies the result to the files of the user's tree. Makes no commit; the index, branches and
 * stash stay unchanged. All or nothing. WORKSPACE_APPLY_CHECK only checks. `changes` come from
 * workspace_result_changes(). If the user's tree already has all changes, does nothing, sets
 * *was_there and returns true.
 *
 * Fails with ERR_INVALID, naming paths, if the user's tree has its own changes in them or no longer
 * matches; ERR_NOT_FOUND if there is no result. */
ATTR_MUST_USE bool workspace_result_apply(struct workspace_result *result,
                                          const struct workspace_changes *changes,
                                          enum workspace_apply what, bool *was_there,
                                          struct err *err);

#endif
