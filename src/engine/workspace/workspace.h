/*
 * workspace.h - the folder in which a task works, if not the user's own.
 *
 * One workspace is one task's. Every call blocks: for worker threads, one call on a workspace
 * at a time, in any order of threads. What is said on disk outlives us, so that a run that goes
 * on finds its workspaces again. Under `base` (0700):
 *
 *   .objects/           contents of files by their SHA-256, shared by the tasks of the run
 *   TASK/tree/          where the task works
 *   TASK/snapshots/N    the tree before the first attempt of step N
 *   TASK/start          the tree when it was made (copies only)
 *   TASK/made           what it started from; there once all of it was made
 *   TASK/kept           its result; this one stays when the workspace is dropped
 *   TASK/result/        the tree that passed (copies only)
 *
 * The user's tree, index, HEAD, stash and settings are never written.
 */
#ifndef DEVS_WORKSPACE_H
#define DEVS_WORKSPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "err.h"
#include "run_state.h"
#include "sandbox_spec.h"
#include "str.h"
#include "tree_diff.h"
#include "workspace_spec.h"

enum {
    WORKSPACE_NAME_MAX = 256,       /* of a branch, with its NUL */
    WORKSPACE_COMMIT_MAX = 65,      /* hex digits of a commit, with the NUL */
    WORKSPACE_SETUP_TAIL = 4 * 1024 /* bytes of what `setup` wrote that are kept */
};

/* What the workspaces of a run share. All borrowed for workspace_open(). */
struct workspace_place {
    const char *run_dir;      /* absolute */
    const char *plan_path;    /* absolute: the plan's file, read-only for `setup`; NULL: none */
    const char *base;         /* <folder of the log>/work/<uid>, absolute */
    const char *run;          /* "41": for the branch devs/RUN/TASK */
    const char *uid;          /* the branch where that one is taken */
    char *const *environment; /* NULL-terminated; of git (GIT_* left out) and of `setup` */

    /* Where `setup` runs; NULL or kind none: on this machine, outside any sandbox. */
    const struct sandbox_spec *setup_sandbox;
    const char *log_dir; /* hidden from the sandbox, as for an attempt */
    const char *log_db;  /* the log in it */
    int64_t processes;   /* the plan's limit; 0 = none */
};

struct workspace;

/* Names only; nothing is on disk yet. `needed`: what workspace_kept says of each task that is
 * needed and has a result (a branch, or the path of a folder), NULL-terminated; NULL = none.
 * ERR_INVALID for a kind that has no workspace (in place). */
ATTR_MUST_USE bool workspace_open(struct workspace **out, const struct workspace_place *place,
                                  const struct workspace_spec *spec, const char *task_id,
                                  const char *const *needed, struct err *err);
void workspace_close(struct workspace *workspace);

/* The top of the workspace: what may be written. */
const char *workspace_top(const struct workspace *workspace);
/* Where the run's folder is within it: the calls' folder. Both absolute. */
const char *workspace_dir(const struct workspace *workspace);

struct workspace_made {
    int64_t ms;                            /* in all */
    int64_t setup_ms;                      /* of them, `setup` */
    int64_t copied;                        /* files that `copy` brought along, or all of a copy */
    char base[WORKSPACE_COMMIT_MAX];       /* what it started from; "" for a copy */
    char branch[WORKSPACE_NAME_MAX];       /* where the result is to be; "" for a copy */
    bool was_there;                        /* made before by the same run: picked up as it is */
    char setup_tail[WORKSPACE_SETUP_TAIL]; /* what `setup` wrote at last; also on failure */
};

/* Can a worktree be made of the repository that holds `folder` (absolute)? ERR_NOT_FOUND or
 * ERR_INVALID, with a hint, if it is in none, or in one without a commit or with submodules. Takes
 * some milliseconds. */
ATTR_MUST_USE bool workspace_check_worktree(const char *folder, char *const *environment,
                                            struct err *err);

/* Make it, or pick up one that is there already. On failure *start_code is one of outcome.h's
 * start codes, or ECANCELED where *stop was set. `out` may be read on failure for setup_tail. */
ATTR_MUST_USE bool workspace_make(struct workspace *workspace, const atomic_bool *stop,
                                  struct workspace_made *out, int *start_code, struct err *err);

