/*
 * turns.h - writers take turns: two file locks, first come, first served.
 *
 * Every write transaction and every checkpoint of every process and thread runs
 * between turns_take() and turns_give(), but for what a checkpoint copies while
 * its WAL cannot begin anew (wal.h). Locks are flock(2) on devs.db-gate and
 * devs.db-write, so the kernel frees them when a process dies. One struct turns
 * a connection; it belongs to that connection's thread.
 *
 * A wait ends after TURNS_WAIT_MS_MAX: a process that is stopped within its turn
 * keeps it. So that the kernel's queue decides who is next and the wait still ends, a
 * timer interrupts the thread with the signal SIGRTMIN + TURNS_SIGNAL.
 */
#ifndef DEVS_TURNS_H
#define DEVS_TURNS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

enum {
    TURNS_WAIT_MS_MAX = 3000, /* longer, and the log counts as one that cannot be written */
    TURNS_AGAIN_MS_MAX = 200, /* after a wait without success: that may continue for long */
    TURNS_SIGNAL = 3,
};

struct turns {
    int gate_fd;
    int write_fd;
    bool in_vain;      /* the last wait was */
    int64_t waited_us; /* in all */
};

/* Open the lock files of this log; those that are not there are made (0600). ERR_IO; nothing is
 * held open then. */
ATTR_MUST_USE bool turns_init(struct turns *turns, const struct place *place, struct err *err);
/* Close them, which gives back a turn that is held. NULL is allowed. */
void turns_done(struct turns *turns);

/* Blocks until it is our turn. ERR_BUSY if it does not come in time: nothing is held then. */
ATTR_MUST_USE bool turns_take(struct turns *turns, struct err *err);
/* Let the next one in. Never fails. */
void turns_give(struct turns *turns);

/* Who has the turn now: a process id, 0 if nobody has it or it cannot be told. Looks only, and
 * keeps nobody waiting. */
int64_t turns_holder(const struct place *place);

struct bell {
    int fd;
    char path[PATH_MAX]; /* for watch_file() */
};

/* Open the bell of this log; it is made (0600) if it does not exist. ERR_IO; *bell can be ended
 * with bell_done() then, too. */
ATTR_MUST_USE bool bell_init(struct bell *bell, const struct place *place, struct err *err);
/* Close it; its file stays. NULL, and a bell that is closed, are allowed. */
void bell_done(struct bell *bell);
/* Wake whoever watches the file. Call after COMMIT. Never fails: where it cannot be written, a full
 * disk, listeners find the news when they look by time. */
void bell_ring(const struct bell *bell);

#endif
