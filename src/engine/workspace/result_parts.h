/*
 * result_parts.h - the result of a task from the inside; for its own files only.
 */
#ifndef DEVS_RESULT_PARTS_H
#define DEVS_RESULT_PARTS_H

#include "attr.h"
#include "err.h"
#include "tree.h"
#include "tree_folder.h"
#include "tree_restore.h"
#include "tree_scan.h"
#include "workspace_note.h"
#include "workspace_parts.h"
#include "workspace_result.h"

struct workspace_result {
    struct workspace *workspace; /* owned; its names only, its repository opened */
    struct workspace_note note;
    bool is_kept;  /* the note is that of a result, else that of a workspace */
    char **needed; /* owned: ids of the tasks that it stands on; NULL-terminated */
};

/* Two trees of git. */
struct result_trees {
    const char *from, *to;
    const char *objects; /* where some of them are, beside the repository; NULL = nowhere else */
};

/* result_copy.c: what a copy was when it was made, and what it is. */
struct result_copy {
    struct tree start, now;
    struct tree_look look; /* at what it is; the folder is open */
};
/* End it with result_copy_done(), also where this failed. */
ATTR_MUST_USE bool result_copy_read(const struct workspace_result *result, struct result_copy *out,
                                    struct err *err);
void result_copy_done(struct result_copy *copy);
/* Add to *out what such a result changes, and where it is kept. */
ATTR_MUST_USE bool result_copy_compare(const struct workspace_result *result,
                                       struct workspace_changes *out, struct err *err);

/* result_needed.c: the results that this one stands on. */
void result_needed_take(struct workspace_result *result, const char *const *needed);
void result_needed_done(struct workspace_result *result);
/* The hint of an error: apply these first, or what else one may do. Returns false. */
bool result_needed_hint(const struct workspace_result *result, const char *otherwise,
                        struct err *err);
/* What a copy was made of, as far as it is still there: in the user's tree, or in the results of
 * the tasks that were needed. */
struct result_originals {
    const struct workspace_result *result;
    struct tree_folder origin; /* of the user's tree */
};
/* For a struct tree_source whose ctx is one of those. */
ATTR_MUST_USE bool result_open_original(void *ctx, const struct tree_entry *entry, int *fd_out,
                                        struct err *err);
/* The paths of the commit that a worktree started from that are otherwise in the user's tree; each
 * ends in NUL. */
ATTR_MUST_USE bool result_list_own(const struct workspace_result *result, struct str *list,
                                   struct err *err);

/* result_backup.c: the state of some paths of the user's tree, for when bringing fails. */
struct result_backup {
    char folder[PATH_MAX];
    struct content_store store;
    struct tree before;
    struct tree_look look;                   /* at the user's tree; borrowed descriptor */
    const struct workspace_changes *changes; /* borrowed */
};
/* Keep the paths that `changes` name; the rest of the tree is not looked at. End *out with
 * result_backup_done(), also where this failed. */
ATTR_MUST_USE bool result_backup_take(const struct workspace_result *result, int origin_fd,
                                      const struct workspace_changes *changes,
                                      struct result_backup *out, struct err *err);
/* Put the paths back as they were. */
ATTR_MUST_USE bool result_backup_return(struct result_backup *backup, struct err *err);
void result_backup_done(struct result_backup *backup);

/* The repository is no part of what is brought home: its commits are reached otherwise. */
extern const char *const result_left_out[];
/* result_apply_copy.c */
ATTR_MUST_USE bool result_apply_copy(const struct workspace_result *result, int origin_fd,
                                     const struct workspace_changes *changes,
                                     enum workspace_apply what, bool *was_there, struct err *err);

#endif
