/* workspace.h - the folder in which a task works, unless it works in the user's own folder.
 *
 * Each task has its own workspace. All functions block, so use worker threads; one call at a time
 * for each workspace, from any thread. The files on disk survive devs, so that a resumed run finds
 * its workspaces again. Under `base` (0700):
 *
 *   .objects/           file contents by their SHA-256, shared by the tasks of the run
 *   TASK/tree/          the folder where the task works
 *   TASK/snapshots/N    the tree before the first attempt of step N
 *   TASK/start          the tree when it was created (copies only)
 *   TASK/made           how it was made; written last, when everything else exists
 *   TASK/kept           its result; stays when the workspace is dropped
 *   TASK/result/        the tree of the task that passed (copies only)
 *
 * A task on another machine without a shared folder has its tree and its snapshots there. Then
 * TASK/made names the host and the path, TASK/snapshots/N has only the id of the git tree, and
 * TASK/ready names the attempt for which the tree was prepared last.
 *
 * The user's tree, index, HEAD, stash and settings are never written. */
#ifndef DEVS_WORKSPACE_H
#define DEVS_WORKSPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "err.h"
#include "run_state.h"
#include "str.h"
#include "tree.h"
#include "workspace_spec.h"

enum {
    WORKSPACE_NAME_MAX = 256,        /* size of a branch name, including the NUL */
    WORKSPACE_COMMIT_MAX = 65,       /* size of a commit id in hex, including the NUL */
    WORKSPACE_SETUP_TAIL = 4 * 1024, /* how many of the last bytes of setup's output are kept */
    /* Limits of a result that another machine sends. */
    WORKSPACE_BUNDLE_BYTES_MAX = 256 * 1024 * 1024, /* compressed */
    WORKSPACE_RESULT_OBJECTS_MAX = 1000 * 1000,     /* git objects, of all its commits */
    WORKSPACE_RESULT_PATHS_MAX = 250 * 1000,        /* changed paths */
    WORKSPACE_RESULT_MIB_MAX = 4096,                /* MiB of all changed files together */
};

/* The settings that the workspaces of a run share. All borrowed for workspace_open(). */
struct workspace_place {
    const char *run_dir;      /* absolute */
    const char *plan_path;    /* absolute path of the plan file, read-only for `setup`; NULL =
                                 none */
    const char *base;         /* <folder of the log>/work/<uid>, absolute */
    const char *run;          /* run number as text, "41", for the branch devs/RUN/TASK */
    const char *uid;          /* used in the branch name if that name already exists */
    char *const *environment; /* NULL-terminated; for git (without GIT_*) and for `setup` */

    /* The sandbox for `setup`. NULL or kind none: runs on this machine, outside any sandbox. */
    const struct sandbox_spec *setup_sandbox;
    const char *log_dir; /* hidden from `setup` as from an attempt */
    const char *log_db;  /* the log database in log_dir */
    int64_t processes;   /* the plan's limit for processes; 0 = none */

    /* Not NULL: the workspace is on a host of this executor, which has no shared folder. Borrowed
     * until workspace_close(). */
    const struct plan_executor *executor;
};

struct workspace;
struct plan_executor;

/* Sets up a workspace, but creates nothing on disk. `needed` contains the result of each needed
 * task that has one (a branch, or the path of a folder; see workspace_kept); NULL-terminated, NULL
 * = none. Fails with ERR_INVALID for a kind without a workspace (in place). */
ATTR_MUST_USE bool workspace_open(struct workspace **out, const struct workspace_place *place,
                                  const struct workspace_spec *spec, const char *task_id,
                                  const char *const *needed, struct err *err);
void workspace_close(struct workspace *workspace);

/* Returns the root of the workspace, the writable tree. */
const char *workspace_top(const struct workspace *workspace);
/* Returns the folder where calls run: the folder in the workspace that corresponds to the run's
 * folder. Both absolute. */
