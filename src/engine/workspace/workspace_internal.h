/*
 * workspace_internal.h - the internals of a workspace; for its own files only.
 */
#ifndef DEVS_WORKSPACE_INTERNAL_H
#define DEVS_WORKSPACE_INTERNAL_H

#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "attr.h"
#include "content_store.h"
#include "err.h"
#include "git.h"
#include "tree.h"
#include "tree_folder.h"
#include "workspace.h"
#include "workspace_result.h"

/* Where a workspace is that is not on this machine. */
struct ship {
    const struct plan_executor *executor; /* borrowed; NULL = the workspace is on this machine */
    char *wanted;                    /* owned; the host of the latest attempt; NULL = none yet */
    const char *control;             /* borrowed; of `wanted`: see struct remote_place */
    char *host;                      /* owned; the host that has the workspace; NULL = unknown */
    char *path;                      /* owned; the tree there, absolute; NULL = unknown */
    char base[WORKSPACE_COMMIT_MAX]; /* the commit that the task starts from; "" = not made yet */
};

struct workspace {
    struct workspace_spec spec; /* owned */
    struct ship ship;
    char *task, *run, *uid;    /* owned, like all pointers here */
    char *run_dir, *plan_path; /* see struct workspace_place */
    char *origin;              /* root of the user's tree */
    char *base;                /* the folder that contains all workspaces of the run */
    char *home;                /* base/TASK */
    char *tree;                /* home/tree, the root of the workspace */
    char *dir;                 /* the folder where calls run */
    char *admin; /* git's folder of this worktree; NULL until it is created, or for a copy */
    char **environment;
    char *const *variables; /* see workspace_set_variables() */
    char **needed;
    struct sandbox_spec setup_sandbox; /* see struct workspace_place */
    char *log_dir, *log_db;            /* see struct workspace_place; NULL = unknown */
    int64_t processes;
    struct git git; /* the repository of the user's tree; git.places is NULL if it is not open or
                       does not exist */
    bool looked_for_git;
    struct content_store store; /* store.fd is -1 if it is not open */
    struct tree known; /* the last manifest; with it, unchanged files need not be read again */
    struct tree known_admin;
};

static_assert((int)WORKSPACE_COMMIT_MAX == (int)GIT_COMMIT_MAX, "both hold an id of git");

/* A small JSON file on disk with facts about a workspace. Any thread. */

enum { WORKSPACE_ADMIN_MAX = 256, WORKSPACE_HOST_MAX = 256 };

/* Contents of TASK/made and TASK/kept. A plain value; "" for missing values. */
struct workspace_note {
    enum workspace_kind kind;
    char base[WORKSPACE_COMMIT_MAX];   /* the commit that the task started from */
    char admin[WORKSPACE_ADMIN_MAX];   /* name of the worktree in git's list */
    char branch[WORKSPACE_NAME_MAX];   /* branch with the result */
    char commit[WORKSPACE_COMMIT_MAX]; /* the commit of the branch */
    char host[WORKSPACE_HOST_MAX];     /* the host that has the tree; "" = this machine */
    char path[PATH_MAX];               /* the tree there */
};

/* Writes the note; replaces the file atomically. */
ATTR_MUST_USE bool workspace_note_write(const char *path, const struct workspace_note *note,
                                        struct err *err);
/* Reads a note. Fails with ERR_NOT_FOUND if there is no file, or with ERR_DAMAGED if it is not a
 * note. */
ATTR_MUST_USE bool workspace_note_read(const char *path, struct workspace_note *out,
                                       struct err *err);

/* The two folders in a snapshot. */
enum workspace_part { WORKSPACE_TREE, WORKSPACE_ADMIN };

/* Makes the path home/NAME. Fails with ERR_LIMIT if it does not fit. */
ATTR_MUST_USE bool workspace_path(const struct workspace *workspace, const char *name,
                                  char out[PATH_MAX], struct err *err);
/* Makes the path of the manifest file of a step's snapshot. */
ATTR_MUST_USE bool workspace_snapshot_path(const struct workspace *workspace, int step,
                                           enum workspace_part part, char out[PATH_MAX],
                                           struct err *err);

