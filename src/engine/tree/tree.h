/*
 * tree.h - the manifest of a folder: its contents, including modes, mtimes and file contents.
 *
 * A plain value, sorted so that a folder comes first, then its contents, then whatever follows the
 * folder. Names may have any bytes except NUL and '/'. Hard links are treated as separate files;
 * extended attributes are ignored. Any thread, one at a time.
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
    TREE_DEPTH_MAX = 100,               /* nested folders; each keeps a descriptor open */
    TREE_PATH_MAX = 32 * 1024,          /* bytes of a path, including the NUL */
    TREE_TARGET_MAX = 16 * 1024,        /* bytes of a link's target */
    TREE_SETTLED_NS = 20 * 1000 * 1000, /* longer than any clock tick of the kernel */
};

struct tree_entry {
    char *path;    /* owned; relative to the root; "" is the root itself */
    char *target;  /* owned; target of a symbolic link, else NULL */
    uint32_t mode; /* type and permission bits, as in stat(2) */
    uint32_t uid, gid;
    uint32_t links;  /* number of hard links */
    uint64_t device; /* of a device file: its number */
    uint64_t inode;
    int64_t size; /* bytes of a file; 0 for other types */
    int64_t mtime_ns, ctime_ns;
    int64_t read_ns; /* when its content was hashed; 0 = not yet */
    bool is_stored;  /* its content is in the content store */
    bool was_shut;   /* a folder without permissions, which was opened to read it */
    unsigned char hash[SHA256_BYTES]; /* SHA-256 of a file's content */
};

/* All zero is an empty tree. Free with tree_done(). */
struct tree {
    struct tree_entry *entries; /* owned */
    size_t count, cap;
    int64_t files, bytes; /* number of regular files, and their total size */
};

/* Appends an entry and takes ownership of its strings. Updates files and bytes. */
void tree_add(struct tree *tree, const struct tree_entry *entry);
void tree_done(struct tree *tree);

/* Compares paths in the order of a tree: '/' sorts before every other byte. */
int tree_path_compare(const char *a, const char *b);
/* Returns NULL if there is none. */
struct tree_entry *tree_find(const struct tree *tree, const char *path);

/* Returns whether the path is one of these or below one of them. The list is NULL-terminated, and
 * may be NULL. */
bool tree_path_is_under(const char *path, const char *const *list);
/* Returns whether one of these is below the path. */
bool tree_path_holds(const char *path, const char *const *list);
/* Returns whether the path is valid: it does not begin with '/', and no component is empty, "." or
 * "..". "" is the root. */
bool tree_path_is_sound(const char *path);

/* Returns whether the hash of `known` is still valid for `now`: it is the same file, unmodified,
 * and was last modified long enough before it was read, since a write in the same clock tick would
 * not show in its times. Same rule as for "racily clean" index entries in git. */
bool tree_entry_is_known(const struct tree_entry *now, const struct tree_entry *known);

/* Compares type, content or target, and device. */
bool tree_entry_same_content(const struct tree_entry *a, const struct tree_entry *b);
/* Compares mode and owner. */
bool tree_entry_same_mode(const struct tree_entry *a, const struct tree_entry *b);

/* Returns a 128-bit digest of the tree: paths, types, modes, contents and targets of everything
 * except folders. Leaves out ".git" and everything under `ignored` (sorted by tree_path_compare(),
 * may be NULL). Times do not count. */
struct digest tree_digest(const struct tree *tree, const char *const *ignored);

/* Writes the manifest to a temporary file and renames it to `path`; mode 0600. */
ATTR_MUST_USE bool tree_write_file(const struct tree *tree, const char *path, struct err *err);
/* Fails with ERR_NOT_FOUND if the file is missing, ERR_DAMAGED if it is not what was written. */
ATTR_MUST_USE bool tree_read_file(const char *path, struct tree *out, struct err *err);

/* Merges two trees that started as the same one, path by path. Reads no files. `theirs` started as
 * `base`: its changes are added to `ours` if that has the path as in the base, or as in theirs.
 * Fails with ERR_INVALID, naming the first path that was changed differently in both. Times do not
 * count. The caller ends *out with tree_done(). */
ATTR_MUST_USE bool tree_merge(const struct tree *base, const struct tree *ours,
                              const struct tree *theirs, struct tree *out, struct err *err);

#endif
