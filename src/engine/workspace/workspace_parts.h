/*
 * workspace_parts.h - a workspace from the inside; for its own files only.
 */
#ifndef DEVS_WORKSPACE_PARTS_H
#define DEVS_WORKSPACE_PARTS_H

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
#include "tree_restore.h"
#include "tree_scan.h"
#include "workspace.h"
#include "workspace_result.h"

struct workspace {
    struct workspace_spec spec; /* owned */
    char *task, *run, *uid;     /* owned, as all here */
    char *run_dir, *plan_path;  /* as in struct workspace_place */
    char *origin;               /* the top of the user's tree */
    char *base;                 /* of all workspaces of the run */
    char *home;                 /* base/TASK */
    char *tree;                 /* home/tree: the top of the workspace */
    char *dir;                  /* the calls' folder */
    char *admin; /* git's folder of this worktree; NULL until it is made, or a copy */
    char **environment;
    char **needed;
    struct sandbox_spec setup_sandbox; /* as in struct workspace_place */
    char *log_dir, *log_db;            /* NULL = not given */
    int64_t processes;
    struct git git; /* of the user's tree; git.places NULL = not opened, or there is none */
    bool looked_for_git;
    struct content_store store; /* fd -1 = not opened */
    struct tree known;          /* what was found last: spares reading */
    struct tree known_admin;
};

static_assert((int)WORKSPACE_COMMIT_MAX == (int)GIT_COMMIT_MAX, "both hold an id of git");

/* The note that a workspace keeps of itself on disk: a small file with JSON. Any thread. */

enum { WORKSPACE_ADMIN_MAX = 256 };

/* TASK/made and TASK/kept. A plain value; "" for what is not said. */
struct workspace_note {
    enum workspace_kind kind;
    char base[WORKSPACE_COMMIT_MAX];   /* what it started from */
    char admin[WORKSPACE_ADMIN_MAX];   /* its name in git's list of worktrees */
    char branch[WORKSPACE_NAME_MAX];   /* the result */
    char commit[WORKSPACE_COMMIT_MAX]; /* what the branch points to */
};

/* Replaces the file: it is written as a whole or stays as it was. */
ATTR_MUST_USE bool workspace_note_write(const char *path, const struct workspace_note *note,
                                        struct err *err);
/* ERR_NOT_FOUND if there is no file, ERR_DAMAGED if it is not a note. */
ATTR_MUST_USE bool workspace_note_read(const char *path, struct workspace_note *out,
                                       struct err *err);

/* One of the two folders that a snapshot is made of. */
enum workspace_part { WORKSPACE_TREE, WORKSPACE_ADMIN };

/* home/NAME; ERR_LIMIT if it does not fit. */
ATTR_MUST_USE bool workspace_path(const struct workspace *workspace, const char *name,
                                  char out[PATH_MAX], struct err *err);
/* The file that holds the snapshot of a step. */
ATTR_MUST_USE bool workspace_snapshot_path(const struct workspace *workspace, int step,
                                           enum workspace_part part, char out[PATH_MAX],
                                           struct err *err);

/* Open the user's repository. A copy may do without: true, and git.places is NULL. */
ATTR_MUST_USE bool workspace_open_git(struct workspace *workspace, struct err *err);
/* Open the store of contents of this run, which its workspaces share; open already: true. */
ATTR_MUST_USE bool workspace_open_store(struct workspace *workspace, struct err *err);
/* The folder that is the top of the workspace, never a link in its place. */
ATTR_MUST_USE bool workspace_open_top(const struct workspace *workspace, int *fd_out,
                                      struct err *err);
/* The same, and where it is gone, or is no folder: an empty one. */
ATTR_MUST_USE bool workspace_remake_top(const struct workspace *workspace, int *fd_out,
                                        struct err *err);

/* Which start code says best why it failed. */
int workspace_start_code(const struct err *err, const atomic_bool *stop);

/* What git ignores in the workspace, as tree_digest() wants it: the array is the caller's, the
 * texts are in *list. Where git cannot say, nothing. */
char **workspace_ignored(const struct workspace *workspace, const struct tree *tree,
                         const atomic_bool *stop, struct str *list);

/* The first path that would make git wait for ever: a FIFO called .gitignore, say. NULL: none. */
const char *workspace_blocks_git(const struct tree *tree);

