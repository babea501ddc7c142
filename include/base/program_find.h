/*
 * program_find.h - finds programs in the PATH of this process.
 *
 * Reads the file system and the environment. Any thread.
 */
#ifndef DEVS_PROGRAM_FIND_H
#define DEVS_PROGRAM_FIND_H

#include <limits.h>
#include <stdbool.h>

/* Finds the program that a step with this name would run: in a directory of PATH (an empty entry
 * means the current directory) or, if the name contains a '/', at that path. Returns false and sets
 * `out` to "" if there is none. */
bool program_find(const char *name, char out[PATH_MAX]);

/* Like program_find(), for programs that devs itself runs: searches only absolute directories of
 * PATH, and none inside a project given to program_avoid(), where an attempt may have planted a
 * program with that name. */
bool program_find_absolute(const char *name, char out[PATH_MAX]);

/* Excludes a project from program_find_absolute(): the nearest directory at or above `folder` that
 * contains ".git" or ".devs", or else `folder` itself. Call it before starting anything. */
void program_avoid(const char *folder);

#endif
