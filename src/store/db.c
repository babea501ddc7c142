/*
 * db.c - opens SQLite connections and runs statements.
 *
 * A log may come from somebody else, and SQLite would trust it. So devs rejects a rollback journal,
 * and a WAL that was not made with the log, before SQLite can replay them, turns off the views and
 * triggers of the file, and interrupts a statement that takes far more steps than the file has
 * bytes: that statement follows a cycle of pages. Checkpoints are never automatic; wal.c does them.
 */
#include "db.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "private_file.h"
#include "shm_guard.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

enum { MODE_BITS = 0777 };

static enum err_code code_of(int sqlite_code)
{
    switch (sqlite_code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_INTERRUPT: /* only db_watch interrupts statements */
        return ERR_DAMAGED;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return ERR_BUSY;
    default: /* callers need no finer distinction */
        return ERR_IO;
    }
}

bool db_hint_recover(const char *path, struct err *err)
{
    static const char words[] = "sqlite3 '' .recover copies the readable data";
    const bool fits = strlen(path) + sizeof(words) <= ERR_HINT_MAX && !strchr(path, '\'');
    return err_hint(err, "sqlite3 %s%s%s .recover copies the readable data", fits ? "'" : "",
                    fits ? path : "FILE", fits ? "'" : "");
}

bool db_fail(const struct db *db, const char *what, struct err *err)
{
    int code = db->handle ? sqlite3_extended_errcode(db->handle) : SQLITE_NOMEM;
    const char *why = db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);
    const char *path = db->handle ? sqlite3_db_filename(db->handle, "main") : NULL;
    if ((code & 0xff) == SQLITE_FULL) {
        (void)err_set(err, code_of(code), "log: the disk is full");
        return err_hint(err, "free some space, or use --db FILE on another disk");
    }
    if ((code & 0xff) == SQLITE_INTERRUPT)
        return err_set(err, ERR_DAMAGED, "log '%.200s': reading it takes too long",
                       path ? path : "");
    bool was_ours = (code & 0xff) == SQLITE_CORRUPT;
    if ((code & 0xff) == SQLITE_NOTADB && path)
        return err_set(err, code_of(code), "log '%.200s': %s", path, why);
    (void)err_set(err, code_of(code), "log: %s: %s", what, why);
    return was_ours && db_hint_recover(path ? path : "FILE", err);
}

bool db_exec(const struct db *db, const char *sql, struct err *err)
{
    if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
        return db_fail(db, sql, err);
    return true;
}

void db_roll_back(const struct db *db)
{
    if (sqlite3_get_autocommit(db->handle) == 0)
        (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL); /* it ends even on errors */
}

/* Counts the steps of the current statement. A valid statement visits every byte of a file only a
 * few times, so one that takes many more steps than there are bytes is following a cycle of
 * pages. */
struct db_watch {
    int64_t steps;
    char *path; /* owned */
};

enum { WATCH_STEPS = 100 * 1000, WATCH_STEPS_FREE = 10 * 1000 * 1000, WATCH_STEPS_PER_BYTE = 8 };

static int64_t size_of(const char *path, const char *suffix)
{
    char name[PATH_MAX];
    struct stat info;
    return private_path_join(name, sizeof(name), path, suffix, NULL) && stat(name, &info) == 0
               ? (int64_t)info.st_size
               : 0;
}

static int on_steps(void *ctx)
{
    struct db_watch *watch = ctx;
    watch->steps += WATCH_STEPS;
    if (watch->steps <= WATCH_STEPS_FREE)
        return 0;
    const int64_t bytes = size_of(watch->path, "") + size_of(watch->path, "-wal");
    return watch->steps - WATCH_STEPS_FREE > bytes * WATCH_STEPS_PER_BYTE;
}

static int on_statement(unsigned what, void *ctx, void *statement, void *text)
{
    struct db_watch *watch = ctx;
    (void)what;
    (void)statement;
    (void)text;
    watch->steps = 0;
    return 0;
}

/* Rejects a rollback journal or a foreign WAL next to a database, because SQLite would replay it.
 * Logs are in WAL mode from their first byte, so devs never makes a rollback journal; and a WAL has
 * the owner and mode of its database. */
