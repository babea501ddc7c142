/*
 * wal_check.h - does the WAL still hold what was committed to it? Private to store; the thread of
 * the connection.
 *
 * A checkpoint copies frames of the WAL into the database without looking at them. If somebody
 * truncated, zeroed or replaced the WAL while it is in use, that destroys the database and every
 * run in it. So each checkpoint of ours is preceded by wal_is_whole(). The truth is the index in
 * shared memory: how many frames there are, how many were copied, and the checksum of the last one
 * (sqlite.org/walformat.html).
 */
#ifndef DEVS_WAL_CHECK_H
#define DEVS_WAL_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "db.h"
#include "err.h"

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
