/*
 * wal.h - the write-ahead log of SQLite: a thread that syncs and shortens it, so that the one that
 * appends never waits for the disk, and checks that it still holds what was committed. Private to
 * store.
 *
 * The thread has a connection and turns of its own. Call checkpointer_... from the thread that
 * started it.
 */
#ifndef DEVS_WAL_H
#define DEVS_WAL_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "db.h"
#include "err.h"
#include "place.h"

struct checkpointer;

/* Open its connection and start its thread. */
ATTR_MUST_USE bool checkpointer_start(struct checkpointer **out, const struct place *place,
                                      struct err *err);
void checkpointer_stop(struct checkpointer *self);

/* Something was committed: it is brought to the disk within LOG_FULL_SYNC_MS. */
void checkpointer_news(struct checkpointer *self);
/* The first sync that went wrong since this was asked last; *err is left as it is if
 * none did, or if it has an error already. */
void checkpointer_take_error(struct checkpointer *self, struct err *err);
/* ERR_IO, from then on each time, once the WAL was found not to hold what was committed to it:
 * nothing is copied any more. */
ATTR_MUST_USE bool checkpointer_check(struct checkpointer *self, struct err *err);
/* All that was committed is on the disk already. */
void checkpointer_synced(struct checkpointer *self);

/* Copy the WAL into the database, as far as readers allow, and begin it anew. Called in a turn
 * in which something was just committed: so there is what is not copied yet, and a reader that
 * begins then keeps everybody from beginning the WAL anew until most is copied, out of turn.
 * cut_off: its file becomes empty, too; else it is written over, which is quicker than growing. */
void checkpointer_ask(struct checkpointer *self, bool cut_off);
/* Until what was asked for is copied but for what came after it, or wait_ms are over. */
void checkpointer_await(struct checkpointer *self, int wait_ms);

/* What the index says. */
struct wal_index {
    uint32_t frames; /* in the WAL */
    uint32_t copied; /* of these, into the database */
    uint32_t pages;  /* of the database after the last commit */
    uint32_t page_bytes;
};

/* False where there is no index, or somebody is writing it just now. The connection has read
 * something before. Within a turn it is what was committed last. */
ATTR_MUST_USE bool wal_index_read(const struct db *db, struct wal_index *out);

/* Remembers which file the connection has for its WAL. Call it after the first read. */
void wal_learn(struct db *db);

/* Reads the frames that are not copied yet and compares their checksums. ERR_IO: the WAL is
 * not what was committed, another file has its name, or shared memory was lost; nothing may be
 * copied then. Within a turn, or while a reader keeps the WAL from being reset. */
ATTR_MUST_USE bool wal_is_whole(struct db *db, struct err *err);

/* Did this connection lose shared memory (shm_guard.h)? */
bool wal_lost_memory(const struct db *db);

#endif
