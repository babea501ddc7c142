/*
 * log_gc.c - chooses the runs to delete, and deletes them in small transactions.
 *
 * First the choice: runs are examined from the newest to the oldest, and the first reason that
 * applies decides. Then the deletion: each statement removes some rows and is repeated until it
 * finds none. The row of the run is deleted last, so that the next collection finds a deletion that
 * was interrupted. Last, log_gc_shrink() gives free pages back to the file system.
 */
#include "log_gc.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "log_read.h"
#include "log_reader.h"
#include "log_write.h"
#include "owner.h"
#include "spill.h"
#include "text.h"
#include "xalloc.h"

/* Which runs to delete. */

/* Queries for each run; ?1 is the run. */
enum plan_query { PLAN_BYTES, PLAN_BOOKMARKS, PLAN_BEGUN, PLAN_QUERY_COUNT };
static const char *const query_sql[] = {
    [PLAN_BYTES] = "SELECT (SELECT ifnull(sum(length(CAST(data AS BLOB))),0)+64*count(*) FROM event"
                   " WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(bytes)),0)+64*count(*) FROM output WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(json)),0)+64*count(*) FROM capture WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(bytes)),0) FROM gain WHERE run=?1)"
                   " +(SELECT 128*count(*) FROM attempt WHERE run=?1)"
                   " +(SELECT 128*count(*) FROM task WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(text)),0) FROM plan WHERE run=?1)",
    [PLAN_BOOKMARKS] = "SELECT count(*) FROM bookmark WHERE run=?1",
    [PLAN_BEGUN] = "SELECT id, name, last_at_ms FROM run WHERE expired=1 AND ?1=0 ORDER BY id DESC",
};
static_assert(ARRAY_LEN(query_sql) == PLAN_QUERY_COUNT, "every query has its text");

/* The state while a plan is made. */
struct planning {
    const struct log_gc_asked *asked;
    struct db db;
    bool has_bookmarks;
    struct log_gc_run *runs; /* owned until it is returned */
    size_t count, cap;
    int64_t kept_runs, kept_bytes;
    bool is_full; /* a run exceeded the size limit, so all older runs are deleted, too */
};

struct log_limits log_limits_new(void)
{
    return (struct log_limits){.age_ms = -1, .runs = -1, .bytes = -1};
}

bool log_gc_goes(enum log_gc_why why)
{
    return why >= LOG_GC_NAMED;
}

static struct log_gc_run *add_run(struct planning *planning, int64_t number, const char *name)
{
    planning->runs =
        xgrow(planning->runs, &planning->cap, planning->count + 1, sizeof(*planning->runs));
    struct log_gc_run *run = &planning->runs[planning->count++];
    *run = (struct log_gc_run){.number = number, .bytes = -1};
    const size_t len = text_cut(name, strlen(name), LOG_GC_NAME_MAX);
    memcpy(run->name, name, len);
    return run;
}

bool log_gc_is_named(const struct log_gc_asked *asked, int64_t number)
{
    for (size_t i = 0; i < asked->named_count; i++) {
        if (asked->named[i] == number)
            return true;
    }
    return false;
}

/* Applies the limits to an unprotected run. `bytes` is -1 if there is no size limit. */
static enum log_gc_why apply_limits(struct planning *planning, const struct log_run_info *info,
                                    int64_t bytes)
{
    const struct log_limits *limits = &planning->asked->limits;
    const int64_t now_ms = planning->asked->now_ms;
    if (log_gc_is_named(planning->asked, info->number))
        return LOG_GC_NAMED;
    if (planning->count == 1)
        return LOG_GC_NEWEST;
    if (limits->age_ms >= 0 && info->last_at_ms <= now_ms - limits->age_ms)
        return LOG_GC_OLD;
    if (limits->runs >= 0 && planning->kept_runs >= limits->runs)
        return LOG_GC_MANY;
    planning->is_full =
        planning->is_full || (limits->bytes >= 0 && planning->kept_bytes + bytes > limits->bytes);
    return planning->is_full ? LOG_GC_LARGE : LOG_GC_WITHIN;
}

static bool take_run(struct planning *planning, const struct log_run_info *info, struct err *err)
{
    struct log_gc_run *run = add_run(planning, info->number, info->name ? info->name : "");
    const char *bytes_sql = query_sql[PLAN_BYTES];
    struct place spill;
    int64_t bookmarks = 0;
    run->last_at_ms = info->last_at_ms;
    if (planning->asked->limits.bytes >= 0 &&
        !db_number_of_run(&planning->db, bytes_sql, info->number, &run->bytes, err))
        return false;
    if (planning->has_bookmarks &&
        !db_number_of_run(&planning->db, query_sql[PLAN_BOOKMARKS], info->number, &bookmarks, err))
        return false;

    const int64_t quiet_since_ms = planning->asked->now_ms - LOG_GC_SESSION_MS;
    const bool is_alive = info->is_session
                              ? info->ended_at_ms == 0 && info->last_at_ms > quiet_since_ms
                              : info->owner_alive;
    if (is_alive)
        run->why = LOG_GC_ALIVE;
    else if (bookmarks > 0)
        run->why = LOG_GC_BOOKMARKED;
    else if (spill_find(info->uid, &spill))
        run->why = LOG_GC_SPILLED;
    else
        run->why = apply_limits(planning, info, run->bytes);
    if (!log_gc_goes(run->why)) {
        planning->kept_runs++;
        planning->kept_bytes += run->bytes;
        return true;
    }
    return run->bytes >= 0 ||
           db_number_of_run(&planning->db, bytes_sql, info->number, &run->bytes, err);
}

