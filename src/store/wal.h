/*
 * wal.h - a thread that syncs SQLite's write-ahead log and does checkpoints, so that the writer
 * never waits for the disk; and checks that the WAL still has what was committed. Private to store.
 *
 * The thread has its own connection and turns. Call the checkpointer_ functions from the thread
 * that started it.
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

/* Opens the connection and starts the thread. */
ATTR_MUST_USE bool checkpointer_start(struct checkpointer **out, const struct place *place,
                                      struct err *err);
void checkpointer_stop(struct checkpointer *self);

/* Reports a commit: it is synced to disk within LOG_FULL_SYNC_MS. */
void checkpointer_news(struct checkpointer *self);
/* Sets *err to the first sync error since the last call. Leaves *err unchanged if there is none, or
 * if it is already set. */
void checkpointer_take_error(struct checkpointer *self, struct err *err);
/* Fails with ERR_IO once the WAL was found to lack what was committed to it, and on every later
 * call. Then nothing is copied any more. */
ATTR_MUST_USE bool checkpointer_check(struct checkpointer *self, struct err *err);
/* Reports that everything committed is already on disk. */
void checkpointer_synced(struct checkpointer *self);

/* Requests a checkpoint: copies the WAL into the database as far as readers allow, and resets it.
 * Call it in a turn, after a commit, so that there is something to copy. The call starts a reader
 * (the pin), which prevents any reset of the WAL until most of it is copied, outside of the turn.
 * cut_off: also truncates the file; otherwise it is overwritten, which is faster than growing
 * it. */
void checkpointer_ask(struct checkpointer *self, bool cut_off);
/* Waits until the requested checkpoint has copied what was committed when it was requested, or
 * until wait_ms are over. */
void checkpointer_await(struct checkpointer *self, int wait_ms);

/* The contents of the WAL index. */
struct wal_index {
    uint32_t frames; /* frames in the WAL */
    uint32_t copied; /* of these, copied into the database */
    uint32_t pages;  /* database pages after the last commit */
    uint32_t page_bytes;
};

/* Returns false if there is no index or another process is writing it. The connection must have
 * read something before. Within a turn, the index describes the last commit. */
ATTR_MUST_USE bool wal_index_read(const struct db *db, struct wal_index *out);

/* Remembers which WAL file the connection has open. Call it after the first read. */
void wal_learn(struct db *db);

/* Verifies the checksums of the frames that are not copied yet. Fails with ERR_IO if the WAL is not
 * what was committed, the file was replaced, or shared memory was lost; then nothing may be copied.
 * Call it within a turn, or while a reader keeps the WAL from being reset. */
ATTR_MUST_USE bool wal_is_whole(struct db *db, struct err *err);

/* Returns true if this connection lost shared memory (shm_guard.h). */
bool wal_lost_memory(const struct db *db);

#endif
