/*
 * db.h - one connection to the log's file, with SQLite's answers as struct err.
 *
 * Private to store, the only layer that sees SQLite. A connection belongs to one
 * thread. Bound parameters only: no SQL text is ever put together from data.
 */
#ifndef DEVS_DB_H
#define DEVS_DB_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

enum db_mode {
    DB_READ,
    DB_READ_STILL, /* where nothing can be written, nobody can change it either: no lock is
                      taken, and a WAL that is there is not read */
    DB_WRITE,
};

struct db_watch;

struct db {
    sqlite3 *handle;        /* owned; NULL = not open */
    struct db_watch *watch; /* owned; ends a statement that would never end */
    uint64_t wal_inode;     /* of the WAL that it has open; 0 = not known (wal.h) */
    int format;             /* of the log in it (schema.h); 0 = nobody has looked */
};

/* The file must exist. No checkpoint ever happens by itself. Views and triggers of the file are
 * off, and a statement ends with ERR_DAMAGED once it has taken far more steps than the file has
 * bytes: whoever made the file may have made it so that reading never ends. ERR_DAMAGED also if
 * beside the file is a rollback journal, or a WAL that was not made with it: SQLite would replay
 * either. */
ATTR_MUST_USE bool db_init(struct db *db, const char *path, enum db_mode mode, struct err *err);
void db_done(struct db *db);
/* Within a turn: brings everything into the file itself first, as far as readers allow, unless the
 * WAL is not what was committed to it; the last one out removes the WAL. */
void db_done_in_turn(struct db *db);

/* Record what SQLite said last. Returns false. */
bool db_fail(const struct db *db, const char *what, struct err *err);

/* What can be done for a file that is damaged. Returns false. */
bool db_hint_recover(const char *path, struct err *err);

/* Run a statement without results; ERR_IO as db_fail() says it. */
ATTR_MUST_USE bool db_exec(const struct db *db, const char *sql, struct err *err);

/* End a transaction that went wrong, if there still is one. */
void db_roll_back(const struct db *db);
/* The one number that a statement gives. */
ATTR_MUST_USE bool db_number(const struct db *db, const char *sql, int64_t *out, struct err *err);

/* Prepare a table of statements; on failure those that were made are in `out`. */
ATTR_MUST_USE bool db_prepare(const struct db *db, const char *const *sql, int count,
                              sqlite3_stmt **out, struct err *err);
/* End the first `count` statements; NULL is left out, each is NULL afterwards. */
void db_finalize(sqlite3_stmt **statements, int count);

/* Step a statement that gives no row, and reset it. */
ATTR_MUST_USE bool db_run(const struct db *db, sqlite3_stmt *statement, struct err *err);
/* As db_run() where nobody could do anything about an error. */
void db_try(sqlite3_stmt *statement);
/* Step to the next row: false and *err for an error, else *row says if there is
 * one. The caller resets. */
ATTR_MUST_USE bool db_next(const struct db *db, sqlite3_stmt *statement, bool *row,
                           struct err *err);

/* Bind text or number, NULL where it says nothing. Text must outlive the step. */
void db_bind_text(sqlite3_stmt *statement, int at, const char *text);
/* The number; NULL where it is `nothing`. */
void db_bind_unless(sqlite3_stmt *statement, int at, int64_t value, int64_t nothing);
/* The column, or `nothing` where it is NULL. */
int64_t db_column_or(sqlite3_stmt *statement, int at, int64_t nothing);
/* A copy of a text column, "" for NULL. The caller frees. */
ATTR_MUST_USE char *db_column_copy(sqlite3_stmt *statement, int at);

/* Is the file under its name still the one that was opened? One stat(2). */
bool db_is_in_place(const struct db *db);
/* Pages of the database, those that are in the WAL only included. */
ATTR_MUST_USE bool db_pages(const struct db *db, int64_t *out, struct err *err);

/* Copy rows of one run from one log to another. */
struct db_copy {
    const struct db *from, *to;
    const char *select; /* its one parameter is the run */
    const char *insert; /* as many parameters as `select` has columns */
    int64_t run;
};
/* Within a transaction of the log that is written to. */
ATTR_MUST_USE bool db_copy_rows(const struct db_copy *copy, struct err *err);

/* Everything committed so far is on the disk when it returns. */
ATTR_MUST_USE bool db_sync(const struct db *db, struct err *err);

enum { DB_PAGE_BYTES = 4096, DB_BUSY_MS = 5000 };

#endif
