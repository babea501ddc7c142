/* tree_folder.h - accesses files in a tree without ever following a symbolic link.
 *
 * A tree may be hostile: a program that runs in it may have replaced a folder with a link. So paths
 * are resolved one folder at a time, each opened with O_NOFOLLOW in its parent; nothing outside the
 * root is read or written. One thread. */
#ifndef DEVS_TREE_FOLDER_H
#define DEVS_TREE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* Keeps the last folder open, because the next path is usually in the same folder. */
struct tree_folder {
    int top_fd;      /* borrowed */
    int fd;          /* owned; descriptor of the folder `path`; -1 = none */
    struct str path; /* relative to the root */
};

/* Initializes a struct without an open folder. Borrows top_fd. */
void tree_folder_init(struct tree_folder *folder, int top_fd);
void tree_folder_done(struct tree_folder *folder);

/* Opens the parent folder of a path (valid, not "") and returns its descriptor and the path's last
 * component. `folder` owns the descriptor, which is valid until the next call. Fails with ENOTDIR
 * or ELOOP in the message if there is a link on the way. */
ATTR_MUST_USE bool tree_folder_reach(struct tree_folder *folder, const char *path, int *fd_out,
                                     const char **name_out, struct err *err);
/* Creates missing parent folders of the path (valid), with the default permissions of the umask.
 * Existing folders are not changed. If a parent is not a folder, the next access to the path
 * fails. */
ATTR_MUST_USE bool tree_folder_make_parents(int top_fd, const char *path, struct err *err);
/* Closes the open folder. Call this if it may have been replaced. */
void tree_folder_forget(struct tree_folder *folder);

/* Sets the mode of a file or folder; fails for a link. Returns 0 or an errno. */
int tree_folder_chmod(int fd, const char *name, mode_t mode);

/* Opens a file for reading, without following a link. If we own the file but may not read it,
 * grants us permission while opening it. Returns -1 with errno on failure. */
int tree_folder_open_file(int fd, const char *name);

/* Opens a folder to list it, without following a link. Returns -1 with errno on failure. */
int tree_folder_open(int fd, const char *name);

/* Removes a file, or a folder with all of its contents at any depth. Succeeds if it does not
 * exist. */
ATTR_MUST_USE bool tree_folder_remove(int fd, const char *name, struct err *err);

/* Sets the error for an operation that failed on a path, and adds a hint if the path is
 * immutable. */
bool tree_folder_refused(int fd, const char *name, const char *path, int number, struct err *err);

/* Writes a small file atomically: writes the text to a temporary file next to the path, readable
 * only by its owner, and renames it. Does not follow links at either name. Leaves no temporary file
 * behind on failure. Any thread. */
ATTR_MUST_USE bool whole_file_write(const char *path, const struct str *text, struct err *err);

/* Like whole_file_write(), but for a name in an open folder. Messages show the name. */
ATTR_MUST_USE bool whole_file_write_at(int folder, const char *name, const struct str *text,
                                       struct err *err);

#endif
