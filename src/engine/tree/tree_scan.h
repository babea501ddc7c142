/*
 * tree_scan.h - make the manifest of a folder that is there.
 *
 * First the names, modes and times of all (tree_scan), then the contents (tree_hash): what a
 * manifest of before knows is not read again. Any thread.
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
    const char *const *exclude; /* paths that are not looked at; NULL-terminated, NULL = none */
    const atomic_bool *stop;    /* NULL = none; then ERR_BUSY */
};

/* All that is in the folder, without contents. Folders that are shut, and ours, are opened and
 * stay open: end with tree_shut() or tree_restore(). ERR_LIMIT beyond TREE_ENTRIES_MAX or
 * TREE_DEPTH_MAX. */
ATTR_MUST_USE bool tree_scan(const struct tree_look *look, struct tree *out, struct err *err);

/* Give the folders that tree_scan() opened their modes again. */
void tree_shut(int top_fd, const struct tree *tree);

/* Fill in the hashes. `known` (may be NULL) is an older manifest of the same folder. With a store
 * each content is kept in it. */
ATTR_MUST_USE bool tree_hash(const struct tree_look *look, struct tree *tree,
                             const struct tree *known, struct content_store *store,
                             struct err *err);

#endif
