/*
 * bell.h - "there is news in the log": one byte written to devs.db-bell.
 *
 * Rung after COMMIT, so whoever looks on hearing it sees the news. Never watch
 * the WAL: it is written before the commit can be seen. A bell is opened and closed by
 * one thread; any thread may ring it.
 */
#ifndef DEVS_BELL_H
#define DEVS_BELL_H

#include <limits.h>

#include "attr.h"
#include "err.h"
#include "place.h"

struct bell {
    int fd;
    char path[PATH_MAX]; /* for watch_file() */
};

/* Open the bell of this log; where there is none it is made (0600). ERR_IO; *bell can be ended with
 * bell_done() then, too. */
ATTR_MUST_USE bool bell_init(struct bell *bell, const struct place *place, struct err *err);
/* Close it; its file stays. NULL, and a bell that is closed, are allowed. */
void bell_done(struct bell *bell);
/* Wake whoever watches the file. Call after COMMIT. Never fails: where it cannot be written, a full
 * disk, listeners find the news when they look by time. */
void bell_ring(const struct bell *bell);

#endif
