/*
 * workspace_result.h - what a task did in its workspace: shown, and brought home.
 *
 * From what is on disk, so for runs of the past, too. The result of a task that passed; of
 * another one what its workspace holds now. Blocks; any thread, a value is for one at a time.
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
    RESULT_PATHS_MAX = 1000000,            /* of a result */
    RESULT_DIFF_BYTES = 256 * 1024 * 1024, /* of its diff's text */
    RESULT_CLASHES_NAMED = 10,             /* paths that an error names */
};

/* Which task. All borrowed for the call. */
struct workspace_result_call {
    const char *log_dir; /* the folder of the log, absolute */
    const char *uid;     /* of the run */
    const char *run;     /* its number, for words */
    const char *task;
    const char *const *needed; /* ids of the tasks that it needs, NULL-terminated; NULL = none */
    char *const *environment;  /* git's */
};

struct workspace_result;

/* Find what the task left. ERR_NOT_FOUND, with a hint, if it has no workspace here, or none any
 * more. The caller ends *out with workspace_result_close(). */
ATTR_MUST_USE bool workspace_result_open(struct workspace_result **out,
                                         const struct workspace_result_call *call, struct err *err);
/* Free; what is on the disk stays. NULL is allowed. */
void workspace_result_close(struct workspace_result *result);

/* Is the result where it was kept: its branch, its folder? Also true where git cannot say. */
bool workspace_result_is_there(const struct workspace_result *result);
/* Remove what is left of the workspace of a task whose result was kept; the result stays, and can
 * still be shown and applied. ERR_INVALID: there is nothing but the workspace. */
ATTR_MUST_USE bool workspace_result_trim(struct workspace_result *result, struct err *err);

/* One path that the task changed. Bytes of strangers. */
struct workspace_change {
    char kind;              /* 'A' added, 'M' changed, 'D' deleted, 'T' another type, 'X' mode */
    char *path;             /* owned by the list; relative to the user's tree */
    int64_t added, removed; /* lines; -1 = no text */
};

struct workspace_changes {
    struct workspace_change *items; /* owned */
    size_t count;
    struct str text;   /* a unified diff, as git apply(1) takes it (of a copy: for people) */
    bool is_result;    /* else the present workspace of a task that has not passed */
    char commit[65];   /* what the result is; "" = no commit */
    char base[65];     /* what it started from; likewise */
    struct str branch; /* that holds it; "" = none */
    struct str path;   /* the folder that holds it; "" = none */
    struct str origin; /* the user's tree */
    struct str why;    /* why the text is not all; "" if it is */
};
/* Free what it holds. */
void workspace_changes_done(struct workspace_changes *changes);

/* Everything that the task changed since it started; *out is the caller's,
 * workspace_changes_done(). ERR_NOT_FOUND: its branch or folder is gone; ERR_LIMIT: more than
 * RESULT_PATHS_MAX paths. */
ATTR_MUST_USE bool workspace_result_changes(struct workspace_result *result,
                                            struct workspace_changes *out, struct err *err);

enum workspace_apply { WORKSPACE_APPLY, WORKSPACE_APPLY_CHECK };

/* Bring the result into the user's tree: files only, no commit; index, branches and stash stay as
 * they are. All or nothing. ERR_INVALID, naming paths, where the user's tree has changes of its own
 * in them, or no longer fits; ERR_NOT_FOUND if there is no result. CHECK only looks. `changes` are
 * those of workspace_result_changes(). Where the user's tree has all of it already nothing is done:
 * true, and *was_there. */
ATTR_MUST_USE bool workspace_result_apply(struct workspace_result *result,
                                          const struct workspace_changes *changes,
                                          enum workspace_apply what, bool *was_there,
                                          struct err *err);

#endif