/* Opens the user's repository. If a copy has no repository, returns true and leaves git.places
 * NULL. */
ATTR_MUST_USE bool workspace_open_git(struct workspace *workspace, struct err *err);
/* Opens the content store that the workspaces of the run share. Succeeds if it is already open. */
ATTR_MUST_USE bool workspace_open_store(struct workspace *workspace, struct err *err);
/* Opens the root folder of the workspace; fails if a link has replaced it. */
ATTR_MUST_USE bool workspace_open_top(const struct workspace *workspace, int *fd_out,
                                      struct err *err);
/* Like workspace_open_top(), but if the root is missing or not a folder, replaces it with an empty
 * folder. */
ATTR_MUST_USE bool workspace_remake_top(const struct workspace *workspace, int *fd_out,
                                        struct err *err);

/* Returns the start code that describes the failure best. */
int workspace_start_code(const struct err *err, const atomic_bool *stop);

/* Scans and hashes a folder. Files that are unchanged since the earlier manifest `known` are not
 * read again; NULL = none. The caller frees *out, even if this fails. */
ATTR_MUST_USE bool workspace_read_tree(const struct tree_look *look, const struct tree *known,
                                       struct tree *out, struct err *err);

/* Returns the first path on which git would block forever, such as a FIFO called .gitignore; NULL
 * if there is none. */
const char *workspace_blocks_git(const struct tree *tree);

/* Stores the newest manifest, so that unchanged files need not be read again. Takes ownership of
 * *tree. */
void workspace_now_known(struct workspace *workspace, enum workspace_part part, struct tree *tree);

/* The open() function for a struct tree_source whose ctx is a content store. */
ATTR_MUST_USE bool workspace_open_content(void *ctx, const struct tree_entry *entry, int *fd_out,
                                          struct err *err);

/* The contents of a worktree as a git tree. */
struct workspace_content {
    char head[WORKSPACE_COMMIT_MAX]; /* the task's last commit, or the commit it started from */
    char tree[WORKSPACE_COMMIT_MAX];
    struct str left_out; /* nested repositories, one per line */
};
/* Where to store the contents. Both borrowed. */
struct workspace_target {
    const char *index;   /* our own index file, because the worktree's index cannot be trusted */
    const char *objects; /* folder for new objects; NULL = the private repository */
};
/* Reads all files that are not ignored, except nested repositories. `base` is the commit that the
 * task started from. */
ATTR_MUST_USE bool workspace_read_content(const struct workspace *workspace, const char *base,
                                          const struct workspace_target *target,
                                          const atomic_bool *stop, struct workspace_content *out,
                                          struct err *err);

/* Copies paths of the user's tree (workspace.copy) into the workspace. */
ATTR_MUST_USE bool workspace_bring(const struct workspace *workspace, const atomic_bool *stop,
                                   int64_t *files_out, struct err *err);
/* Creates the folder `to` and copies all of `from` into it, except the paths in `exclude`. */
ATTR_MUST_USE bool workspace_copy_tree(const char *from, const char *to, const char *const *exclude,
                                       const atomic_bool *stop, int64_t *files_out,
                                       struct err *err);
/* workspace_worktree.c */
ATTR_MUST_USE bool workspace_make_worktree(struct workspace *workspace, const atomic_bool *stop,
                                           struct workspace_note *note, int64_t *files_out,
                                           int *start_code, struct err *err);
/* Finds the commit from which a worktree on another machine starts, for note->base: HEAD, or the
 * merged results that the task needs, as workspace_make_worktree() would. Writes no worktree. */
ATTR_MUST_USE bool workspace_choose_base(struct workspace *workspace, const atomic_bool *stop,
                                         struct workspace_note *note, int *start_code,
                                         struct err *err);
/* Opens git's folder of the worktree; does not follow links. If `may_make`, creates a missing
 * folder. */
ATTR_MUST_USE bool workspace_open_admin(const struct workspace *workspace, bool may_make,
                                        int *fd_out, struct err *err);
