/*
 * session_tree.h - one shared folder for all calls of a session that do not work in the user's
 * tree: a git worktree or a copy, made before the run and used as the run's folder.
 *
 * It is in <folder of the log>/sessions/ID. Calls work in it side by side, so it is not restored
 * between them. Every function blocks. One thread at a time.
 */
#ifndef DEVS_SESSION_TREE_H
#define DEVS_SESSION_TREE_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"
#include "workspace_spec.h"

struct session_tree;

/* All borrowed for session_tree_make(); the environment is borrowed until session_tree_close(). */
struct session_tree_call {
    const struct workspace_spec *spec; /* a worktree or a copy */
    const char *run_dir;               /* the user's folder, absolute */
    const char *log_dir;               /* absolute */
    const char *log_db;                /* the log database in log_dir */
    const struct sandbox_spec
        *sandbox;             /* sandbox of the session's calls; `setup` also runs in it */
    int64_t processes;        /* the plan's limit; 0 = none */
    uint64_t seed;            /* the session's ID is derived from it */
    char *const *environment; /* environment of git and `setup` */
};

/* Creates the tree and runs `setup` in it. On failure nothing is left behind, and *err has the
 * output of git or `setup`. The caller ends *out with session_tree_close(). */
ATTR_MUST_USE bool session_tree_make(struct session_tree **out,
                                     const struct session_tree_call *call, struct err *err);

/* Returns the absolute path of the folder that is used in place of the user's. */
const char *session_tree_dir(const struct session_tree *tree);

/* Keeps the changes as a commit on a branch, or as a folder. Appends its location to *where, e.g.
 * "branch devs/mcp-.../session". `title` is the first line of the commit message. Nothing may be
 * running in the tree any more. */
ATTR_MUST_USE bool session_tree_keep(struct session_tree *tree, const char *title,
                                     struct str *where, struct err *err);

/* Removes the tree from disk, unless its changes could not be kept. Kept results stay. `tree` may
 * be NULL. */
void session_tree_close(struct session_tree *tree);

#endif