static bool take_runs(struct planning *planning, struct log_reader *reader, struct err *err)
{
    struct log_run_info *page = xcalloc(LOG_PAGE_RUNS, sizeof(*page));
    int64_t before = 0;
    size_t count = 0;
    bool ok = true;
    do {
        ok = log_reader_runs(reader, before, page, LOG_PAGE_RUNS, &count, err);
        if (!ok)
            break;
        if (count > 0)
            before = page[count - 1].number;
        for (size_t i = 0; i < count; i++) {
            ok = ok && take_run(planning, &page[i], err);
            log_run_info_done(&page[i]);
        }
    } while (ok && count == LOG_PAGE_RUNS && planning->count < LOG_GC_RUNS_MAX);
    free(page);
    return ok;
}

/* Adds runs that are already hidden from readers. */
static bool take_begun(struct planning *planning, struct err *err)
{
    sqlite3_stmt *query = NULL;
    bool row = true;
    bool ok = db_prepare(&planning->db, &query_sql[PLAN_BEGUN], 1, &query, err);
    if (ok)
        (void)sqlite3_bind_int64(query, 1, 0);
    for (int begun = 0; ok && row && begun < LOG_GC_RUNS_MAX; begun++) {
        ok = db_next(&planning->db, query, &row, err);
        if (!ok || !row)
            break;
        const char *name = (const char *)sqlite3_column_text(query, 1);
        struct log_gc_run *run =
            add_run(planning, sqlite3_column_int64(query, 0), name ? name : "");
        run->last_at_ms = log_read_nearest(query, 2);
        run->why = LOG_GC_BEGUN;
        ok = db_number_of_run(&planning->db, query_sql[PLAN_BYTES], run->number, &run->bytes, err);
    }
    db_finalize(&query, 1);
    return ok;
}

static bool check_named(const struct planning *planning, struct err *err)
{
    for (size_t i = 0; i < planning->asked->named_count; i++) {
        const int64_t number = planning->asked->named[i];
        bool found = false;
        for (size_t j = 0; !found && j < planning->count; j++)
            found = planning->runs[j].number == number;
        if (!found)
            return err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)number);
    }
    return true;
}

bool log_gc_plan(const struct log_gc_asked *asked, struct log_gc_run **out, size_t *count_out,
                 struct err *err)
{
    struct planning planning = {.asked = asked};
    struct log_reader *reader = NULL;
    bool ok = log_reader_open(&reader, asked->place, err) &&
              db_init(&planning.db, asked->place->db, DB_READ, err) &&
              schema_check(&planning.db, err) &&
              schema_has_bookmarks(&planning.db, &planning.has_bookmarks, err) &&
              take_runs(&planning, reader, err) && take_begun(&planning, err) &&
              check_named(&planning, err);
    db_done(&planning.db);
    log_reader_close(reader);
    if (!ok) {
        free(planning.runs);
        return false;
    }
    *out = planning.runs;
    *count_out = planning.count;
    return true;
}

struct log_gc {
    struct place place;
    struct log_writer *writer; /* owned; without a run */
};

/* Each statement deletes a number of rows and is repeated until it finds none; ?1 is the run. Rows
 * of output and captures are large, rows of events are small. Events obey the rule of schema.c's
 * trigger, which is disabled on our connection. Tables without a suitable index are small. */
static const char *const deletions[] = {
    "DELETE FROM output WHERE id IN(SELECT id FROM output WHERE run=?1 LIMIT 64)",
    "DELETE FROM capture WHERE id IN(SELECT id FROM capture WHERE run=?1 LIMIT 64)",
    "DELETE FROM gain WHERE run=?1 AND task IN(SELECT task FROM gain WHERE run=?1 LIMIT 8)",
    ("DELETE FROM event WHERE run=?1 AND seq<=(SELECT min(seq)+999 FROM event WHERE run=?1)"
     " AND EXISTS(SELECT 1 FROM run WHERE id=?1 AND expired=1)"),
    "DELETE FROM attempt WHERE run=?1 AND task<=(SELECT min(task)+99 FROM attempt WHERE run=?1)",
    "DELETE FROM task WHERE run=?1 AND task<=(SELECT min(task)+999 FROM task WHERE run=?1)",
    "DELETE FROM control WHERE id IN(SELECT id FROM control WHERE run=?1 LIMIT 1000)",
    "DELETE FROM session WHERE id IN(SELECT id FROM session WHERE run=?1 LIMIT 1000)",
};

/* The last transaction: until it commits, the next collection finds the run. A rule set is deleted
 * with the last run that used it. */