static bool check_beside(const char *path, struct err *err)
{
    char name[PATH_MAX];
    struct stat file;
    struct stat info;
    if (!private_path_join(name, sizeof(name), path, "-journal", err))
        return false;
    if (lstat(name, &info) == 0) {
        (void)err_set(err, ERR_DAMAGED,
                      "'%s' is next to the log, but devs never creates such a file", name);
        return err_hint(err, "if you did not create it either, move it away: it may be forged");
    }
    if (!private_path_join(name, sizeof(name), path, "-wal", err))
        return false;
    if (stat(path, &file) != 0 || lstat(name, &info) != 0 ||
        (S_ISREG(info.st_mode) && info.st_uid == file.st_uid &&
         (info.st_mode & ~file.st_mode & MODE_BITS) == 0))
        return true;
    (void)err_set(err, ERR_DAMAGED, "'%s' was not created together with the log", name);
    return err_hint(err, "if you created it, give it the same owner and mode as the log");
}

/* Turns off memory statistics, which nobody uses and which cost a lock for each allocation. Fails
 * harmlessly if the library is already in use. */
static void set_up_library(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int open_handle(struct db *db, const char *path, enum db_mode mode)
{
    const int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, set_up_library);
    shm_guard_install();
    if (mode == DB_WRITE)
        return sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_READWRITE, NULL);
    if (mode == DB_READ)
        return sqlite3_open_v2(path, &db->handle, flags | SQLITE_OPEN_READONLY, NULL);

    /* A URI can tell SQLite that nobody changes the file. */
    struct str uri = {0};
    str_add(&uri, "file:");
    for (; *path != '\0'; path++) {
        if (strchr("%?#", *path))
            str_addf(&uri, "%%%02x", (unsigned)(unsigned char)*path);
        else
            str_add_char(&uri, *path);
    }
    str_add(&uri, "?immutable=1");
    int code = sqlite3_open_v2(uri.data, &db->handle,
                               flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    str_done(&uri);
    return code;
}

bool db_init(struct db *db, const char *path, enum db_mode mode, struct err *err)
{
    *db = (struct db){0};
    if (!check_beside(path, err))
        return false;
    if (open_handle(db, path, mode) != SQLITE_OK) {
        (void)db_fail(db, path, err);
        db_done(db);
        return false;
    }
    db->watch = xcalloc(1, sizeof(*db->watch));
    db->watch->path = xstrdup(path);
    sqlite3_progress_handler(db->handle, WATCH_STEPS, on_steps, db->watch);
    (void)sqlite3_trace_v2(db->handle, SQLITE_TRACE_STMT, on_statement, db->watch);

    /* A manipulated schema cannot call functions with side effects, and views and triggers are
     * disabled: the log's own views and triggers are for other programs. Our statements obey the
     * rules of schema.c's triggers anyway: the key prevents two events with the same number, and
     * only events of expired runs are deleted (log_gc.c). */
    bool ok = sqlite3_busy_timeout(db->handle, DB_BUSY_MS) == SQLITE_OK &&
              sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK &&
              sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
              sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) == SQLITE_OK &&
              sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) == SQLITE_OK &&
              sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL) == SQLITE_OK;
    if (!ok)
        (void)db_fail(db, "set up", err);
    ok = ok && db_exec(db, "PRAGMA wal_autocheckpoint=0; PRAGMA temp_store=MEMORY", err) &&
         (mode != DB_WRITE || db_exec(db, "PRAGMA synchronous=NORMAL", err));
    if (!ok)
        db_done(db);
    return ok;
}

void db_done(struct db *db)
{
    if (!db || !db->handle)
        return;
    int code = sqlite3_close(db->handle);
    assert(code == SQLITE_OK); /* otherwise a statement was not finalized */
    (void)code;
    if (db->watch)
        free(db->watch->path);
    free(db->watch);
    *db = (struct db){0};
}

