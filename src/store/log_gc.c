#include "log_gc.h"

#include <stdio.h>
#include <stdlib.h>

#include "log_write.h"
#include "owner.h"
#include "xalloc.h"

struct log_gc {
    struct place place;
    struct log_writer *writer; /* owned; of no run */
};

/* So many rows at a time, until a statement finds no more; ?1 is the run. Rows of output and
 * captures are large, those of events are small, and go by the rule of schema.c's trigger, which
 * our connection has not. What is found by no key is looked for in a table that is small. */
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

/* The last transaction: until then the run can be found as one that goes. A rule set goes with the
 * last run that it judged in. */
static const char *const last_deletions[] = {
    "DELETE FROM plan WHERE run=?1",
    "DELETE FROM bookmark WHERE run=?1",
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

static bool run_with(const struct log_gc *gc, const char *sql, int64_t run, int *changed,
                     struct err *err)
{
    const struct db *db = &gc->writer->db;
    sqlite3_stmt *statement = NULL;
    bool ok = db_prepare(db, &sql, 1, &statement, err);
    if (ok) {
        (void)sqlite3_bind_int64(statement, 1, run);
        ok = db_run(db, statement, err);
    }
    *changed = ok ? sqlite3_changes(db->handle) : 0;
    db_finalize(&statement, 1);
    return ok;
}

/* Some statements in a transaction of one turn; *changed is of the last one. */
static bool change(struct log_gc *gc, const char *const *sql, size_t count, int64_t run,
                   int *changed, struct err *err)
{
    bool ok = log_write_begin(gc->writer, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = run_with(gc, sql[i], run, changed, err);
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
        (void)snprintf(out, LOG_UID_MAX, "%s", (const char *)sqlite3_column_text(query, 0));
    else if (ok)
        ok = err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)run);
    db_finalize(&query, 1);
    return ok;
}

/* From here on nobody finds it. In one statement with the look for bookmarks: somebody may be
 * making one. */
static bool mark_expired(struct log_gc *gc, int64_t run, struct err *err)
{
    static const char *const mark = "UPDATE run SET expired=1 WHERE id=?1"
                                    " AND NOT EXISTS(SELECT 1 FROM bookmark WHERE run=?1)";
    int changed = 0;
    if (!change(gc, &mark, 1, run, &changed, err))
        return false;
    return changed > 0 || err_set(err, ERR_INVALID, "run #%lld has a bookmark", (long long)run);
}

static bool delete_rows(struct log_gc *gc, int64_t run, struct err *err)
{
    int changed = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < ARRAY_LEN(deletions); i++) {
        do
            ok = change(gc, &deletions[i], 1, run, &changed, err);
        while (ok && changed > 0);
    }
    return ok && change(gc, last_deletions, ARRAY_LEN(last_deletions), run, &changed, err);
}

bool log_gc_remove(struct log_gc *gc, int64_t run, struct err *err)
{
    char uid[LOG_UID_MAX] = "";
    int owner_fd = -1;
    if (!find_uid(gc, run, uid, err))
        return false;
    if (owner_is_alive(&gc->place, uid)) /* owner_take() would wait for it to end */
        return err_set(err, ERR_BUSY, "run #%lld is alive", (long long)run);
    if (!owner_take(&gc->place, uid, &owner_fd, err))
        return false;
    bool ok = mark_expired(gc, run, err);
    if (ok)
        bell_ring(&gc->writer->bell);
    ok = ok && delete_rows(gc, run, err);
    owner_drop(&gc->place, uid, owner_fd);
    return ok;
}

static bool free_pages(const struct log_gc *gc, int64_t *out, struct err *err)
{
    return db_number(&gc->writer->db, "PRAGMA freelist_count", out, err);
}

/* Pages from the end of the file take the place of free ones before it. */
static bool shrink_slice(struct log_gc *gc, struct err *err)
{
    char sql[64];
    (void)snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%d)", LOG_GC_SLICE_PAGES);
    bool ok = log_write_begin(gc->writer, err) && db_exec(&gc->writer->db, sql, err) &&
              log_write_end(gc->writer, err);
    if (!ok)
        log_write_abort(gc->writer);
    return ok;
}

bool log_gc_shrink(struct log_gc *gc, int64_t bytes_max, int64_t *bytes_out, struct err *err)
{
    int64_t free_now = 0;
    int64_t done = 0;
    *bytes_out = 0;
    bool ok = free_pages(gc, &free_now, err);
    while (ok && free_now > 0 && (bytes_max == 0 || done < bytes_max)) {
        int64_t left = 0;
        ok = shrink_slice(gc, err) && free_pages(gc, &left, err);
        if (!ok || left >= free_now)
            break; /* others fill what is freed, or the file is not one that shrinks */
        done += (free_now - left) * DB_PAGE_BYTES;
        free_now = left;
        *bytes_out = done;
    }
    return ok;
}
