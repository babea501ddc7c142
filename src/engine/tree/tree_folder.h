/*
 * tree_folder.h - reaching what is in a tree, never through a symbolic link.
 *
 * A tree may be hostile: whatever runs in it may have put a link in a folder's place. So paths
 * are walked folder by folder, each opened with O_NOFOLLOW from the one above; nothing outside of
 * the top is read or written. Belongs to one thread.
 */
#ifndef DEVS_TREE_FOLDER_H
#define DEVS_TREE_FOLDER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* Remembers the folder that was reached last, for paths come in order. */
struct tree_folder {
    int top_fd;      /* borrowed */
    int fd;          /* owned; of `path`, -1 = none */
    struct str path; /* relative to the top */
};

/* At no folder; top_fd is borrowed. */
void tree_folder_init(struct tree_folder *folder, int top_fd);
void tree_folder_done(struct tree_folder *folder);

/* The folder of a path (sound, not ""), and the path's last name. The descriptor is the value's,
 * valid until the next call. False with errno's words: ENOTDIR or ELOOP where a link is in the
 * way. */
ATTR_MUST_USE bool tree_folder_reach(struct tree_folder *folder, const char *path, int *fd_out,
                                     const char **name_out, struct err *err);
/* Make the folders above the path (sound) that are not there, as the umask has it. One that is
 * there stays; what is no folder is in the way of the next to reach it. */
ATTR_MUST_USE bool tree_folder_make_parents(int top_fd, const char *path, struct err *err);
/* Forget it: it may have been replaced. */
void tree_folder_forget(struct tree_folder *folder);

/* Give something the mode, whatever it is but a link; the name is not followed. 0, or the errno. */
int tree_folder_chmod(int fd, const char *name, mode_t mode);

/* Open a file for reading, not followed; if it is ours and shut, it is opened for that and shut
 * again. -1 with errno. */
int tree_folder_open_file(int fd, const char *name);

/* Open a folder to look into, not followed. -1 with errno. */
int tree_folder_open(int fd, const char *name);

/* Remove a file, or a folder with all that is in it, however deep. Nothing there is no error. */
ATTR_MUST_USE bool tree_folder_remove(int fd, const char *name, struct err *err);

/* Words for what could not be done to a path: that it is immutable, where that is why. */
bool tree_folder_refused(int fd, const char *name, const char *path, int number, struct err *err);

/* A small file that is there as a whole or not at all. Any thread. Write the text beside the path,
 * for the owner alone, and rename it into place. A link at either name is not followed. Nothing is
 * left beside it where that fails. */
ATTR_MUST_USE bool whole_file_write(const char *path, const struct str *text, struct err *err);

/* The same of a name in a folder that is open; messages say the name. */
ATTR_MUST_USE bool whole_file_write_at(int folder, const char *name, const struct str *text,
                                       struct err *err);

#endif