/* Was it made, by this devs or an earlier one, and is it there still? */
bool workspace_is_made(const struct workspace *workspace);

struct tree_facts {
    struct digest digest; /* of what git would see: neither mtimes, nor ignored files, nor .git */
    int64_t files, bytes; /* of the whole tree */
    int64_t ms;
    int64_t changed, written; /* a reset: paths put right, bytes written */
};

/* Is there a snapshot of that step? Then a retry resets, also after we died. */
bool workspace_has(const struct workspace *workspace, int step);
/* Keep the tree as it is, for workspace_reset(). */
ATTR_MUST_USE bool workspace_save(struct workspace *workspace, int step, const atomic_bool *stop,
                                  struct tree_facts *out, int *start_code, struct err *err);
/* Put the tree back as it was saved for that step: contents, types, modes, owners, mtimes, links.
 * Extended attributes are not looked at. Verified: true means that it is so. */
ATTR_MUST_USE bool workspace_reset(struct workspace *workspace, int step, const atomic_bool *stop,
                                   struct tree_facts *out, int *start_code, struct err *err);
/* What the tree is now; nothing is kept. */
ATTR_MUST_USE bool workspace_hash(struct workspace *workspace, const atomic_bool *stop,
                                  struct tree_facts *out, struct err *err);
/* What has changed since workspace_save() of that step. End *out with tree_diff_done(). */
ATTR_MUST_USE bool workspace_diff(struct workspace *workspace, int step,
                                  const struct diff_limits *limits, const atomic_bool *stop,
                                  struct tree_diff *out, struct err *err);

struct workspace_kept {
    bool is_branch;                    /* else a folder */
    char branch[WORKSPACE_NAME_MAX];   /* "devs/41/tax" */
    char commit[WORKSPACE_COMMIT_MAX]; /* what it points to */
    struct str path;                   /* the folder, of a copy */
    struct str left_out;               /* repositories within it: no part of it; one a line */
};
void workspace_kept_done(struct workspace_kept *kept);

/* Keep the result: a commit on a branch of its own, or a copy of the tree. Again by the same run
 * and task: the same branch. `title` is the first line of the commit's message. */
ATTR_MUST_USE bool workspace_keep(struct workspace *workspace, const char *title,
                                  const atomic_bool *stop, struct workspace_kept *out,
                                  struct err *err);
/* Remove it from disk and from git's list; what was kept stays. */
ATTR_MUST_USE bool workspace_drop(struct workspace *workspace, struct err *err);

/*
 * The workspaces of a run's tasks, each opened when it is first wanted.
 *
 * The set belongs to the loop's thread; only the jobs of a task use what its slot points to.
 */

/* All borrowed until workspace_set_done(). */
struct workspace_set_call {
    const struct run_state *state;
    const struct plan *plan; /* as called: no secret of `setup` is cut */
    const char *run_mark;    /* "DEVS_RUN=...": whoever goes on with the run finds what is left */
    const char *run_dir;
    const char *plan_path;    /* as in struct workspace_place */
    const char *log_dir;      /* workspaces are below it */
    const char *log_db;       /* the log in it */
    const char *uid;          /* of the run */
    int64_t number;           /* likewise */
    char *const *environment; /* of git and of `setup` */
};

/* One task's. */
struct workspace_slot {
    struct workspace *workspace; /* owned; NULL: not wanted yet */
    bool is_made;                /* by this engine, or picked up by it: the jobs' */
};

struct workspace_set {
    struct workspace_set_call call;
    struct workspace_slot *slots; /* owned; by task */
    int slot_count;               /* tasks that are added later work in place */
    char **environment;           /* owned array of borrowed texts */
    struct str base;              /* the run's folder for workspaces */
    char run[24];                 /* the number as text */
};

/* A place for each task of the plan, none made yet; *call is copied, what it points to borrowed. */
void workspace_set_init(struct workspace_set *set, const struct workspace_set_call *call);
void workspace_set_done(struct workspace_set *set);

/* The task's, which starts from the results of what it needs. Only for tasks that do not work
 * in place. False: it can have none. */
ATTR_MUST_USE bool workspace_set_get(struct workspace_set *set, int task,
                                     struct workspace_slot **out, struct err *err);

/* The same where it is open already, else NULL. */
struct workspace_slot *workspace_set_find(const struct workspace_set *set, int task);

#endif
