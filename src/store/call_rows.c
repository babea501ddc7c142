#include "call_rows.h"

#include <assert.h>
#include <stdio.h>

#include "call_log.h"
#include "event_row.h"
#include "log_reader.h"
#include "place_check.h"
#include "schema.h"

enum { CALL_HEAD_MAX = 256 };

static const char *const statement_sql[] = {
    [CALL_FIND_RUN] = "SELECT r.id, r.uid, (SELECT ifnull(max(seq), 0) FROM event WHERE run=r.id),"
                      " r.ended_at_ms FROM session s JOIN run r ON r.id=s.run"
                      " WHERE s.session=? AND s.agent=? AND r.kind='agent' AND r.expired=0"
                      " ORDER BY s.id DESC LIMIT 1",
    [CALL_FIND_KEPT] = "SELECT rowid FROM gain WHERE run=? AND task=0",
    [CALL_GET_KEPT] = "SELECT bytes FROM gain WHERE run=? AND task=0",
    [CALL_BEGIN] = "BEGIN IMMEDIATE",
    [CALL_COMMIT] = "COMMIT",
    [CALL_PUT_EVENT] = EVENT_ROW_SQL,
    [CALL_PUT_KEPT] = "INSERT OR REPLACE INTO gain(run, task, step, attempt, bytes)"
                      " VALUES(?,0,0,1,?)",
    [CALL_PUT_RUN] = "UPDATE run SET last_seq=?2, last_at_ms=?3 WHERE id=?1",
    [CALL_PUT_WORDS] = "INSERT INTO output(run, task, step, attempt, stream, part, idx, offset,"
                       " at_ms, bytes) VALUES(?,0,0,1,?,0,?,?,?,?)",
    [CALL_WORDS_END] = "SELECT idx+1, offset+length(bytes) FROM output WHERE run=? AND task=0 AND"
                       " step=0 AND attempt=1 AND stream=? AND part=0 ORDER BY idx DESC LIMIT 1",
};
static_assert(ARRAY_LEN(statement_sql) == CALL_STATEMENT_COUNT, "every statement has its text");

static int on_commit(void *ctx, sqlite3 *handle, const char *name, int pages)
{
    (void)handle;
    (void)name;
    struct call_rows *rows = ctx;
    rows->wal_pages = pages;
    return SQLITE_OK;
}

bool call_rows_open(struct call_rows *rows, const struct place *place, struct err *err)
{
    *rows = (struct call_rows){.turns = {.gate_fd = -1, .write_fd = -1}, .bell = {.fd = -1}};
    bool ok = place_check_write(place, err) && turns_init(&rows->turns, place, err) &&
              bell_init(&rows->bell, place, err) && db_init(&rows->db, place->db, DB_WRITE, err) &&
              schema_check(&rows->db, err) &&
              db_prepare(&rows->db, statement_sql, CALL_STATEMENT_COUNT, rows->statements, err);
    if (ok)
        (void)sqlite3_wal_hook(rows->db.handle, on_commit, rows);
    else
        call_rows_close(rows);
    return ok;
}

void call_rows_close(struct call_rows *rows)
{
    db_finalize(rows->statements, CALL_STATEMENT_COUNT);
    db_done(&rows->db);
    bell_done(&rows->bell);
    turns_done(&rows->turns);
}

bool call_rows_find(struct call_rows *rows, const char *agent, const char *session,
                    struct call_run *out, struct err *err)
{
    sqlite3_stmt *find = rows->statements[CALL_FIND_RUN];
    db_bind_text(find, 1, session);
    db_bind_text(find, 2, agent);
    bool row = false;
    bool ok = db_next(&rows->db, find, &row, err);
    *out = (struct call_run){0};
    if (ok && row) {
        const char *uid = (const char *)sqlite3_column_text(find, 1);
        out->number = sqlite3_column_int64(find, 0);
        (void)snprintf(out->uid, sizeof(out->uid), "%s", uid ? uid : "");
        out->last_seq = sqlite3_column_int64(find, 2);
        out->ended = sqlite3_column_type(find, 3) != SQLITE_NULL;
    }
    (void)sqlite3_reset(find); /* repeats the step's error */
    return ok;
}

bool call_rows_kept(struct call_rows *rows, int64_t run, struct str *out, struct err *err)
{
    sqlite3_stmt *get = rows->statements[CALL_GET_KEPT];
    (void)sqlite3_bind_int64(get, 1, run);
    bool row = false;
    bool ok = db_next(&rows->db, get, &row, err);
    if (ok && row) {
        const int len = sqlite3_column_bytes(get, 0);
        const char *bytes = sqlite3_column_blob(get, 0);
        if (bytes && len > 0)
            str_add_n(out, bytes, (size_t)len);
    }
    (void)sqlite3_reset(get);
    return ok;
}

static bool read_head(struct call_rows *rows, int64_t row, size_t max, struct str *out,
                      struct err *err)
{
    sqlite3_blob *blob = NULL;
    char bytes[CALL_HEAD_MAX];
    bool ok =
        sqlite3_blob_open(rows->db.handle, "main", "gain", "bytes", row, 0, &blob) == SQLITE_OK;
    const int whole = ok ? sqlite3_blob_bytes(blob) : 0;
    const int len = whole < (int)max ? whole : (int)max;
    ok = ok && sqlite3_blob_read(blob, bytes, len, 0) == SQLITE_OK;
    if (ok)
        str_add_n(out, bytes, (size_t)len);
    else
        (void)db_fail(&rows->db, "read", err);
    (void)sqlite3_blob_close(blob); /* only read */
    return ok;
}