static const char *const last_deletions[] = {
    "DELETE FROM plan WHERE run=?1",
    "DELETE FROM bookmark WHERE run=?1",
    "DELETE FROM origin WHERE run=?1",
    ("DELETE FROM ruleset WHERE hash=(SELECT ruleset FROM run WHERE id=?1)"
     " AND NOT EXISTS(SELECT 1 FROM run r WHERE r.ruleset=ruleset.hash AND r.id<>?1)"),
    "DELETE FROM run WHERE id=?1 AND expired=1",
};

bool log_gc_open(struct log_gc **out, const struct place *place, struct err *err)
{
    struct log_gc *gc = xcalloc(1, sizeof(*gc));
    gc->place = *place;
    if (log_writer_open(&gc->writer, place, err)) {
        *out = gc;
        return true;
    }
    log_gc_close(gc);
    return false;
}

void log_gc_close(struct log_gc *gc)
{
    if (!gc)
        return;
    log_writer_close(gc->writer);
    free(gc);
}

/* Runs statements about a run in one transaction and one turn; *changed is the number of rows that
 * the last statement changed. */
static bool change_rows(struct log_gc *gc, const char *const *sql, size_t count, int64_t run,
                        int *changed, struct err *err)
{
    const struct db *db = &gc->writer->db;
    bool ok = log_write_begin(gc->writer, err);
    for (size_t i = 0; ok && i < count; i++) {
        sqlite3_stmt *statement = NULL;
        ok = db_prepare(db, &sql[i], 1, &statement, err);
        if (ok) {
            (void)sqlite3_bind_int64(statement, 1, run);
            ok = db_run(db, statement, err);
        }
        *changed = ok ? sqlite3_changes(db->handle) : 0;
        db_finalize(&statement, 1);
    }
    ok = ok && log_write_end(gc->writer, err);
    if (!ok)
        log_write_abort(gc->writer);
    return ok;
}

static bool find_uid(const struct log_gc *gc, int64_t run, char out[LOG_UID_MAX], struct err *err)
{
    static const char *const sql = "SELECT uid FROM run WHERE id=?";
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(&gc->writer->db, &sql, 1, &query, err);
    if (ok)
        (void)sqlite3_bind_int64(query, 1, run);
    ok = ok && db_next(&gc->writer->db, query, &row, err);
    if (ok && row)
        db_copy_text(query, 0, out, LOG_UID_MAX);
    else if (ok)
        ok = err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)run);
    db_finalize(&query, 1);
    return ok;
}

bool log_gc_remove(struct log_gc *gc, int64_t run, struct err *err)
{
    /* Hides the run from readers. The same statement checks for bookmarks, because another process
     * may be adding one. */
    static const char *const mark_sql = "UPDATE run SET expired=1 WHERE id=?1"
                                        " AND NOT EXISTS(SELECT 1 FROM bookmark WHERE run=?1)";
    char uid[LOG_UID_MAX] = "";
    int owner_fd = -1;
    int changed = 0;
    if (!find_uid(gc, run, uid, err))
        return false;
    if (owner_is_alive(&gc->place, uid)) /* owner_take() would wait */
        return err_set(err, ERR_BUSY, "run #%lld is still running", (long long)run);
    if (!owner_take(&gc->place, uid, &owner_fd, err))
        return false;
    bool ok = change_rows(gc, &mark_sql, 1, run, &changed, err);
    if (ok && changed == 0)
        ok = err_set(err, ERR_INVALID, "run #%lld has a bookmark", (long long)run);
    if (ok)
        bell_ring(&gc->writer->bell);
    for (size_t i = 0; ok && i < ARRAY_LEN(deletions); i++) {
        do
            ok = change_rows(gc, &deletions[i], 1, run, &changed, err);
        while (ok && changed > 0);
    }
    ok = ok && change_rows(gc, last_deletions, ARRAY_LEN(last_deletions), run, &changed, err);
    owner_drop(&gc->place, uid, owner_fd);
    return ok;
}

bool log_gc_shrink(struct log_gc *gc, int64_t bytes_max, int64_t *bytes_out, struct err *err)
{
    static const char free_sql[] = "PRAGMA freelist_count";
    const struct db *db = &gc->writer->db;
    char sql[64];
    int64_t free_now = 0;
    int64_t done = 0;
    *bytes_out = 0;
    (void)snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)", LOG_GC_SLICE_PAGES);
    bool ok = db_number(db, free_sql, &free_now, err);
    while (ok && free_now > 0 && (bytes_max == 0 || done < bytes_max)) {
        int64_t left = 0;
        /* Moves pages from the end of the file into free pages nearer to its beginning. */
        ok = log_write_begin(gc->writer, err) && db_exec(db, sql, err) &&
             log_write_end(gc->writer, err);
        if (!ok)
            log_write_abort(gc->writer);
        ok = ok && db_number(db, free_sql, &left, err);
        if (!ok || left >= free_now)
            break; /* others use the freed pages, or the file cannot shrink */
        done += (free_now - left) * DB_PAGE_BYTES;
        free_now = left;
        *bytes_out = done;
    }
    return ok;
}
