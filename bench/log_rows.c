#include "log_rows.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "figure.h"
#include "xalloc.h"

enum { CELLS_MAX = 24, SYNC_MS = 200 };

#define EVENT_COLUMNS "run,seq,kind,task,task_no,step,attempt,data,round,grant_no,at_ms,mono_ms"

/* How a statement of each kind begins, and the SQL that reads and writes its row. */
static const struct {
    const char *begins;
    const char *read;
    const char *write;
    int keys;
} kinds[] = {
    [LOG_ROW_EVENT] = {"INSERT INTO event(",
                       "SELECT " EVENT_COLUMNS " FROM event WHERE run=? AND seq=?",
                       "INSERT INTO event(" EVENT_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", 2},
    [LOG_ROW_TASK] = {"INSERT OR REPLACE INTO task(", "SELECT * FROM task WHERE run=? AND task=?",
                      "INSERT OR REPLACE INTO task VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 2},
    [LOG_ROW_ATTEMPT] =
        {"INSERT OR REPLACE INTO attempt(",
         "SELECT * FROM attempt WHERE run=? AND task=? AND step=? AND attempt=?",
         "INSERT OR REPLACE INTO attempt VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", 4},
    [LOG_ROW_RUN] = {"UPDATE run SET last_seq",
                     "SELECT id, last_seq, last_at_ms, attempts, passed, failed, cancelled,"
                     " waited_ms, tasks FROM run WHERE id=?",
                     "UPDATE run SET last_seq=?2, last_at_ms=?3, attempts=?4, passed=?5, failed=?6,"
                     " cancelled=?7, waited_ms=?8, tasks=?9 WHERE id=?1",
                     1},
    [LOG_ROW_COMMIT] = {"COMMIT", NULL, "COMMIT", 0},
};

struct cell {
    int type;
    int64_t number;
    char *text; /* owned */
    int len;
};

/* A statement of the peer, with the values that it binds. */
struct job {
    enum log_row_kind kind;
    int cells;
    struct cell values[CELLS_MAX];
};

typedef int trace_fn(unsigned, void *, void *, void *);

static struct log_rows *noted;
static trace_fn *theirs; /* the store's own trace */
static void *theirs_ctx;

static void fail(sqlite3 *db, const char *what)
{
    fprintf(stderr, "bench_log: %s: %s\n", what, sqlite3_errmsg(db));
    exit(EXIT_FAILURE);
}

static void add_row(struct log_rows *rows, struct log_row row)
{
    rows->items = xgrow(rows->items, &rows->cap, rows->count + 1, sizeof(*rows->items));
    rows->items[rows->count++] = row;
}

/* Reads the first values of "... VALUES(1,2,...", or the run at the end of an update. */
static void read_keys(const char *sql, struct log_row *row)
{
    const char *at = strstr(sql, "VALUES(");
    at = at ? at + strlen("VALUES(") : strrchr(sql, '=') + 1;
    for (int i = 0; i < kinds[row->kind].keys; i++) {
        char *end;
        row->keys[i] = strtoll(at, &end, 10);
        at = end + 1;
    }
}

static int on_statement(unsigned what, void *ctx, void *statement, void *text)
{
    struct log_rows *rows = ctx;
    const char *sql = sqlite3_sql(statement);
    (void)theirs(what, theirs_ctx, statement, text);
    if (!noted || strncmp(text, "--", 2) == 0)
        return 0; /* a trigger */
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strncmp(sql, kinds[i].begins, strlen(kinds[i].begins)) != 0)
            continue;
        struct log_row row = {.kind = (enum log_row_kind)i};
        char *expanded = sqlite3_expanded_sql(statement);
        read_keys(expanded, &row);
        sqlite3_free(expanded);
        add_row(rows, row);
    }
    return 0;
}

/* The linker redirects the store's calls here (--wrap): a connection has one trace only, and the
 * store uses it. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_sqlite3_trace_v2(sqlite3 *db, unsigned mask, trace_fn *trace, void *ctx);
int __wrap_sqlite3_trace_v2(sqlite3 *db, unsigned mask, trace_fn *trace, void *ctx);
int __wrap_sqlite3_trace_v2(sqlite3 *db, unsigned mask, trace_fn *trace, void *ctx)
{
    if (!noted)
        return __real_sqlite3_trace_v2(db, mask, trace, ctx);
    theirs = trace;
    theirs_ctx = ctx;
    return __real_sqlite3_trace_v2(db, mask, on_statement, noted);
}
/* NOLINTEND(bugprone-reserved-identifier) */

void log_rows_start(struct log_rows *rows)
{
    noted = rows;
}

void log_rows_stop(void)
{
    if (noted->count == 0) {
        fputs("bench_log: saw no statement of the store\n", stderr);
        exit(EXIT_FAILURE);
    }
    noted = NULL;
}

