/*
 * foreign_file.h - files that somebody else may have put where devs looks: an attempt, or whoever
 * made a project that was cloned.
 *
 * Opening a device may already do something: a watchdog starts, a tape rewinds. Opening a FIFO
 * wakes whoever waits at its other end, or waits itself. So look first, without opening, and open
 * what was looked at. Any thread.
 */
#ifndef DEVS_FOREIGN_FILE_H
#define DEVS_FOREIGN_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "attr.h"
#include "str.h"

/* Returns a descriptor that is only good for looking at the file, close-on-exec; *info says what
 * the file is. `flags`: O_NOFOLLOW or 0. -1 with errno. */
int foreign_file_look(const char *path, int flags, struct stat *info);

/* Opens the file that `look` stands for, for reading, whatever has its name by now: close-on-exec,
 * without waiting for a writer, and never as a controlling terminal. -1 with errno. */
int foreign_file_open(int look);

/* Reads a regular file of at most `max` bytes into *out, following no link and never waiting. False
 * if it is missing, empty, larger, or not a regular file. */
ATTR_MUST_USE bool foreign_file_read(const char *path, size_t max, struct str *out);

#endif
