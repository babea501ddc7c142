/*
 * tree_diff.h - compares a saved tree with the current one.
 *
 * Names and lines are untrusted bytes: sanitize them before display. Any thread.
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

/* How much to compare; 0 = the limit named in the comment. */
struct diff_limits {
    size_t paths_max;       /* DIFF_PATHS_MAX */
    size_t text_bytes_max;  /* size of the diff: DIFF_TEXT_BYTES */
    int64_t read_bytes_max; /* contents compared by line: DIFF_READ_BYTES */
    int64_t timeout_ms;     /* for comparing by line: DIFF_TIMEOUT_MS */
};
enum {
    DIFF_PATHS_MAX = 1000,
    DIFF_TEXT_BYTES = 256 * 1024,
    DIFF_READ_BYTES = 8 * 1024 * 1024,
    DIFF_TIMEOUT_MS = 5000,
};

enum diff_kind {
    DIFF_ADDED,   /* "A" */
    DIFF_CHANGED, /* "M": the content, or the target of a link */
    DIFF_MODE,    /* "X": only mode or owner */
    DIFF_TYPE,    /* "T": for example, a file became a link */
    DIFF_DELETED, /* "D" */
    DIFF_KIND_COUNT,
};
/* Returns the letter above. */
char diff_kind_letter(enum diff_kind kind);

struct diff_path {
    enum diff_kind kind;
    char *path;             /* owned; relative to the root, any bytes except NUL */
    int64_t added, removed; /* lines; -1 if not counted (not text, too large) */
};

/* All zero is a valid empty value. Free with tree_diff_done(). */
struct tree_diff {
    struct diff_path *paths; /* owned; sorted by path */
    size_t path_count;       /* at most paths_max */
    int64_t changed;         /* number of paths that differ, including those not listed */
    int64_t added, removed;  /* lines, as far as they were counted */
    struct str text;         /* a unified diff in git's format */
    struct str why;          /* why it is incomplete; "" if it is complete */
    int64_t ms;
};
void tree_diff_done(struct tree_diff *diff);

struct tree;

/* Compares the two manifests, without lines: lists differing paths within the limits, and counts
 * all of them. The contents of a ".git" count as one path. */
void tree_diff_paths(const struct tree *before, const struct tree *now,
                     const struct diff_limits *limits, struct tree_diff *out);

/*
 * Compares contents line by line with git, which only sees the files under numbers.
 *
 * git gets no name, attribute or setting of the tree. Contents are copied, within the limits, to
 * two folders as 000000, 000001, ..., and the numbers in its output are replaced by the names.
 * Blocks, so use worker threads.
 */

/* All borrowed for the call. */
struct diff_lines {
    const struct tree *before, *now;
    const struct tree_source *contents; /* contents of the saved tree */
    int top_fd;                         /* the current folder */
    const char *folder;                 /* a temporary folder is created in it */
    char *const *environment;
    const struct diff_limits *limits; /* may be NULL */
    const atomic_bool *stop;
};

/* Fills in added, removed, text and why of a diff made by tree_diff_paths(). If git cannot compare
 * something, `why` says so. Only fails if the temporary folder cannot be created or removed. */
ATTR_MUST_USE bool diff_lines_add(const struct diff_lines *call, struct tree_diff *diff,
                                  struct err *err);

#endif
