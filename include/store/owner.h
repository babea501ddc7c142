/*
 * owner.h - the owner lock of a run: an flock on owner/<uid>, held from the run's start to its end
 * by the process that appends its events. If a run has not ended and its lock is free, its devs
 * died: the run is interrupted. Any thread.
 */
#ifndef DEVS_OWNER_H
#define DEVS_OWNER_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Takes the lock. Fails with ERR_BUSY if another process has it. The caller releases it with
 * owner_drop(). */
ATTR_MUST_USE bool owner_take(const struct place *place, const char *uid, int *fd_out,
                              struct err *err);
/* Checks that the lock in *fd is still the file at its path. If the file was moved or removed,
 * takes the lock again and replaces *fd. Fails with ERR_BUSY if another process has taken it. */
ATTR_MUST_USE bool owner_keep(const struct place *place, const char *uid, int *fd, struct err *err);
/* Releases the lock and removes its file. `fd` may be -1. */
void owner_drop(const struct place *place, const char *uid, int fd);
/* Returns true if a live process owns this run. */
bool owner_is_alive(const struct place *place, const char *uid);

enum { OWNER_FILES_MAX = 65536 };
enum owner_clear { OWNER_COUNT, OWNER_REMOVE };
/* Counts the lock files of owners that were killed, and with OWNER_REMOVE removes them. Looks at no
 * more than OWNER_FILES_MAX files. */
size_t owner_clear_left(const struct place *place, enum owner_clear how);

#endif