/* The newest manifest is the one that spares reading. Takes *tree. */
void workspace_now_known(struct workspace *workspace, enum workspace_part part, struct tree *tree);

/* For a struct tree_source whose ctx is a content store. */
ATTR_MUST_USE bool workspace_open_content(void *ctx, const struct tree_entry *entry, int *fd_out,
                                          struct err *err);

/* What the worktree holds, as a tree of git's. */
struct workspace_content {
    char head[WORKSPACE_COMMIT_MAX]; /* the task's last commit, or what it started from */
    char tree[WORKSPACE_COMMIT_MAX];
    struct str left_out; /* repositories within, one a line */
};
/* Where it is put. Both borrowed. */
struct workspace_target {
    const char *index;   /* a file of one's own: that of the worktree may say anything */
    const char *objects; /* where new objects go; NULL: into the private repository */
};
/* Reads all that is not ignored, but no repository within the tree. `base` is the commit that the
 * task started from. */
ATTR_MUST_USE bool workspace_read_content(const struct workspace *workspace, const char *base,
                                          const struct workspace_target *target,
                                          const atomic_bool *stop, struct workspace_content *out,
                                          struct err *err);

/* Copies paths of the user's tree (workspace.copy) into the workspace. */
ATTR_MUST_USE bool workspace_bring(const struct workspace *workspace, const atomic_bool *stop,
                                   int64_t *files_out, struct err *err);
/* Makes the folder `to` and copies all of `from` into it, except the paths in `exclude`. */
ATTR_MUST_USE bool workspace_copy_tree(const char *from, const char *to, const char *const *exclude,
                                       const atomic_bool *stop, int64_t *files_out,
                                       struct err *err);
/* workspace_worktree.c */
ATTR_MUST_USE bool workspace_make_worktree(struct workspace *workspace, const atomic_bool *stop,
                                           struct workspace_note *note, int64_t *files_out,
                                           int *start_code, struct err *err);
/* Opens git's folder of the worktree, never through a link; `may_make` makes one that is gone. */
ATTR_MUST_USE bool workspace_open_admin(const struct workspace *workspace, bool may_make,
                                        int *fd_out, struct err *err);
/* Take the worktree from git's list: by its folder, for its files are gone or not to be trusted. */
ATTR_MUST_USE bool workspace_forget_worktree(const char *common, const char *tree, struct err *err);

/* The branch of the result, whatever the task is called. */
enum workspace_naming { WORKSPACE_BY_NUMBER, WORKSPACE_BY_UID };
/* "devs/41/tax", or with the run's uid in place of its number. */
void workspace_branch_name(const struct workspace *workspace, enum workspace_naming naming,
                           char out[WORKSPACE_NAME_MAX]);
/* Writes home/start: the state of the copy before anything has run in it. */
ATTR_MUST_USE bool workspace_note_start(struct workspace *workspace, const atomic_bool *stop,
                                        struct err *err);

/* The result of a task from the inside; for its own files only. */

struct workspace_result {
    struct workspace *workspace; /* owned; its names only, its repository opened */
    struct workspace_note note;
    bool is_kept;  /* the note is that of a result, else that of a workspace */
    char **needed; /* owned: ids of the tasks that it stands on; NULL-terminated */
};

/* What a copy was when it was made, and what it is. */
struct result_copy {
    struct tree start, now;
    struct tree_look look; /* at what it is; the folder is open */
};
/* End it with result_copy_done(), also where this failed. */
ATTR_MUST_USE bool result_copy_read(const struct workspace_result *result, struct result_copy *out,
                                    struct err *err);
void result_copy_done(struct result_copy *copy);

/* Adds the hint to an error: apply the needed results first, or `otherwise`. Returns false. */
bool result_needed_hint(const struct workspace_result *result, const char *otherwise,
                        struct err *err);
/* The paths of the commit that a worktree started from that are otherwise in the user's tree; each
 * ends in NUL. */
ATTR_MUST_USE bool result_list_own(const struct workspace_result *result, struct str *list,
                                   struct err *err);

/* Paths that are never applied: the repository, whose commits can be reached otherwise, and what is
 * ours. NULL-terminated. */
extern const char *const result_left_out[];

#endif
