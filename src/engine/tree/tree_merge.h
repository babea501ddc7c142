/*
 * tree_merge.h - what two trees became that began as the same one, path by path. Pure.
 */
#ifndef DEVS_TREE_MERGE_H
#define DEVS_TREE_MERGE_H

#include "attr.h"
#include "err.h"
#include "tree.h"

/* `theirs` began as `base`: what it changed is brought into `ours`, if that has the path as the
 * base has it, or as theirs. ERR_INVALID names the first path where both differ. Times do not
 * count. The caller ends *out with tree_done(). */
ATTR_MUST_USE bool tree_merge(const struct tree *base, const struct tree *ours,
                              const struct tree *theirs, struct tree *out, struct err *err);

#endif
