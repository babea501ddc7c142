/*
 * place_check.h - may a log be kept here? Private to store; any thread.
 */
#ifndef DEVS_PLACE_CHECK_H
#define DEVS_PLACE_CHECK_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Is this statfs(2) type a file system of another machine? Locks and shared
 * memory, which the log needs, do not hold there. */
bool place_type_is_network(unsigned long type);

/* ERR_INVALID with the hint --db for a network file system. */
ATTR_MUST_USE bool place_check_folder(const char *dir, struct err *err);

/* Is the folder ours alone to write? ERR_INVALID if it is somebody else's (root's may be), a
 * link to one, or others may write to it. Looks only. */
ATTR_MUST_USE bool place_check_private(const char *dir, struct err *err);

/* Is the file a log that this build may write to, neither a link nor named twice? ERR_DAMAGED or
 * ERR_INVALID if not. Looks only; the file must exist. */
ATTR_MUST_USE bool place_check_log(const struct place *place, struct err *err);

/* Before the log is opened for writing and before any file beside it is made: the folder is
 * private, the file is none yet, or a log that this build may write to (ERR_DAMAGED: it is
 * no log, or a newer one), neither a link nor named twice, and made here (log_own.h). What others
 * could read of our own files is made private. Leaves nothing behind where it refuses. */
ATTR_MUST_USE bool place_check_write(const struct place *place, struct err *err);

#endif
