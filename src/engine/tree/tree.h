/*
 * tree.h - the manifest of a folder: what is in it, down to modes, mtimes and contents.
 *
 * A plain value, sorted so that a folder comes before what is in it, and that before what comes
 * after the folder. Names are any bytes but NUL and '/'. Hard links are files of their own;
 * extended attributes are not looked at. Any thread, one at a time.
 */
#ifndef DEVS_TREE_H
#define DEVS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "err.h"
#include "sha256.h"

enum {
    TREE_ENTRIES_MAX = 1000000,
    TREE_DEPTH_MAX = 100,               /* folders within folders: each holds a descriptor */
    TREE_PATH_MAX = 32 * 1024,          /* bytes of a path, the NUL counted */
    TREE_TARGET_MAX = 16 * 1024,        /* bytes of where a link points */
    TREE_SETTLED_NS = 20 * 1000 * 1000, /* coarser than any clock tick of the kernel */
};

struct tree_entry {
    char *path;    /* owned; relative to the top, "" is the top itself */
    char *target;  /* owned; of a symbolic link, else NULL */
    uint32_t mode; /* type and bits, as stat(2) says */
    uint32_t uid, gid;
    uint32_t links;  /* names that it has */
    uint64_t device; /* of a device: which one */
    uint64_t inode;
    int64_t size; /* bytes of a file; 0 for all else */
    int64_t mtime_ns, ctime_ns;
    int64_t read_ns; /* when its content was hashed; 0 = not yet */
    bool is_stored;  /* its content is in the content store */
    bool was_shut;   /* a folder that could not be looked into; it was opened for that */
    unsigned char hash[SHA256_BYTES]; /* of a file's content */
};

/* All zero is an empty one; end with tree_done(). */
struct tree {
    struct tree_entry *entries; /* owned */
    size_t count, cap;
    int64_t files, bytes; /* regular files, and what they hold */
};

/* Append; the entry's texts are the tree's from now on. Keeps files and bytes. */
void tree_add(struct tree *tree, const struct tree_entry *entry);
void tree_done(struct tree *tree);

/* The order of paths: '/' comes before every other byte. */
int tree_path_compare(const char *a, const char *b);
/* NULL if there is none. */
struct tree_entry *tree_find(const struct tree *tree, const char *path);

/* Is the path one of these, or below one? The list is NULL-terminated, or NULL. */
bool tree_path_is_under(const char *path, const char *const *list);
/* Is one of these below the path? */
bool tree_path_holds(const char *path, const char *const *list);
/* No part of it is empty, "." or "..", and it does not begin with '/'. "" is the top. */
bool tree_path_is_sound(const char *path);

/* The hash of `known` holds for `now`: same file, untouched, and it had come to rest when it was
 * read: a write within the same tick of the clock would leave no trace in the times. The rule is
 * that of git's "racily clean" index entries. */
bool tree_entry_is_known(const struct tree_entry *now, const struct tree_entry *known);

/* Same type, content or target, and device. */
bool tree_entry_same_content(const struct tree_entry *a, const struct tree_entry *b);
/* Same mode and owner. */
bool tree_entry_same_mode(const struct tree_entry *a, const struct tree_entry *b);

/* 128 bits that stand for what is in the tree: paths, types, modes, contents, targets of all
 * but folders; without what is under `ignored` (sorted by tree_path_compare(), may be NULL) and
 * without ".git". Times do not count. */
struct digest tree_digest(const struct tree *tree, const char *const *ignored);

/* The manifest as a file: written beside `path` and renamed, 0600. */
ATTR_MUST_USE bool tree_write_file(const struct tree *tree, const char *path, struct err *err);
/* ERR_NOT_FOUND if there is none, ERR_DAMAGED if it is not what was written. */
ATTR_MUST_USE bool tree_read_file(const char *path, struct tree *out, struct err *err);

/* Merges two trees that began as the same one, path by path. Reads no file. `theirs` began as
 * `base`: what it changed is brought into `ours`, if that has the path as the base has it, or as
 * theirs. ERR_INVALID names the first path where both differ. Times do not count. The caller ends
 * *out with tree_done(). */
ATTR_MUST_USE bool tree_merge(const struct tree *base, const struct tree *ours,
                              const struct tree *theirs, struct tree *out, struct err *err);

#endif
