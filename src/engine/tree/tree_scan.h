/*
 * tree_scan.h - makes the manifest of an existing folder.
 *
 * tree_scan() reads names, modes and times, then tree_hash() reads the contents; files that an
 * older manifest knows are not read again. Any thread.
 */
#ifndef DEVS_TREE_SCAN_H
#define DEVS_TREE_SCAN_H

#include <stdatomic.h>
#include <stdbool.h>

#include "attr.h"
#include "content_store.h"
#include "err.h"
#include "tree.h"

/* All borrowed. */
struct tree_look {
    int top_fd;                 /* the folder */
    const char *const *exclude; /* paths to skip; NULL-terminated; NULL = none */
    const atomic_bool *stop;    /* fails with ERR_BUSY when set; NULL = none */
};

/* Lists everything in the folder, without contents. If folders of ours lack permissions, grants
 * them; end with tree_shut() or tree_restore(). Fails with ERR_LIMIT beyond TREE_ENTRIES_MAX or
 * TREE_DEPTH_MAX. */
ATTR_MUST_USE bool tree_scan(const struct tree_look *look, struct tree *out, struct err *err);

/* Restores the modes of folders that tree_scan() changed. */
void tree_shut(int top_fd, const struct tree *tree);

/* Fills in the hashes. `known` (may be NULL) is an older manifest of the same folder. If there is a
 * store, keeps each content in it. */
ATTR_MUST_USE bool tree_hash(const struct tree_look *look, struct tree *tree,
                             const struct tree *known, struct content_store *store,
                             struct err *err);

#endif
