/* tree.h - the manifest of a folder lists its contents, including modes, mtimes and hashes of
 * files. Functions make, restore and compare manifests.
 *
 * A plain value, sorted so that a folder comes first, then its contents, then whatever follows the
 * folder. Names may have any bytes except NUL and '/'. Hard links are treated as separate files;
 * extended attributes are ignored. Any thread, one at a time. */
#ifndef DEVS_TREE_H
#define DEVS_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "content_store.h"
#include "digest.h"
#include "err.h"
#include "sha256.h"
#include "str.h"

enum {
    TREE_ENTRIES_MAX = 1000000,
    TREE_DEPTH_MAX = 100, /* maximum depth of folders; a descriptor is kept open for each level */
    TREE_PATH_MAX = 32 * 1024,          /* maximum size of a path in bytes, including the NUL */
    TREE_TARGET_MAX = 16 * 1024,        /* maximum size of a link's target in bytes */
    TREE_SETTLED_NS = 20 * 1000 * 1000, /* longer than any clock tick of the kernel */
};

struct tree_entry {
    char *path;    /* owned; relative to the root, which is "" */
    char *target;  /* owned; target of a symbolic link, else NULL */
    uint32_t mode; /* type and permission bits, as in stat(2) */
    uint32_t uid, gid;
    uint32_t links;  /* number of hard links */
    uint64_t device; /* device number of a device file */
    uint64_t inode;
    int64_t size; /* bytes of a file; 0 for other types */
    int64_t mtime_ns, ctime_ns;
    int64_t read_ns; /* time at which its content was hashed (ns); 0 = not yet */
    bool is_stored;  /* its content is in the content store */
    bool was_shut;   /* a folder that was given permissions so that it could be read */
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
/* Finds the entry of a path. Returns NULL if there is none. */
struct tree_entry *tree_find(const struct tree *tree, const char *path);

/* Returns whether the path is in the list or below a path in it. The list is NULL-terminated, and
 * may be NULL. */
bool tree_path_is_under(const char *path, const char *const *list);
/* Returns whether a path in the list is below `path`. */
bool tree_path_holds(const char *path, const char *const *list);
/* Returns whether the path is valid: it does not begin with '/', and no component is empty, "." or
 * "..". "" is the root. */
bool tree_path_is_sound(const char *path);

/* Returns whether the hash of `known` is still valid for `now`: it is the same file, unmodified,
 * and its last change was long enough before the hash was computed, because a write in the same
 * clock tick would not change its times. git has the same rule for "racily clean" index entries. */
bool tree_entry_is_known(const struct tree_entry *now, const struct tree_entry *known);

/* Compares type, content or target, and device. */
bool tree_entry_same_content(const struct tree_entry *a, const struct tree_entry *b);
/* Compares mode and owner. */
bool tree_entry_same_mode(const struct tree_entry *a, const struct tree_entry *b);

/* Returns a 128-bit digest of the tree: paths, types, modes, contents and targets of everything
 * except folders. Leaves out ".git" and everything under `ignored` (sorted by tree_path_compare(),
 * may be NULL). Ignores times. */
struct digest tree_digest(const struct tree *tree, const char *const *ignored);

/* Writes the manifest to a temporary file (mode 0600) and renames it to `path`. */
ATTR_MUST_USE bool tree_write_file(const struct tree *tree, const char *path, struct err *err);
/* Reads a manifest. Fails with ERR_NOT_FOUND if the file is missing, or with ERR_DAMAGED if it is
 * not a valid manifest. */
ATTR_MUST_USE bool tree_read_file(const char *path, struct tree *out, struct err *err);

/* Merges two trees with a common base, path by path. Reads no files. Takes `ours` and applies the
 * changes from `base` to `theirs`. Fails with ERR_INVALID, naming the first path that was changed
 * differently on both sides. Ignores times. The caller frees *out with tree_done(). */
ATTR_MUST_USE bool tree_merge(const struct tree *base, const struct tree *ours,
                              const struct tree *theirs, struct tree *out, struct err *err);

/* Makes the manifest of an existing folder.
 *
 * tree_scan() reads names, modes and times; after that, tree_hash() reads the contents, except for
 * files that are unchanged since an older manifest. Any thread. */

/* A folder to examine. All borrowed. */
struct tree_look {
    int top_fd;                 /* descriptor of the folder */
    const char *const *exclude; /* paths to skip; NULL-terminated; NULL = none */
    const atomic_bool *stop;    /* makes functions fail with ERR_BUSY when set; NULL = none */
};

/* Lists everything in the folder, without contents. If folders that we own lack permissions, grants
 * them; tree_shut() or tree_restore() must be called later to restore their modes. Fails with
 * ERR_LIMIT beyond TREE_ENTRIES_MAX or TREE_DEPTH_MAX. */
ATTR_MUST_USE bool tree_scan(const struct tree_look *look, struct tree *out, struct err *err);

/* Restores the modes of folders that tree_scan() changed. */
void tree_shut(int top_fd, const struct tree *tree);

/* Fills in the hashes. `known` is an older manifest of the same folder, or NULL. If `store` is not
 * NULL, stores the contents in it. */
ATTR_MUST_USE bool tree_hash(const struct tree_look *look, struct tree *tree,
                             const struct tree *known, struct content_store *store,
                             struct err *err);

/* Restores a folder to the state in a manifest, and verifies it.
 *
 * Trees may be hostile: links are not followed, and files with several names are replaced instead
 * of modified, because another name may be outside the tree. Any thread. */

/* A source of file contents. */
struct tree_source {
    /* Opens the content of the entry for reading. The caller closes the descriptor. */
    bool (*open)(void *ctx, const struct tree_entry *entry, int *fd_out, struct err *err);
    void *ctx; /* borrowed */
};

struct tree_folder;
/* Returns a source that reads from the folder itself. Borrows the folder as long as the source is
 * used. */
struct tree_source tree_source_of(struct tree_folder *folder);

struct tree_work {
    int64_t changed; /* number of corrected paths, without paths where only the time was wrong */
    int64_t written; /* number of bytes written */
};

/* Changes the folder to match `want`. `now` is its current manifest, from tree_scan() and
 * tree_hash(). Keeps paths in look->exclude. */
ATTR_MUST_USE bool tree_restore(const struct tree_look *look, const struct tree *now,
                                const struct tree *want, const struct tree_source *source,
                                struct tree_work *out, struct err *err);

/* Compares a folder's manifest with the wanted one, including mtimes. Fails with ERR_IO, naming the
 * first path that differs. */
ATTR_MUST_USE bool tree_verify(const struct tree_look *look, const struct tree *now,
                               const struct tree *want, struct err *err);

/* Makes a folder a copy of another one. Shares contents if the file system supports it. Keeps modes
 * and mtimes, and also owners if we may give files away. Leaves out sockets and paths in
 * from->exclude. Removes everything in `to` that is not in `from`. Any thread. */
ATTR_MUST_USE bool tree_copy(const struct tree_look *from, const struct tree_look *to,
                             int64_t *files_out, struct err *err);

/*
 * Compares a saved tree with the current one.
 *
 * Names and lines are untrusted bytes: sanitize them before display. Any thread.
 */

/* Limits of a comparison; 0 = the default named in the comment. */
struct diff_limits {
    size_t paths_max;       /* maximum number of listed paths: DIFF_PATHS_MAX */
    size_t text_bytes_max;  /* maximum size of the diff in bytes: DIFF_TEXT_BYTES */
    int64_t read_bytes_max; /* maximum bytes compared by line: DIFF_READ_BYTES */
    int64_t timeout_ms;     /* time limit for comparing by line: DIFF_TIMEOUT_MS */
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
/* Returns the letter shown next to the constant, such as 'A' for DIFF_ADDED. */
char diff_kind_letter(enum diff_kind kind);

struct diff_path {
    enum diff_kind kind;
    char *path;             /* owned; relative to the root, any bytes except NUL */
    int64_t added, removed; /* number of lines; -1 if not counted (not text, too large) */
};

/* All zero is a valid empty value. Free with tree_diff_done(). */
struct tree_diff {
    struct diff_path *paths; /* owned; sorted by path */
    size_t path_count;       /* number of listed paths, at most paths_max */
    int64_t changed;         /* number of paths that differ, including those not listed */
    int64_t added, removed;  /* lines in all files whose lines were counted */
    struct str text;         /* a unified diff in git's format */
    struct str why;          /* why the diff is incomplete; "" if it is complete */
    int64_t ms;
};
void tree_diff_done(struct tree_diff *diff);

/* Compares two manifests, without lines: lists differing paths within the limits, and counts all of
 * them. Changes in a ".git" count as one path. */
void tree_diff_paths(const struct tree *before, const struct tree *now,
                     const struct diff_limits *limits, struct tree_diff *out);

/* Compares contents line by line with git, which only gets numbers as file names. */

/* The input of diff_lines_add(). All borrowed for the call. */
struct diff_lines {
    const struct tree *before, *now;
    const struct tree_source *contents; /* contents of the saved tree */
    int top_fd;                         /* descriptor of the current folder */
    const char *folder;                 /* where to create a temporary folder */
    char *const *environment;
    const struct diff_limits *limits; /* may be NULL */
    const atomic_bool *stop;
};

/* Fills in `added`, `removed`, `text` and `why` of a diff made by tree_diff_paths(). If git cannot
 * compare something, sets `why` to the reason. Fails only if the temporary folder cannot be created
 * or removed. */
ATTR_MUST_USE bool diff_lines_add(const struct diff_lines *call, struct tree_diff *diff,
                                  struct err *err);

#endif
