/*
 * turns.h - makes writers take turns: two file locks, first come, first served.
 *
 * Every write transaction and every checkpoint of every process and thread runs between
 * turns_take() and turns_give(). The exception is the part of a checkpoint that copies pages while
 * its WAL cannot be reset (db.h). The locks are flock(2) on devs.db-gate and devs.db-write, so the
 * kernel releases them when a process dies. There is one struct turns per connection, which belongs
 * to the connection's thread.
 *
 * A wait ends after TURNS_WAIT_MS_MAX, because a process that is stopped during its turn keeps it.
 * The kernel's queue decides who is next; to end the wait anyway, a timer interrupts the thread
 * with the signal SIGRTMIN + TURNS_SIGNAL.
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
    TURNS_WAIT_MS_MAX = 3000, /* longest wait; after it, the log counts as not writable */
    TURNS_AGAIN_MS_MAX =
        200, /* longest wait after a failed wait, because more waits may fail for a long time */
    TURNS_SIGNAL = 3,
};

struct turns {
    int gate_fd;
    int write_fd;
    bool in_vain;      /* the last wait failed */
    int64_t waited_us; /* total time spent waiting */
};

/* Opens the lock files of this log, creating them (0600) if needed. Fails with ERR_IO; then nothing
 * is left open. */
ATTR_MUST_USE bool turns_init(struct turns *turns, const struct place *place, struct err *err);
/* Closes the lock files, which ends the turn if this connection has it. `turns` may be NULL. */
void turns_done(struct turns *turns);

/* Blocks until this connection has the turn. Fails with ERR_BUSY if that takes too long. */
ATTR_MUST_USE bool turns_take(struct turns *turns, struct err *err);
/* Ends the turn. Never fails. */
void turns_give(struct turns *turns);

/* Returns the id of the process that has the turn; 0 if no process has it or the id is unknown.
 * Does not delay other processes. */
int64_t turns_holder(const struct place *place);

struct bell {
    int fd;
    char path[PATH_MAX]; /* path of the bell, for watch_file() */
};

/* Opens the bell of this log, a file that is written to notify readers, creating it (0600) if
 * needed. Fails with ERR_IO; bell_done() accepts *bell even then. */
ATTR_MUST_USE bool bell_init(struct bell *bell, const struct place *place, struct err *err);
/* Closes the bell but keeps its file. `bell` may be NULL or closed. */
void bell_done(struct bell *bell);
/* Wakes the watchers of the file. Call it after COMMIT. Never fails: if the file cannot be written,
 * such as on a full disk, watchers find the changes the next time they poll. */
void bell_ring(const struct bell *bell);

#endif
