/*
 * workspace_stage.h - what the tests of workspaces share: a repository of a user, a place for
 * workspaces, and what other programs say of a tree.
 */
#ifndef DEVS_WORKSPACE_STAGE_H
#define DEVS_WORKSPACE_STAGE_H

#include <limits.h>
#include <stddef.h>

#include "workspace.h"

enum { STAGE_TEXT_MAX = 64 * 1024 };

struct stage {
    char dir[PATH_MAX - 512];     /* all of it is in here */
    char repo[PATH_MAX - 256];    /* the user's tree */
    char base[PATH_MAX - 128];    /* of the workspaces: repo/.devs/work/uid */
    char log_dir[PATH_MAX - 128]; /* of the run: repo/.devs */
    char outside[PATH_MAX - 256]; /* a folder that nobody may touch */
    char outside_is[128];         /* what stage_print() said of it */
    char user_is[512];            /* what stage_user() said */
    struct workspace_spec spec;
    struct workspace_place place;
};

/* Makes what stage_open() copies: an unchecked fixture, which runs once, before the cases fork. */
void stage_prepare(void);

/* A repository with two commits, ignored and uncommitted files, links, odd names and modes. The
 * arrays of `spec` are borrowed: a case may let them point to its own. */
void stage_open(struct stage *stage, const char *dir, enum workspace_kind kind);
/* The user's tree, index, branches and what is outside are as they were. */
void stage_check(const struct stage *stage);

/* Run a script of sh in a folder; it has to succeed. What it writes, but the last line feed, is in
 * `out`, which may be NULL. */
void stage_sh(const char *dir, const char *script, char *out, size_t cap);

/* A hash of all that find(1) and sha256sum(1) can tell of a tree: names, types, modes, owners,
 * sizes, mtimes, links, contents. */
void stage_print(const char *dir, char out[128]);

/* A new workspace of the task, opened. */
struct workspace *stage_workspace(const struct stage *stage, const char *task,
                                  const char *const *needed);
/* The same, made and saved before its step 0. */
struct workspace *stage_saved(const struct stage *stage, const char *task);

/* These have to succeed. */
void stage_make(struct workspace *workspace, struct workspace_made *out);
void stage_save(struct workspace *workspace, int step, struct tree_facts *out);
void stage_reset(struct workspace *workspace, int step, struct tree_facts *out);
void stage_keep(struct workspace *workspace, struct workspace_kept *out);

#endif