const char *workspace_dir(const struct workspace *workspace);

/* Returns whether the workspace is on another machine. Then workspace_top() is a folder of this
 * machine without the tree. */
bool workspace_is_away(const struct workspace *workspace);
/* Sets the host on which the attempt runs; NULL = as before. Copies the name. `control` is that of
 * struct remote_place for the host, borrowed until workspace_close(). */
void workspace_set_host(struct workspace *workspace, const char *host, const char *control);
/* Sets further variables for `setup`, borrowed until workspace_make() returns; NULL = none. */
void workspace_set_variables(struct workspace *workspace, char *const *entries);
/* Returns whether the workspace was made on another host than that of the next attempt. */
bool workspace_is_elsewhere(struct workspace *workspace);
/* For a workspace on another machine: remembers on disk that it was prepared for this attempt,
 * which may be sent there from now on. */
ATTR_MUST_USE bool workspace_set_ready(const struct workspace *workspace, int step, int attempt,
                                       struct err *err);
/* Returns whether the attempt may have been sent: workspace_set_ready() was called for it, or the
 * workspace is on this machine. */
bool workspace_is_ready(const struct workspace *workspace, int step, int attempt);
/* Appends the folder on the other machine that corresponds to the run's folder. Returns false if
 * the workspace is not on another machine, or was not made yet. */
ATTR_MUST_USE bool workspace_away_dir(const struct workspace *workspace, struct str *out);
/* Appends where the tree is, for people: a path, or "HOST:PATH". */
void workspace_where(const struct workspace *workspace, struct str *out);

struct workspace_made {
    int64_t ms;       /* total time, in ms */
    int64_t setup_ms; /* time of `setup`, included in `ms` */
    int64_t copied;   /* number of files that `copy` added, or of all files of a copy */
    char base[WORKSPACE_COMMIT_MAX]; /* the commit that the task starts from; "" for a copy */
    char branch[WORKSPACE_NAME_MAX]; /* the branch for the result; "" for a copy */
    bool was_there; /* the workspace was created earlier by this run, and is used unchanged */
    char setup_tail[WORKSPACE_SETUP_TAIL]; /* end of the output of `setup`; set on failure, too */
};

/* Checks whether the repository that contains `folder` (absolute) can have a worktree. Fails with
 * ERR_NOT_FOUND or ERR_INVALID and a hint if there is no repository, or if it has no commit or has
 * submodules. Takes a few milliseconds. */
ATTR_MUST_USE bool workspace_check_worktree(const char *folder, char *const *environment,
                                            struct err *err);

/* Creates the workspace, or uses the existing one. On failure, sets *start_code to a start code of
 * outcome.h, or to ECANCELED if *stop was set; sets out->setup_tail even then. */
ATTR_MUST_USE bool workspace_make(struct workspace *workspace, const atomic_bool *stop,
                                  struct workspace_made *out, int *start_code, struct err *err);

/* Returns whether this or an earlier devs process has created the workspace and it still exists. */
bool workspace_is_made(const struct workspace *workspace);

struct tree_facts {
    struct digest digest; /* digest of the contents that git would see: without mtimes, ignored
                             files and .git */
    int64_t files, bytes; /* number and total size of all files */
    int64_t ms;
    int64_t changed, written; /* set by a reset: number of corrected paths, bytes written */
};

/* Returns whether there is a snapshot of that step. If so, a retry resets the tree to it, even in a
 * resumed run. */
bool workspace_has(const struct workspace *workspace, int step);
/* Saves the tree as the snapshot of a step, for workspace_reset(). */
ATTR_MUST_USE bool workspace_save(struct workspace *workspace, int step, const atomic_bool *stop,
                                  struct tree_facts *out, int *start_code, struct err *err);
/* Resets the tree to the snapshot of the step: contents, types, modes, owners, mtimes, links.
 * Ignores extended attributes. Verifies the tree before it returns true. */
