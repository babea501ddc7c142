/*
 * db.h - the log's database: connections, which turn SQLite's errors into struct err; the tables
 * (schema_); and the write-ahead log (checkpointer_ and wal_).
 *
 * Private to store, the only layer that sees SQLite. A connection belongs to one thread. Uses only
 * bound parameters: SQL text is never built from data.
 */
#ifndef DEVS_DB_H
#define DEVS_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

enum db_mode {
    DB_READ,
    DB_READ_STILL, /* for read-only locations, where nobody can change the file: takes no locks and
                      ignores a WAL */
    DB_WRITE,
};

struct db_watch;

struct db {
    sqlite3 *handle;        /* owned; NULL = not open */
    struct db_watch *watch; /* owned; interrupts a statement that would never end */
    uint64_t wal_inode;     /* inode of the open WAL; 0 = unknown; set by wal_learn() */
};

/* Opens an existing file. Checkpoints never happen automatically. Protects against malicious files:
 * disables their views and triggers, and makes a statement fail with ERR_DAMAGED once it has taken
 * far more steps than the file has bytes. Also fails with ERR_DAMAGED if there is a rollback
 * journal, or a WAL that was not made with the file, since SQLite would replay it. */
ATTR_MUST_USE bool db_init(struct db *db, const char *path, enum db_mode mode, struct err *err);
void db_done(struct db *db);
/* Closes the connection within a turn. First does a checkpoint as far as readers allow, unless the
 * WAL does not match what was committed. The last connection removes the WAL. */
void db_done_in_turn(struct db *db);

/* Sets *err to SQLite's last error. Returns false. */
bool db_fail(const struct db *db, const char *what, struct err *err);

/* Adds a hint about recovering a damaged file. Returns false. */
bool db_hint_recover(const char *path, struct err *err);

/* Runs a statement without results. Fails like db_fail(). */
ATTR_MUST_USE bool db_exec(const struct db *db, const char *sql, struct err *err);

/* Rolls back the current transaction, if there is one. */
void db_roll_back(const struct db *db);
/* Runs a statement that returns a single number. */
ATTR_MUST_USE bool db_number(const struct db *db, const char *sql, int64_t *out, struct err *err);
/* Runs a statement that returns at most one number for a run, its only parameter; 0 if none. */
ATTR_MUST_USE bool db_number_of_run(const struct db *db, const char *sql, int64_t run, int64_t *out,
                                    struct err *err);

/* Prepares an array of statements; on failure `out` contains the statements that were prepared. */
ATTR_MUST_USE bool db_prepare(const struct db *db, const char *const *sql, int count,
                              sqlite3_stmt **out, struct err *err);
/* Finalizes the first `count` statements and sets them to NULL; skips NULL. */
void db_finalize(sqlite3_stmt **statements, int count);

/* Steps a statement that returns no rows, and resets it. */
ATTR_MUST_USE bool db_run(const struct db *db, sqlite3_stmt *statement, struct err *err);
/* Like db_run(), but ignores errors. */
void db_try(sqlite3_stmt *statement);
/* Steps to the next row and sets *row to whether there is one. Returns false only on errors. The
 * caller resets the statement. */
ATTR_MUST_USE bool db_next(const struct db *db, sqlite3_stmt *statement, bool *row,
                           struct err *err);

/* Binds a string, or NULL for a missing value. The string must outlive the step. */
void db_bind_text(sqlite3_stmt *statement, int at, const char *text);
/* Binds the number; NULL if it is `nothing`. */
void db_bind_unless(sqlite3_stmt *statement, int at, int64_t value, int64_t nothing);
/* Returns the column, or `nothing` if it is NULL. */
int64_t db_column_or(sqlite3_stmt *statement, int at, int64_t nothing);
/* Copies a text column, cut between two characters if it does not fit; "" for NULL. */
void db_copy_text(sqlite3_stmt *statement, int at, char *out, size_t size);
/* Returns a copy of a text column, "" for NULL. The caller frees. */
ATTR_MUST_USE char *db_column_copy(sqlite3_stmt *statement, int at);

/* Returns true if the file at the path is still the one that was opened. Costs one stat(2). */
bool db_is_in_place(const struct db *db);
/* Returns the number of database pages, including those that are only in the WAL. */
ATTR_MUST_USE bool db_pages(const struct db *db, int64_t *out, struct err *err);