bool call_rows_kept_head(struct call_rows *rows, int64_t run, size_t max, struct str *out,
                         struct err *err)
{
    sqlite3_stmt *find = rows->statements[CALL_FIND_KEPT];
    (void)sqlite3_bind_int64(find, 1, run);
    bool row = false;
    bool ok = db_next(&rows->db, find, &row, err);
    const int64_t number = ok && row ? sqlite3_column_int64(find, 0) : 0;
    (void)sqlite3_reset(find);
    assert(max <= CALL_HEAD_MAX);
    return ok && (!row || read_head(rows, number, max, out, err));
}

/* Where the next words go. */
static bool find_end(struct call_rows *rows, int64_t run, int64_t *index, int64_t *offset,
                     struct err *err)
{
    sqlite3_stmt *get = rows->statements[CALL_WORDS_END];
    bool row = false;
    (void)sqlite3_bind_int64(get, 1, run);
    (void)sqlite3_bind_int(get, 2, LOG_STREAM_AGENT);
    const bool ok = db_next(&rows->db, get, &row, err);
    *index = ok && row ? sqlite3_column_int64(get, 0) : 0;
    *offset = ok && row ? sqlite3_column_int64(get, 1) : 0;
    (void)sqlite3_reset(get);
    return ok;
}

/* A piece is a row, or several where it is longer than one may be. */
static bool put_words(struct call_rows *rows, const struct call_batch *batch, struct err *err)
{
    int64_t index = 0;
    int64_t offset = 0;
    size_t at = 0;
    sqlite3_stmt *put = rows->statements[CALL_PUT_WORDS];
    bool ok = batch->piece_count == 0 || find_end(rows, batch->run, &index, &offset, err);
    for (size_t i = 0; ok && i < batch->piece_count;) {
        const size_t len = batch->pieces[i].end - at;
        const size_t part = len < CALL_LOG_WORDS_MAX ? len : CALL_LOG_WORDS_MAX;
        (void)sqlite3_bind_int64(put, 1, batch->run);
        (void)sqlite3_bind_int(put, 2, LOG_STREAM_AGENT);
        (void)sqlite3_bind_int64(put, 3, index++);
        (void)sqlite3_bind_int64(put, 4, offset + (int64_t)at);
        (void)sqlite3_bind_int64(put, 5, batch->pieces[i].at_ms);
        (void)sqlite3_bind_blob64(put, 6, batch->words->data + at, part, SQLITE_STATIC);
        ok = db_run(&rows->db, put, err);
        at += part;
        i += part == len;
    }
    return ok;
}

static bool put_all(struct call_rows *rows, const struct call_batch *batch, struct err *err)
{
    const struct event *last = &batch->events[batch->count - 1];
    sqlite3_stmt *kept = rows->statements[CALL_PUT_KEPT];
    sqlite3_stmt *run = rows->statements[CALL_PUT_RUN];
    for (size_t i = 0; i < batch->count; i++) {
        if (!event_row_put(&rows->db, rows->statements[CALL_PUT_EVENT], batch->run,
                           &batch->events[i], err))
            return false;
    }
    (void)sqlite3_bind_int64(kept, 1, batch->run);
    (void)sqlite3_bind_blob64(kept, 2, str_text(batch->kept), batch->kept->len, SQLITE_STATIC);
    (void)sqlite3_bind_int64(run, 1, batch->run);
    (void)sqlite3_bind_int64(run, 2, last->seq);
    (void)sqlite3_bind_int64(run, 3, last->at.at_ms);
    return put_words(rows, batch, err) && db_run(&rows->db, kept, err) &&
           db_run(&rows->db, run, err);
}

/* Whoever reads just now is not waited for: the next one who commits comes to it. */
static void shorten(struct call_rows *rows)
{
    if (rows->wal_pages < CALL_WAL_BYTES / DB_PAGE_BYTES)
        return;
    (void)sqlite3_busy_timeout(rows->db.handle, 0);
    (void)sqlite3_wal_checkpoint_v2(rows->db.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                                    NULL);
    (void)sqlite3_busy_timeout(rows->db.handle, DB_BUSY_MS);
}

static bool commit_in_turn(struct call_rows *rows, const struct place *place,
                           const struct call_batch *batch, struct err *err)
{
    if (!db_is_in_place(&rows->db))
        return err_set(err, ERR_IO, "'%s' was deleted, moved or replaced", place->db);
    bool ok = db_run(&rows->db, rows->statements[CALL_BEGIN], err) && put_all(rows, batch, err) &&
              db_run(&rows->db, rows->statements[CALL_COMMIT], err);
    if (ok)
        shorten(rows);
    else
        db_roll_back(&rows->db);
    return ok;
}

bool call_rows_commit(struct call_rows *rows, const struct place *place,
                      const struct call_batch *batch, struct err *err)
{
    assert(batch->count > 0);
    if (!turns_take(&rows->turns, err))
        return false;
    const bool ok = commit_in_turn(rows, place, batch, err);
    turns_give(&rows->turns);
    if (ok)
        bell_ring(&rows->bell);
    return ok;
}