static sqlite3 *open_db(const char *path, int flags)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        fail(db, path);
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
        fail(db, sql);
    return statement;
}

static void take_cells(sqlite3_stmt *row, struct job *job)
{
    job->cells = sqlite3_column_count(row);
    for (int i = 0; i < job->cells; i++) {
        struct cell *cell = &job->values[i];
        const char *text = NULL;
        cell->type = sqlite3_column_type(row, i);
        if (cell->type == SQLITE_INTEGER)
            cell->number = sqlite3_column_int64(row, i);
        else if (cell->type == SQLITE_TEXT)
            text = (const char *)sqlite3_column_text(row, i);
        cell->text = text ? xstrdup(text) : NULL;
        cell->len = text ? sqlite3_column_bytes(row, i) : 0;
    }
}

static void read_job(sqlite3 *db, sqlite3_stmt *query, const struct log_row *row, struct job *job)
{
    job->kind = row->kind;
    if (row->kind == LOG_ROW_COMMIT)
        return;
    for (int i = 0; i < kinds[row->kind].keys; i++)
        (void)sqlite3_bind_int64(query, i + 1, row->keys[i]);
    if (sqlite3_step(query) != SQLITE_ROW)
        fail(db, "a row is missing");
    take_cells(query, job);
    (void)sqlite3_reset(query);
}

/* Reads the rows as they are at the end: nearly as long as when they were written. */
static struct job *read_jobs(const struct log_rows *rows, const char *from)
{
    sqlite3 *db = open_db(from, SQLITE_OPEN_READONLY);
    sqlite3_stmt *queries[ARRAY_LEN(kinds)] = {NULL};
    struct job *jobs = xcalloc(rows->count, sizeof(*jobs));
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        queries[i] = kinds[i].read ? prepare(db, kinds[i].read) : NULL;
    for (size_t i = 0; i < rows->count; i++)
        read_job(db, queries[rows->items[i].kind], &rows->items[i], &jobs[i]);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        (void)sqlite3_finalize(queries[i]);
    (void)sqlite3_close(db);
    return jobs;
}

static void run_job(sqlite3 *db, sqlite3_stmt *put, const struct job *job)
{
    for (int i = 0; i < job->cells; i++) {
        const struct cell *cell = &job->values[i];
        if (cell->type == SQLITE_INTEGER)
            (void)sqlite3_bind_int64(put, i + 1, cell->number);
        else if (cell->type == SQLITE_TEXT)
            (void)sqlite3_bind_text(put, i + 1, cell->text, cell->len, SQLITE_STATIC);
        else
            (void)sqlite3_bind_null(put, i + 1);
    }
    if (sqlite3_step(put) != SQLITE_DONE)
        fail(db, kinds[job->kind].begins);
    (void)sqlite3_reset(put);
}

static void sync_wal(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (file && file->pMethods)
        (void)file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

static double run_jobs(sqlite3 *db, const struct job *jobs, size_t count, enum log_rows_which which)
{
    sqlite3_stmt *puts[ARRAY_LEN(kinds)];
    sqlite3_stmt *begin = prepare(db, "BEGIN IMMEDIATE");
    const struct job nothing = {0};
    bool is_open = false;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        puts[i] = prepare(db, kinds[i].write);
    const double from = figure_wall_ms();
    double synced = from;
    for (size_t i = 0; i < count; i++) {
        const enum log_row_kind kind = jobs[i].kind;
        if (which == LOG_ROWS_EVENTS && kind != LOG_ROW_EVENT && kind != LOG_ROW_COMMIT)
            continue;
        if (!is_open)
            run_job(db, begin, &nothing);
        run_job(db, puts[kind], &jobs[i]);
        is_open = kind != LOG_ROW_COMMIT;
        if (!is_open && figure_wall_ms() - synced >= SYNC_MS) {
            sync_wal(db);
            synced = figure_wall_ms();
        }
    }
    sync_wal(db);
    const double took = figure_wall_ms() - from;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        (void)sqlite3_finalize(puts[i]);
    (void)sqlite3_finalize(begin);
    return took;
}

double log_rows_write(const struct log_rows *rows, enum log_rows_which which, const char *from,
                      const char *to)
{
    struct job *jobs = read_jobs(rows, from);
    sqlite3 *db = open_db(to, SQLITE_OPEN_READWRITE);
    if (sqlite3_exec(db,
                     "PRAGMA wal_autocheckpoint=0; PRAGMA temp_store=MEMORY;"
                     " PRAGMA synchronous=NORMAL",
                     NULL, NULL, NULL) != SQLITE_OK)
        fail(db, "settings");
    const double took = run_jobs(db, jobs, rows->count, which);
    (void)sqlite3_close(db);
    for (size_t i = 0; i < rows->count; i++) {
        for (int k = 0; k < jobs[i].cells; k++)
            free(jobs[i].values[k].text);
    }
    free(jobs);
    return took;
}
