/*
 * bookmark.c - adds, removes and lists bookmarks.
 *
 * A process need not own the run: each change opens its own connection and is one statement in a
 * turn of its own. The conditions are part of that statement, so that a run that expires meanwhile
 * gets no bookmark. If nothing was inserted, the log is read again to find out why.
 */
#include "bookmark.h"

#include <string.h>

#include "db.h"
#include "log_read.h"
#include "private_file.h"
#include "text.h"
#include "turns.h"

/* Writes one row in a turn and a transaction of its own; the statement's parameters come from the
 * bookmark. *changed is 0 if the statement matched no row. Sets *row_out (may be NULL) to the id of
 * a new row. */
static bool write_change(const struct place *place, const char *sql,
                         const struct bookmark *bookmark, int *changed, int64_t *row_out,
                         struct err *err)
{
    struct db db = {0};
    struct turns turns = {.gate_fd = -1, .write_fd = -1};
    struct bell bell = {.fd = -1};
    bool ok = place_check_write(place, err) && db_init(&db, place->db, DB_WRITE, err) &&
              schema_check(&db, err) && turns_init(&turns, place, err) &&
              bell_init(&bell, place, err) && turns_take(&turns, err);
    if (ok) {
        sqlite3_stmt *put = NULL;
        ok = schema_ensure(&db, err) && db_exec(&db, "BEGIN IMMEDIATE", err) &&
             db_prepare(&db, &sql, 1, &put, err);
        if (ok)
            (void)sqlite3_bind_int64(put, 1, bookmark->id);
        if (ok && sqlite3_bind_parameter_count(put) > 1) {
            db_bind_text(put, 2, bookmark->name);
            (void)sqlite3_bind_int64(put, 3, bookmark->run);
            (void)sqlite3_bind_int64(put, 4, bookmark->seq);
            (void)sqlite3_bind_int64(put, 5, bookmark->at_ms);
            (void)sqlite3_bind_int64(put, 6, bookmark->made_at_ms);
            db_bind_text(put, 7, bookmark->by);
            (void)sqlite3_bind_int(put, 8, BOOKMARKS_MAX);
        }
        ok = ok && db_run(&db, put, err);
        *changed = ok ? sqlite3_changes(db.handle) : 0;
        db_finalize(&put, 1);
        ok = ok && db_exec(&db, "COMMIT", err) && db_sync(&db, err);
        if (!ok)
            db_roll_back(&db);
        else if (row_out)
            *row_out = sqlite3_last_insert_rowid(db.handle);
        turns_give(&turns);
    }
    if (ok && *changed > 0)
        bell_ring(&bell);
    if (db.handle && turns_take(&turns, NULL)) {
        db_done_in_turn(&db);
        turns_give(&turns);
    }
    db_done(&db);
    bell_done(&bell);
    turns_done(&turns);
    return ok;
}

/* Finds out which condition kept the bookmark from being inserted. */
static bool say_why_refused(const struct place *place, const struct bookmark *bookmark,
                            struct err *err)
{
    struct log_reader *reader = NULL;
    struct log_run_info info = {0};
    if (!log_reader_open(&reader, place, err))
        return false;
    bool there = log_reader_run_row(reader, bookmark->run, &info, err);
    log_reader_close(reader);
    if (!there)
        return false;
    const int64_t last = info.last_seq;
    log_run_info_done(&info);
    if (bookmark->seq < 0 || bookmark->seq > last)
        return err_set(err, ERR_NOT_FOUND, "run #%lld has no event %lld", (long long)bookmark->run,
                       (long long)bookmark->seq);
    return err_set(err, ERR_LIMIT, "run #%lld already has %d bookmarks", (long long)bookmark->run,
                   BOOKMARKS_MAX);
}

bool bookmark_add(const struct place *place, struct bookmark *bookmark, struct err *err)
{
    /* In one statement, so that a run that expires concurrently gets no bookmark. */
    static const char add[] =
        "INSERT INTO bookmark(run, seq, at_ms, made_at_ms, name, by)"
        " SELECT id, ?4, ?5, ?6, ?2, ?7 FROM run WHERE ?1>=0 AND id=?3 AND expired=0"
        " AND ?4 BETWEEN 0 AND last_seq"
        " AND (SELECT count(*) FROM bookmark WHERE run=?3)<?8";
    struct bookmark new = *bookmark;
    struct str clean = {0};
    int changed = 0;
    new.id = 0;
    text_clean(&clean, bookmark->name, strlen(bookmark->name));
    const size_t len = text_cut(str_text(&clean), clean.len, BOOKMARK_NAME_MAX);
    memcpy(new.name, str_text(&clean), len);
    new.name[len] = '\0';
    for (char *c = new.name; *c != '\0'; c++) {
        if (*c == '\n')
            *c = ' ';
    }
    str_done(&clean);
    if (!write_change(place, add, &new, &changed, &new.id, err))
        return false;
    if (changed == 0)
        return say_why_refused(place, bookmark, err);
    *bookmark = new;
    return true;
}

bool bookmark_remove(const struct place *place, int64_t id, struct err *err)
{
    const struct bookmark bookmark = {.id = id};
    int changed = 0;
    if (!write_change(place, "DELETE FROM bookmark WHERE id=?1", &bookmark, &changed, NULL, err))
        return false;
    return changed > 0 || err_set(err, ERR_NOT_FOUND, "no bookmark %lld", (long long)id);
}

bool bookmark_list(struct log_reader *reader, int64_t run, struct bookmark *out, size_t max,
                   size_t *count_out, struct err *err)
{
    static const char *const list = "SELECT id, run, seq, at_ms, made_at_ms, name, by FROM bookmark"
                                    " WHERE (?1=0 OR run=?1) ORDER BY run DESC, at_ms, id LIMIT ?2";
    sqlite3_stmt *query = NULL;
    size_t count = 0;
    bool row = true;
    bool is_there = false;
    if (!schema_has_bookmarks(&reader->db, &is_there, err))
        return false;
    bool ok = !is_there || db_prepare(&reader->db, &list, 1, &query, err);
    if (query) {
        (void)sqlite3_bind_int64(query, 1, run);
        (void)sqlite3_bind_int64(query, 2, (int64_t)max);
    }
    while (ok && query && row) {
        ok = db_next(&reader->db, query, &row, err);
        if (!ok || !row)
            break;
        struct bookmark *bookmark = &out[count++];
        *bookmark = (struct bookmark){.id = sqlite3_column_int64(query, 0),
                                      .run = sqlite3_column_int64(query, 1),
                                      .seq = sqlite3_column_int64(query, 2),
                                      .at_ms = log_read_nearest(query, 3),
                                      .made_at_ms = log_read_nearest(query, 4)};
        db_copy_text(query, 5, bookmark->name, sizeof(bookmark->name));
        db_copy_text(query, 6, bookmark->by, sizeof(bookmark->by));
    }
    db_finalize(&query, 1);
    if (ok)
        *count_out = count;
    return ok;
}
