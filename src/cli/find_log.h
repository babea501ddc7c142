/*
 * find_log.h - the log that a command is about, and a word where it is not the project's.
 */
#ifndef DEVS_FIND_LOG_H
#define DEVS_FIND_LOG_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* As place_find(), for a command: where the log is the one that projects without a log of
 * their own share, stderr says so, for its runs may be of other projects. */
ATTR_MUST_USE bool find_log(const char *db, bool create, struct place *out, struct err *err);

/* For a command that writes to an existing log, or runs what it holds: as find_log(), but refuses a
 * log that was not made here by this person (log_own.h). find_log() without `create` only says so
 * on stderr. */
ATTR_MUST_USE bool find_log_to_write(const char *db, struct place *out, struct err *err);

#endif
