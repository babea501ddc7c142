/*
 * private_file.h - folders and files that only their owner may read, whatever the
 * umask. Private to store; any thread.
 */
#ifndef DEVS_PRIVATE_FILE_H
#define DEVS_PRIVATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "attr.h"
#include "err.h"

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

#endif
