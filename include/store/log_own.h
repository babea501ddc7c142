/*
 * log_own.h - was this log made here, by this person? Any thread.
 *
 * A log can come with a clone, an archive or a copy, and its plans are then somebody else's. File
 * modes do not tell: a clone made under umask 077 has 0700 and 0600, too. So devs writes a mark,
 * FILE-mine, beside each log that it makes: a hash of a random key of this person and of the inode
 * numbers and birth times of the log and of its directory. The key is in
 * $XDG_STATE_HOME/devs/log-key and never in a project. A log without a valid mark can be read, but
 * not written, and none of its runs can be continued. A copy of a log needs to be adopted for the
 * same reason; renaming or moving the directory within a file system keeps the mark valid.
 *
 * Where no key can be kept (no HOME, a read-only one), owner and modes have to do: the directory
 * and the log belong to this person, and nobody else may read the log.
 */
#ifndef DEVS_LOG_OWN_H
#define DEVS_LOG_OWN_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "place.h"

enum { LOG_OWN_EACH_MAX = 64 };

/* May this log be written? True for one that does not exist or is still empty, and for the log in
 * the person's state directory. ERR_INVALID, with a hint how to adopt it, if it was not made here
 * (a bundle never was); ERR_DAMAGED if it is no log of this build either. Never follows links. */
ATTR_MUST_USE bool log_own_check(const struct place *place, struct err *err);

/* Marks a log that was just created as made here. Its file must exist. Does nothing where no key
 * can be kept. */
ATTR_MUST_USE bool log_own_mark(const struct place *place, struct err *err);

/* `dir` is absolute; borrowed until the callback returns. */
typedef void log_own_found_fn(void *ctx, const char *dir);

/* Calls `found` for the directories of the logs that were marked as made here, in no order, at most
 * LOG_OWN_EACH_MAX: those that exist and hold only logs. */
void log_own_each(log_own_found_fn *found, void *ctx);

/* Makes an existing log the person's own: checks its tables, makes it and its directory private
 * and writes the mark. ERR_NOT_FOUND: no log; ERR_DAMAGED or ERR_INVALID: it is none, or one that
 * this devs does not write to. */
ATTR_MUST_USE bool log_own_adopt(const struct place *place, struct err *err);

/* Is the log in a directory of its own, so that hiding the directory hides all of the log? That is
 * .devs, the state directory, or a directory of this person with mode 0700 that holds only logs and
 * what belongs to them. ERR_INVALID, with a hint, if not. */
ATTR_MUST_USE bool log_own_folder_check(const struct place *place, struct err *err);

#endif
