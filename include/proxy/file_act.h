/*
 * file_act.h - reading and writing one file below the current folder, for the tools of the
 * proxy: run in a process of their own, as any step.
 *
 * The kernel keeps the path inside (openat2, RESOLVE_BENEATH): neither a link nor ".." leads out,
 * whoever changes the tree meanwhile. What is wrong is said on stderr. Needs Linux 5.6.
 */
#ifndef DEVS_FILE_ACT_H
#define DEVS_FILE_ACT_H

#include <stdint.h>

enum {
    FILE_ACT_BYTES_MAX = 16 * 1024 * 1024, /* of a file that is written */
    FILE_ACT_NO_FILE = 66, /* exit code: no such file, or none within the project (EX_NOINPUT) */
};

/* Write `length` bytes of the file from `offset` on to stdout; on stderr how much more there is,
 * if there is. Returns an exit code. */
int file_act_read(const char *path, int64_t offset, int64_t length);

/* Writes stdin into the file: it is there as a whole or as it was before. Missing folders are
 * made. A link within the folder is written through. Returns an exit code.
 *
 * Refuses what decides which commands devs or git run, by its own name or through a link:
 * devs.config.json, plan.json and other plans, anything below .git or .devs, and all that is below
 * `guarded`, an absolute path without links (NULL = none). */
int file_act_write(const char *path, const char *guarded);

#endif
