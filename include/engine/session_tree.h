/*
 * session_tree.h - one folder for all calls of a session that do not work in the user's tree: a
 * worktree of git, or a copy, made before the run and used as the run's folder.
 *
 * It lies in <folder of the log>/sessions/ID. Its calls work in it side by side, so nothing is
 * put back between them. Every call blocks; one thread at a time.
 */
#ifndef DEVS_SESSION_TREE_H
#define DEVS_SESSION_TREE_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "sandbox_spec.h"
#include "str.h"
#include "workspace_spec.h"

struct session_tree;

/* All borrowed for session_tree_make(), the environment until session_tree_close(). */
struct session_tree_call {
    const struct workspace_spec *spec;  /* a worktree or a copy */
    const char *run_dir;                /* absolute; the user's */
    const char *log_dir;                /* absolute */
    const char *log_db;                 /* the log in it */
    const struct sandbox_spec *sandbox; /* of the session's calls: `setup` runs in it, too */
    int64_t processes;                  /* the plan's limit; 0 = none */
    uint64_t seed;                      /* makes the ID */
    char *const *environment;           /* of git and of `setup` */
};

/* Make it; `setup` has run when this returns. On failure nothing of it is left, and *err says what
 * git or `setup` said. The caller ends *out with session_tree_close(). */
ATTR_MUST_USE bool session_tree_make(struct session_tree **out,
                                     const struct session_tree_call *call, struct err *err);

/* The folder that stands for the user's; absolute. */
const char *session_tree_dir(const struct session_tree *tree);

/* Keep what was made: a commit on a branch, or a folder. Appends where it is: "branch
 * devs/mcp-.../session". `title` is the commit's first line. Nothing runs in the tree any more. */
ATTR_MUST_USE bool session_tree_keep(struct session_tree *tree, const char *title,
                                     struct str *where, struct err *err);

/* Remove the tree from disk, unless what was made in it could not be kept; what was kept stays.
 * NULL is allowed. */
void session_tree_close(struct session_tree *tree);

#endif
