/*
 * owner.h - who appends the events of a run: an flock on owner/<uid>, held from
 * the run's start to its end. A free lock on a run that has not ended means that
 * its devs died: the run is interrupted. Any thread.
 */
#ifndef DEVS_OWNER_H
#define DEVS_OWNER_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Take it; ERR_BUSY if another process has it. *fd_out is closed by owner_drop(). */
ATTR_MUST_USE bool owner_take(const struct place *place, const char *uid, int *fd_out,
                              struct err *err);
/* Is the lock that we hold still the one at its path? If somebody moved or
 * removed it, it is taken again, *fd being the new one. ERR_BUSY: another process has it by now. */
ATTR_MUST_USE bool owner_keep(const struct place *place, const char *uid, int *fd, struct err *err);
/* Free the lock and remove its file. fd -1 is allowed. */
void owner_drop(const struct place *place, const char *uid, int fd);
/* Does a living process own this run? */
bool owner_is_alive(const struct place *place, const char *uid);

enum { OWNER_FILES_MAX = 65536 };
enum owner_clear { OWNER_COUNT, OWNER_REMOVE };
/* Lock files of owners that were killed: how many there are, and with OWNER_REMOVE they are
 * removed. At most OWNER_FILES_MAX are looked at. */
size_t owner_clear_left(const struct place *place, enum owner_clear how);

#endif
