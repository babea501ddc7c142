/*
 * private_file.h - folders and files that only their owner may read, whatever the umask, and checks
 * of the folder and the file of a log before it is used. Private to store; any thread.
 */
#ifndef DEVS_PRIVATE_FILE_H
#define DEVS_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Open for reading and writing, 0600, made if it is not there. Never for the
 * database itself: only SQLite may open that one. */
ATTR_MUST_USE bool private_file_open(const char *path, int *fd_out, struct err *err);

/* Make an empty file, 0600, unless there is one. An existing one is not opened. */
ATTR_MUST_USE bool private_file_make(const char *path, struct err *err);

/* Make a folder and what is missing above it, 0700; *made_out (may be NULL) says
 * whether the last one is new. */
ATTR_MUST_USE bool private_folder_make(const char *path, bool *made_out, struct err *err);

/* Gives a file or directory of this user that mode, as far as its file system has modes. Links are
 * not followed, not even one that takes its place meanwhile. */
void private_mode_set(const char *path, mode_t mode);

/* a + b into out; ERR_LIMIT if it does not fit. */
ATTR_MUST_USE bool private_path_join(char *out, size_t cap, const char *a, const char *b,
                                     struct err *err);

/* Is this statfs(2) type a file system of another machine? Locks and shared
 * memory, which the log needs, do not hold there. */
bool place_type_is_network(unsigned long type);

/* Is the folder ours alone to write? ERR_INVALID if it is somebody else's (root's may be), a
 * link to one, or others may write to it. Looks only. */
ATTR_MUST_USE bool place_check_private(const char *dir, struct err *err);

/* Is the file a log that this build may write to, neither a link nor named twice? ERR_DAMAGED or
 * ERR_INVALID if not. Looks only; the file must exist. */
ATTR_MUST_USE bool place_check_log(const struct place *place, struct err *err);

/* Before the log is opened for writing and before any file beside it is made: the folder is
 * private, and the file does not exist yet or is a log that this build may write to (ERR_DAMAGED:
 * it is no log, or a newer one), neither a link nor named twice, and made here (log_own.h). What
 * others could read of our own files is made private. Leaves nothing behind where it refuses. */
ATTR_MUST_USE bool place_check_write(const struct place *place, struct err *err);

#endif
