/*
 * diff_lines.h - the lines of a diff, by git, of files that it sees under numbers only.
 *
 * git gets no name, attribute or setting of the tree: contents are copied, as far as the limits
 * go, into two folders as 000000, 000001, ..., and what it says of the numbers is told of the
 * names. Blocks: for worker threads.
 */
#ifndef DEVS_DIFF_LINES_H
#define DEVS_DIFF_LINES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "tree.h"
#include "tree_diff.h"
#include "tree_restore.h"

/* All borrowed for the call. */
struct diff_lines {
    const struct tree *before, *now;
    const struct tree_source *contents; /* of what was before */
    int top_fd;                         /* the folder that is now */
    const char *folder;                 /* a new folder is made in it, and removed again */
    char *const *environment;
    const struct diff_limits *limits; /* may be NULL */
    const atomic_bool *stop;
};

/* Fill in added, removed, text and why of a diff that tree_diff_paths() made. What git cannot
 * say is in `why`; false only if the folder cannot be made or removed. */
ATTR_MUST_USE bool diff_lines_add(const struct diff_lines *call, struct tree_diff *diff,
                                  struct err *err);

#endif
