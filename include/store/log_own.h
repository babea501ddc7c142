/* log_own.h - checks whether a log was made here, by this user. Any thread.
 *
 * A log can come with a clone, an archive or a copy, and then its plans are not the user's own.
 * File modes do not reveal this: a clone made under umask 077 has 0700 and 0600, too. So devs
 * writes a mark, FILE-mine, next to each log that it makes: a hash of a random per-user key and of
 * the inode numbers and birth times of the log and its directory. The key is in
 * $XDG_STATE_HOME/devs/log-key and never in a project. A log without a valid mark can be read, but
 * not written, and none of its runs can be continued. For the same reason a copy of a log must be
 * adopted; renaming or moving the directory within a file system keeps the mark valid.
 *
 * If no key can be stored (HOME is unset or read-only), ownership and modes decide: the directory
 * and the log must belong to the user, and nobody else may be able to read the log. */
#ifndef DEVS_LOG_OWN_H
#define DEVS_LOG_OWN_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "place.h"

enum { LOG_OWN_EACH_MAX = 64 };

/* Checks whether this log may be written. Returns true also if it does not exist, is still empty,
 * or is in the user's state directory. Fails with ERR_INVALID and a hint on how to adopt it if it
 * was not made here (a bundle never is), or with ERR_DAMAGED if it is not even a log of this build.
 * Never follows links. */
ATTR_MUST_USE bool log_own_check(const struct place *place, struct err *err);

/* Marks a newly created log as made here. Its file must exist. Does nothing if no key can be
 * stored. */
ATTR_MUST_USE bool log_own_mark(const struct place *place, struct err *err);

/* Called for each directory. `dir` is absolute, and borrowed until the callback returns. */
typedef void log_own_found_fn(void *ctx, const char *dir);

/* Calls `found` for the directories of logs that were marked as made here, in no particular order,
 * at most LOG_OWN_EACH_MAX. Skips directories that no longer exist or contain anything besides
 * logs. */
void log_own_each(log_own_found_fn *found, void *ctx);

/* Adopts an existing log: checks its tables, makes it and its directory private, and writes the
 * mark. Fails with ERR_NOT_FOUND if there is no log; ERR_DAMAGED or ERR_INVALID if the file is not
 * a log or this devs cannot write to it. */
ATTR_MUST_USE bool log_own_adopt(const struct place *place, struct err *err);

/* Checks that the log is in a directory of its own, so that hiding the directory hides the whole
 * log: .devs, the state directory, or a directory of this user with mode 0700 that contains only
 * logs and their files. Fails with ERR_INVALID and a hint if not. */
ATTR_MUST_USE bool log_own_folder_check(const struct place *place, struct err *err);

#endif
