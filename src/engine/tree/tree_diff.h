/*
 * tree_diff.h - what differs between a tree that was saved and the tree that is there.
 *
 * Names and lines are bytes of strangers: nothing here is fit for a terminal. Any thread.
 */
#ifndef DEVS_TREE_DIFF_H
#define DEVS_TREE_DIFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "str.h"
#include "tree.h"
#include "tree_restore.h"

/* How much is looked at; 0 = the limit that is named. */
struct diff_limits {
    size_t paths_max;       /* named: DIFF_PATHS_MAX */
    size_t text_bytes_max;  /* of the diff's text: DIFF_TEXT_BYTES */
    int64_t read_bytes_max; /* of contents that are compared by line: DIFF_READ_BYTES */
    int64_t timeout_ms;     /* of comparing by line: DIFF_TIMEOUT_MS */
};
enum {
    DIFF_PATHS_MAX = 1000,
    DIFF_TEXT_BYTES = 256 * 1024,
    DIFF_READ_BYTES = 8 * 1024 * 1024,
    DIFF_TIMEOUT_MS = 5000,
};

enum diff_kind {
    DIFF_ADDED,   /* "A" */
    DIFF_CHANGED, /* "M": the content, or where a link points */
    DIFF_MODE,    /* "X": mode or owner alone */
    DIFF_TYPE,    /* "T": a file became a link, ... */
    DIFF_DELETED, /* "D" */
    DIFF_KIND_COUNT,
};
/* The letter above. */
char diff_kind_letter(enum diff_kind kind);

struct diff_path {
    enum diff_kind kind;
    char *path;             /* owned; relative to the top, any bytes but NUL */
    int64_t added, removed; /* lines; -1 where they were not counted (no text, too large) */
};

/* All zero is an empty value; end with tree_diff_done(). */
struct tree_diff {
    struct diff_path *paths; /* owned; in the order of the paths */
    size_t path_count;       /* at most paths_max */
    int64_t changed;         /* paths that differ, those not listed too */
    int64_t added, removed;  /* lines, as far as they were counted */
    struct str text;         /* a unified diff, as git writes it */
    struct str why;          /* why it is not all; "" if it is */
    int64_t ms;
};
void tree_diff_done(struct tree_diff *diff);

struct tree;

/* What the two manifests say that differs, without lines: paths, as far as the limits allow, and
 * how many there are. What is in a ".git" is one path. */
void tree_diff_paths(const struct tree *before, const struct tree *now,
                     const struct diff_limits *limits, struct tree_diff *out);

/*
 * The lines of a diff are found by git, which sees the files under numbers only.
 *
 * git gets no name, attribute or setting of the tree: contents are copied, as far as the limits go,
 * into two folders as 000000, 000001, ..., and the numbers in its answer are replaced by the names.
 * Blocks: for worker threads.
 */

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