/* Statements that copy the rows of one run to another log. */
struct db_copy {
    const struct db *from, *to;
    const char *select; /* has one parameter, the run */
    const char *insert; /* has as many parameters as `select` has columns */
    int64_t run;
};
/* Copies the rows. Call this in a transaction of the target log. */
ATTR_MUST_USE bool db_copy_rows(const struct db_copy *copy, struct err *err);

/* Syncs everything committed so far to disk. */
ATTR_MUST_USE bool db_sync(const struct db *db, struct err *err);

enum { DB_PAGE_BYTES = 4096, DB_BUSY_MS = 5000 };

/*
 * The tables of a run log. Called from the thread of the connection.
 */

enum {
    SCHEMA_APPLICATION = 0x64657673, /* "devs" */
    SCHEMA_VERSION = 3,
};

/* Checks that the file is a log that this build can write to. Fails with ERR_NOT_FOUND if the file
 * is empty, ERR_DAMAGED if it is not a log or has a different format, ERR_INVALID if it is a
 * bundle. */
ATTR_MUST_USE bool schema_check(struct db *db, struct err *err);

/* Like schema_check(), for readers: accepts a newer log, because it may have all columns that they
 * need, and sets *newer_out to its version, otherwise to 0. */
ATTR_MUST_USE bool schema_check_read(const struct db *db, int *newer_out, struct err *err);

/* Sets *out to whether the table of bookmarks exists. A log made by an older devs lacks it until
 * somebody writes. */
ATTR_MUST_USE bool schema_has_bookmarks(const struct db *db, bool *out, struct err *err);

/* Like schema_check(), but turns an empty file into a log, and adds the tables and names that an
 * older devs of the same format did not know. Call this within a turn. */
ATTR_MUST_USE bool schema_ensure(struct db *db, struct err *err);

/*
 * A thread that syncs SQLite's write-ahead log and does checkpoints, so that the writer never waits
 * for the disk; and checks that the WAL still contains all commits.
 *
 * The thread has its own connection and turns. Call the checkpointer_ functions from the thread
 * that started it.
 */

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
/* Fails with ERR_IO once the WAL was found to lack committed data, and on every later call. Nothing
 * is copied after that. */
ATTR_MUST_USE bool checkpointer_check(struct checkpointer *self, struct err *err);
/* Reports that everything committed is already on disk. */
void checkpointer_synced(struct checkpointer *self);

/* Requests a checkpoint: copies the WAL into the database as far as readers allow, and resets it.
 * Call this in a turn, after a commit, so that there is something to copy. The call starts a reader
 * (the pin), which prevents any reset of the WAL until most of it is copied, outside of the turn.
 * If cut_off is set, also truncates the file; otherwise the next commits overwrite it, which is
 * faster than growing it. */
void checkpointer_ask(struct checkpointer *self, bool cut_off);
/* Waits until the requested checkpoint has copied everything that was committed before the request,
 * but at most wait_ms. */
void checkpointer_await(struct checkpointer *self, int wait_ms);

/* The contents of the WAL index. */
struct wal_index {
    uint32_t frames; /* number of frames in the WAL */
    uint32_t copied; /* number of frames that have been copied into the database */
    uint32_t pages;  /* number of database pages after the last commit */
    uint32_t page_bytes;
};

/* Reads the WAL index. Returns false if there is none or another process is writing it. The
 * connection must have read something before. Within a turn, the index describes the last
 * commit. */
ATTR_MUST_USE bool wal_index_read(const struct db *db, struct wal_index *out);

/* Remembers which WAL file the connection has open. Call this after the first read. */
void wal_learn(struct db *db);

/* Verifies the checksums of the frames that are not copied yet. Fails with ERR_IO if the WAL
 * differs from what was committed, the file was replaced, or shared memory was lost; then nothing
 * may be copied. Call this within a turn, or while a reader keeps the WAL from being reset. */
ATTR_MUST_USE bool wal_is_whole(struct db *db, struct err *err);

/* Returns true if this connection lost shared memory (shm_guard.h). */
bool wal_lost_memory(const struct db *db);

#endif