ATTR_MUST_USE bool workspace_reset(struct workspace *workspace, int step, const atomic_bool *stop,
                                   struct tree_facts *out, int *start_code, struct err *err);
/* Scans the current tree; saves nothing. */
ATTR_MUST_USE bool workspace_hash(struct workspace *workspace, const atomic_bool *stop,
                                  struct tree_facts *out, struct err *err);
/* Compares the tree with the snapshot of the step. The caller frees *out with tree_diff_done(). */
ATTR_MUST_USE bool workspace_diff(struct workspace *workspace, int step,
                                  const struct diff_limits *limits, const atomic_bool *stop,
                                  struct tree_diff *out, struct err *err);

struct workspace_kept {
    bool is_branch;                    /* the result is a branch; otherwise a folder */
    char branch[WORKSPACE_NAME_MAX];   /* "devs/41/tax" */
    char commit[WORKSPACE_COMMIT_MAX]; /* the commit of the branch */
    struct str path;                   /* the folder, if the result is a copy */
    struct str left_out; /* nested repositories, which are not part of the result; one per line */
    bool has_tree;       /* the tree was scanned, too */
    struct tree_facts tree;
};
void workspace_kept_done(struct workspace_kept *kept);

/* Keeps the result as a commit on a branch of its own, or as a copy of the tree. If called again
 * for the same run and task, updates the same branch. `title` is the first line of the commit
 * message. */
ATTR_MUST_USE bool workspace_keep(struct workspace *workspace, const char *title,
                                  const atomic_bool *stop, struct workspace_kept *out,
                                  struct err *err);
/* Removes the workspace from disk and from git's list of worktrees. Keeps its result. `stop` may be
 * NULL. */
ATTR_MUST_USE bool workspace_drop(struct workspace *workspace, const atomic_bool *stop,
                                  struct err *err);

/* The workspaces of a run's tasks, each opened when it is first needed.
 *
 * Thread: engine, but the jobs of a task use its slot, too. */

/* All borrowed until workspace_set_done(). */
struct workspace_set_call {
    const struct run_state *state;
    const struct plan *plan; /* with the commands to run: secrets of `setup` are not redacted */
    const char *run_mark;    /* "DEVS_RUN=...", so that a resumed run finds leftover processes */
    const char *run_dir;
    const char *plan_path;    /* see struct workspace_place */
    const char *log_dir;      /* the folder that contains the workspaces */
    const char *log_db;       /* the log database in log_dir */
    const char *uid;          /* the run's uid */
    int64_t number;           /* the run's number */
    char *const *environment; /* for git and `setup` */
};

/* The workspace of one task. */
struct workspace_slot {
    struct workspace *workspace; /* owned; NULL = not needed yet */
    bool is_made;                /* created or found by this engine; used by jobs only */
};

struct workspace_set {
    struct workspace_set_call call;
    struct workspace_slot *slots; /* owned; indexed by task */
    int slot_count;               /* tasks that are added later work in place and have no slot */
    char **environment;           /* owned array of borrowed strings */
    struct str base;              /* the folder that contains the run's workspaces */
    char run[24];                 /* the run's number as text */
};

/* Makes an empty slot for each task of the plan. Copies *call, and borrows what it points to. */
void workspace_set_init(struct workspace_set *set, const struct workspace_set_call *call);
void workspace_set_done(struct workspace_set *set);

/* Returns the slot of a task with its workspace opened. The workspace starts from the results of
 * the tasks that it needs. Only for tasks that do not work in place. Fails if the workspace cannot
 * be opened. */
ATTR_MUST_USE bool workspace_set_get(struct workspace_set *set, int task,
                                     struct workspace_slot **out, struct err *err);

/* Returns the slot of a task if its workspace is open; otherwise NULL. */
struct workspace_slot *workspace_set_find(const struct workspace_set *set, int task);

#endif
