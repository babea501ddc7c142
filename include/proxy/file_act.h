/*
 * file_act.h - reads and writes one file below the current directory, for the tools of the proxy.
 * Runs in a process of its own, like any step.
 *
 * The kernel confines the path (openat2, RESOLVE_BENEATH): neither links nor ".." lead outside,
 * even if the tree changes concurrently. Errors are reported on stderr. Needs Linux 5.6.
 */
#ifndef DEVS_FILE_ACT_H
#define DEVS_FILE_ACT_H

#include <stdint.h>

enum {
    FILE_ACT_BYTES_MAX = 16 * 1024 * 1024, /* maximum size of a written file */
    FILE_ACT_NO_FILE = 66,                 /* exit code: no such file in the project (EX_NOINPUT) */
};

/* Writes `length` bytes of the file, starting at `offset`, to stdout. Unless that is the whole
 * file, reports the range and the file's size on stderr. Returns an exit code. */
int file_act_read(const char *path, int64_t offset, int64_t length);

/* Replaces the file with stdin and creates missing directories. A regular file is replaced
 * atomically; a link to another file in the directory is followed and that file overwritten.
 * Returns an exit code.
 *
 * Refuses to write files that determine which commands devs or git run, directly or through a link:
 * devs.config.json, plan.json and other plans, anything below .git or .devs, and anything below
 * `guarded`, an absolute path without links (NULL = none). */
int file_act_write(const char *path, const char *guarded);

#endif