void db_done_in_turn(struct db *db)
{
    if (!db->handle)
        return;
    if (!wal_is_whole(db, NULL)) { /* do not copy a damaged WAL into the file */
        db_done(db);
        return;
    }
    (void)sqlite3_busy_timeout(db->handle, 0); /* don't wait during our turn */
    (void)sqlite3_wal_checkpoint_v2(db->handle, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    db_done(db);
}

bool db_number(const struct db *db, const char *sql, int64_t *out, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    bool ok = db_prepare(db, &sql, 1, &statement, err) && db_next(db, statement, &row, err);
    if (ok && !row)
        ok = err_set(err, ERR_DAMAGED, "log: %s: no result", sql);
    if (ok)
        *out = sqlite3_column_int64(statement, 0);
    db_finalize(&statement, 1);
    return ok;
}

bool db_number_of_run(const struct db *db, const char *sql, int64_t run, int64_t *out,
                      struct err *err)
{
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(db, &sql, 1, &query, err);
    if (ok)
        (void)sqlite3_bind_int64(query, 1, run);
    ok = ok && db_next(db, query, &row, err);
    if (ok)
        *out = row ? sqlite3_column_int64(query, 0) : 0;
    db_finalize(&query, 1);
    return ok;
}

bool db_prepare(const struct db *db, const char *const *sql, int count, sqlite3_stmt **out,
                struct err *err)
{
    for (int i = 0; i < count; i++) {
        if (sqlite3_prepare_v3(db->handle, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &out[i], NULL) ==
            SQLITE_OK)
            continue;
        /* Our statements are valid, so the file must lack a table or column that they name, or have
         * a view with that name. */
        if (sqlite3_errcode(db->handle) == SQLITE_ERROR)
            return err_set(err, ERR_DAMAGED, "log: %.100s: %s", sql[i], sqlite3_errmsg(db->handle));
        return db_fail(db, sql[i], err);
    }
    return true;
}

void db_finalize(sqlite3_stmt **statements, int count)
{
    for (int i = 0; i < count; i++) {
        (void)sqlite3_finalize(statements[i]); /* repeats the last step's error */
        statements[i] = NULL;
    }
}

bool db_run(const struct db *db, sqlite3_stmt *statement, struct err *err)
{
    int code = sqlite3_step(statement);
    bool ok = code == SQLITE_DONE || code == SQLITE_ROW;
    if (!ok)
        (void)db_fail(db, "write", err);
    (void)sqlite3_reset(statement); /* repeats the step's error */
    return ok;
}

void db_try(sqlite3_stmt *statement)
{
    (void)sqlite3_step(statement);
    (void)sqlite3_reset(statement);
}

bool db_next(const struct db *db, sqlite3_stmt *statement, bool *row, struct err *err)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ERROR) /* for example, integer overflow in a sum */
        return err_set(err, ERR_DAMAGED, "log: read: %s", sqlite3_errmsg(db->handle));
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return db_fail(db, "read", err);
    *row = code == SQLITE_ROW;
    return true;
}

void db_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    int code = sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
    assert(code == SQLITE_OK); /* fails only for a wrong index or a running statement */
    (void)code;
}

void db_bind_unless(sqlite3_stmt *statement, int at, int64_t value, int64_t nothing)
{
    int code = value == nothing ? sqlite3_bind_null(statement, at)
                                : sqlite3_bind_int64(statement, at, value);
    assert(code == SQLITE_OK);
    (void)code;
}

int64_t db_column_or(sqlite3_stmt *statement, int at, int64_t nothing)
{
    /* For NULL, SQLite returns 0. */
    return nothing != 0 && sqlite3_column_type(statement, at) == SQLITE_NULL
               ? nothing
               : sqlite3_column_int64(statement, at);
}

void db_copy_text(sqlite3_stmt *statement, int at, char *out, size_t size)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    text_copy(out, size, text ? text : "");
}

char *db_column_copy(sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);
    return xstrdup(text ? text : "");
}

bool db_sync(const struct db *db, struct err *err)
{
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (code == SQLITE_OK && file && file->pMethods)
        code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    if (code != SQLITE_OK)
        return err_set(err, ERR_IO, "log: sync: %s", sqlite3_errstr(code));
    return true;
}

bool db_is_in_place(const struct db *db)
{
    int moved = 0;
    int code = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return code != SQLITE_OK || moved == 0;
}

bool db_pages(const struct db *db, int64_t *out, struct err *err)
{
    return db_number(db, "PRAGMA page_count", out, err);
}

bool db_copy_rows(const struct db_copy *copy, struct err *err)
{
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    bool row = true;
    bool ok = db_prepare(copy->from, &copy->select, 1, &from, err) &&
              db_prepare(copy->to, &copy->insert, 1, &to, err);
    if (ok)
        (void)sqlite3_bind_int64(from, 1, copy->run);
    while (ok && row) {
        ok = db_next(copy->from, from, &row, err);
        if (!ok || !row)
            break;
        const int columns = sqlite3_column_count(from);
        assert(columns == sqlite3_bind_parameter_count(to));
        for (int i = 0; ok && i < columns; i++) /* sqlite3_bind_value() copies the value */
            ok = sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i)) == SQLITE_OK ||
                 db_fail(copy->to, copy->insert, err);
        ok = ok && db_run(copy->to, to, err);
    }
    db_finalize(&from, 1);
    db_finalize(&to, 1);
    return ok;
}
