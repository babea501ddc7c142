/*
 * tree_restore.h - restores a folder to what a manifest says, and verifies it.
 *
 * Trees may be hostile: links are not followed, and files with several names are not modified (one
 * may be a hard link to something outside) but created again. Any thread.
 */
#ifndef DEVS_TREE_RESTORE_H
#define DEVS_TREE_RESTORE_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "tree.h"
#include "tree_scan.h"

/* A source of file contents. */
struct tree_source {
    /* Opens the content of the entry for reading. The caller closes the descriptor. */
    bool (*open)(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err);
    void *ctx; /* borrowed */
};

struct tree_folder;
/* Returns a source that reads from the folder itself, which is borrowed as long as the source is
 * used. */
struct tree_source tree_source_of(struct tree_folder *folder);

struct tree_work {
    int64_t changed; /* paths that were corrected, not counting those with only a wrong time */
    int64_t written; /* bytes */
};

/* `now` is the current manifest of the folder, from tree_scan() and tree_hash(). Paths in
 * look->exclude stay. */
ATTR_MUST_USE bool tree_restore(const struct tree_look *look, const struct tree *now,
                                const struct tree *want, const struct tree_source *source,
                                struct tree_work *out, struct err *err);

/* Fails with ERR_IO, naming the first path that differs from the manifest, including mtimes. */
ATTR_MUST_USE bool tree_verify(const struct tree_look *look, const struct tree *now,
                               const struct tree *want, struct err *err);

/* Makes a folder a copy of another one. Shares contents if the file system can, keeps modes and
 * mtimes, and owners if we may give files away. Leaves out sockets and paths in from->exclude.
 * Removes everything in `to` that is not in `from`. Any thread. */
ATTR_MUST_USE bool tree_copy(const struct tree_look *from, const struct tree_look *to,
                             int64_t *files_out, struct err *err);

#endif
