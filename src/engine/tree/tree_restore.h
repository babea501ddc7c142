/*
 * tree_restore.h - make a folder what a manifest says, and look whether it is.
 *
 * Hostile trees: nothing is followed, no file that has other names is written to or changed
 * (it may be a hard link to something outside), what is to be different is made anew. Any thread.
 */
#ifndef DEVS_TREE_RESTORE_H
#define DEVS_TREE_RESTORE_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "tree.h"
#include "tree_scan.h"

/* Where contents come from. */
struct tree_source {
    /* A descriptor to read the entry's content from; the caller closes it. */
    bool (*open)(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err);
    void *ctx; /* borrowed */
};

struct tree_folder;
/* The folder itself is where they come from. It is borrowed for as long as the source is used. */
struct tree_source tree_source_of(struct tree_folder *folder);

struct tree_work {
    int64_t changed; /* paths that were put right; times alone do not count */
    int64_t written; /* bytes */
};

/* `now` is what tree_scan() and tree_hash() say of the folder. What look->exclude names stays. */
ATTR_MUST_USE bool tree_restore(const struct tree_look *look, const struct tree *now,
                                const struct tree *want, const struct tree_source *source,
                                struct tree_work *out, struct err *err);

/* ERR_IO naming the first path where the folder is not what the manifest says, mtimes too. */
ATTR_MUST_USE bool tree_verify(const struct tree_look *look, const struct tree *now,
                               const struct tree *want, struct err *err);

/* Copies all of a folder into another one: contents are shared where the file system can, modes and
 * mtimes kept, owners where we may give files away; sockets are left out. Any thread. What
 * from->exclude names is left out. What is in `to` and not in `from` is removed. */
ATTR_MUST_USE bool tree_copy(const struct tree_look *from, const struct tree_look *to,
                             int64_t *files_out, struct err *err);

#endif
