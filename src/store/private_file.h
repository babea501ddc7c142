/*
 * private_file.h - makes directories and files that only their owner can read, whatever the umask,
 * and checks the directory and file of a log before use. Private to store; any thread.
 */
#ifndef DEVS_PRIVATE_FILE_H
#define DEVS_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Opens a file for reading and writing, creating it (0600) if needed. Not for the database itself,
 * which only SQLite may open. */
ATTR_MUST_USE bool private_file_open(const char *path, int *fd_out, struct err *err);

/* Makes an empty file, 0600, unless it exists. Does not open an existing one. */
ATTR_MUST_USE bool private_file_make(const char *path, struct err *err);

/* Makes a directory and its missing parents, 0700; *made_out (may be NULL) is true if the directory
 * is new. */
ATTR_MUST_USE bool private_folder_make(const char *path, bool *made_out, struct err *err);

/* Sets the mode of a file or directory of this user, if its file system has modes. Never follows
 * links, even if one replaces the file concurrently. */
void private_mode_set(const char *path, mode_t mode);

/* Concatenates a and b into out. Fails with ERR_LIMIT if the result does not fit. */
ATTR_MUST_USE bool private_path_join(char *out, size_t cap, const char *a, const char *b,
                                     struct err *err);

/* Returns true if this statfs(2) type is a network file system. The log needs locks and shared
 * memory, which do not work there. */
bool place_type_is_network(unsigned long type);

/* Checks that only this user can write to the directory. Fails with ERR_INVALID if it belongs to
 * somebody else (other than root), is a link to such a directory, or is writable by others. Changes
 * nothing. */
ATTR_MUST_USE bool place_check_private(const char *dir, struct err *err);

/* Checks that an existing file is a log that this build can write to, and is neither a symbolic
 * link nor hard-linked. Fails with ERR_DAMAGED or ERR_INVALID. Changes nothing. */
ATTR_MUST_USE bool place_check_log(const struct place *place, struct err *err);

/* Checks a log before it is opened for writing and before any file next to it is made. The
 * directory must be private. The file must not exist yet, or must be a log that this build can
 * write to (otherwise ERR_DAMAGED), that was made here (log_own.h), and that is neither a symbolic
 * link nor hard-linked. Makes the user's own files private if others could read them. Leaves
 * nothing behind on failure. */
ATTR_MUST_USE bool place_check_write(const struct place *place, struct err *err);

#endif
