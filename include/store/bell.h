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

/* Open (and create) the bell of this log. */
ATTR_MUST_USE bool bell_init(struct bell *bell, const struct place *place, struct err *err);
void bell_done(struct bell *bell);
void bell_ring(const struct bell *bell);

#endif
