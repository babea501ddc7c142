/* foreign_file.h - safe access to files that someone else may have planted: an attempt, or the
 * author of a cloned project.
 *
 * Merely opening a device can have side effects: a watchdog starts, a tape rewinds. Opening a FIFO
 * wakes the process at its other end, or blocks. So these functions inspect the file without
 * opening it, then open exactly the file that was inspected. Any thread. */
#ifndef DEVS_FOREIGN_FILE_H
#define DEVS_FOREIGN_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "attr.h"
#include "str.h"

/* Opens the path with O_PATH, which identifies the file without really opening it. The descriptor
 * is close-on-exec. Sets *info to the file's status. `flags` is O_NOFOLLOW or 0. Returns -1 and
 * sets errno on failure. */
int foreign_file_look(const char *path, int flags, struct stat *info);

/* Opens the file that `look` identifies for reading, whatever file has its name now. The descriptor
 * is close-on-exec; the call does not wait for a writer and never acquires a controlling terminal.
 * Returns -1 and sets errno on failure. */
int foreign_file_open(int look);

/* Reads a regular file of at most `max` bytes into *out. Never follows links or blocks. Returns
 * false if the file is missing, empty, larger than `max`, or not a regular file. */
ATTR_MUST_USE bool foreign_file_read(const char *path, size_t max, struct str *out);

#endif
