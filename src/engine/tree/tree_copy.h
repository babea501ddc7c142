/*
 * tree_copy.h - all of a folder as another one: contents shared where the file system can, modes
 * and mtimes kept, owners where we may give files away; no sockets. Any thread.
 */
#ifndef DEVS_TREE_COPY_H
#define DEVS_TREE_COPY_H

#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "tree_scan.h"

/* What from->exclude names is left out. What is in `to` and not in `from` is removed. */
ATTR_MUST_USE bool tree_copy(const struct tree_look *from, const struct tree_look *to,
                             int64_t *files_out, struct err *err);

#endif