/* Removes the worktree at the path `tree` from git's list. Does not need its files, which may be
 * missing or untrusted. */
ATTR_MUST_USE bool workspace_forget_worktree(const char *common, const char *tree, struct err *err);

/* workspace_ship.c: a workspace on another machine. Each function connects to its host by ssh. If
 * that fails, *start_code is START_EXECUTOR_DOWN or START_EXECUTOR_REFUSED. */

/* Makes the worktree on the wanted host, and completes the note. */
ATTR_MUST_USE bool ship_make(struct workspace *workspace, const atomic_bool *stop,
                             struct workspace_note *note, int *start_code, struct err *err);
/* Like workspace_save(). The snapshot stays there; here, only its git tree is known. */
ATTR_MUST_USE bool ship_save(struct workspace *workspace, int step, const atomic_bool *stop,
                             struct tree_facts *out, int *start_code, struct err *err);
/* Like workspace_reset(). The id of the git tree proves it. */
ATTR_MUST_USE bool ship_reset(struct workspace *workspace, int step, const atomic_bool *stop,
                              struct tree_facts *out, int *start_code, struct err *err);
/* Like workspace_hash(). */
ATTR_MUST_USE bool ship_look(struct workspace *workspace, const atomic_bool *stop,
                             struct tree_facts *out, struct err *err);
/* Like workspace_diff(), but without ignored files. */
ATTR_MUST_USE bool ship_diff(struct workspace *workspace, int step,
                             const struct diff_limits *limits, const atomic_bool *stop,
                             struct tree_diff *out, struct err *err);
/* Like workspace_read_content(): fetches the objects and checks them. A host that does not answer
 * is asked again for a while. */
ATTR_MUST_USE bool ship_read_content(struct workspace *workspace, const atomic_bool *stop,
                                     struct workspace_content *out, struct tree_facts *facts,
                                     struct err *err);
/* Removes the worktree and its snapshots. Does nothing if they were not made. */
ATTR_MUST_USE bool ship_drop(struct workspace *workspace, const atomic_bool *stop, struct err *err);
/* Takes over the host, the path and the base of a note. Fails with ERR_NOT_FOUND if it is that of a
 * workspace on this machine. */
ATTR_MUST_USE bool ship_take_note(struct workspace *workspace, const struct workspace_note *note,
                                  struct err *err);

/* How to name the branch of the result. */
enum workspace_naming { WORKSPACE_BY_NUMBER, WORKSPACE_BY_UID };
/* Makes a branch name: "devs/41/tax", or the same with the run's uid instead of its number. */
void workspace_branch_name(const struct workspace *workspace, enum workspace_naming naming,
                           char out[WORKSPACE_NAME_MAX]);

/* The internals of a task's result; for its own files only. */

struct workspace_result {
    struct workspace *workspace; /* owned; only its paths and its repository are set up */
    struct workspace_note note;
    bool is_kept;  /* the note describes a result, otherwise a workspace */
    char **needed; /* owned; ids of the tasks that the result is based on; NULL-terminated */
};

/* A copy's original and current manifests. */
struct result_copy {
    struct tree start, now;
    struct tree_look look; /* for `now`; owns the open folder */
};
/* Reads both manifests. The caller frees *out with result_copy_done(), even if this fails. */
ATTR_MUST_USE bool result_copy_read(const struct workspace_result *result, struct result_copy *out,
                                    struct err *err);
void result_copy_done(struct result_copy *copy);

/* Adds a hint to an error: apply the needed results first, or do `otherwise`. Returns false. */
bool result_needed_hint(const struct workspace_result *result, const char *otherwise,
                        struct err *err);
/* Lists the paths that differ between the worktree's base commit and the user's tree; each ends in
 * NUL. */
ATTR_MUST_USE bool result_list_own(const struct workspace_result *result, struct str *list,
                                   struct err *err);

/* Paths that are never applied: the repository, whose commits are available otherwise, and our own
 * files. NULL-terminated. */
extern const char *const result_left_out[];

#endif
