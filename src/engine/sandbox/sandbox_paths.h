/*
 * sandbox_paths.h - which places of the machine a sandbox hides, and which it opens. Private to
 * sandbox*.c, bwrap*.c and container*.c.
 */
#ifndef DEVS_SANDBOX_PATHS_H
#define DEVS_SANDBOX_PATHS_H

#include <limits.h>
#include <stdbool.h>

#include "arg_list.h"
#include "attr.h"
#include "err.h"
#include "sandbox.h"

enum { SANDBOX_LOG_FILES_MAX = 64 }; /* of one log that are hidden by name */

/* Where the run log is. All that is there when this is asked. */
struct sandbox_log {
    struct arg_list folders, files;
};

/* The log's folder; where that is not one of its own, a person's project for one, what in it is the
 * log's. End it with sandbox_log_done(). */
void sandbox_log_find(const struct sandbox_call *call, struct sandbox_log *out);
void sandbox_log_done(struct sandbox_log *log);

/* Is the path below the folder? */
bool sandbox_path_is_below(const char *path, const char *folder);

/* One path of the spec's `writable`, absolute and without links. In the workspace no link is
 * followed: an earlier attempt may have left one to anywhere, the log for one. */
ATTR_MUST_USE bool sandbox_writable_path(const struct sandbox_call *call, const char *path,
                                         char out[PATH_MAX], struct err *err);

#endif
