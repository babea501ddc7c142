/* event_row.c - writes events as rows of the log, and the row of an agent's session. */
#include "event_row.h"

#include <string.h>

#include "db.h"
#include "event.h"

bool event_row_put(const struct db *db, sqlite3_stmt *put, const struct event_row *row,
                   struct str *data, struct err *err)
{
    const struct event *event = row->event;
    str_clear(data);
    event_write(event, data);
    (void)sqlite3_bind_int64(put, 1, row->run);
    (void)sqlite3_bind_int64(put, 2, event->seq);
    (void)sqlite3_bind_int64(put, 3, event->at.at_ms);
    (void)sqlite3_bind_int64(put, 4, event->at.mono_ms);
    db_bind_text(put, 5, event_kind_name(event->kind));
    db_bind_text(put, 6, event->task >= 0 ? row->task : NULL);
    db_bind_unless(put, 7, event->task, -1);
    db_bind_unless(put, 8, event->step, -1);
    db_bind_unless(put, 9, event->round, 0);
    db_bind_unless(put, 10, event->grant, 0);
    db_bind_unless(put, 11, event->attempt, 0);
    (void)sqlite3_bind_text64(put, 12, data->data, data->len, SQLITE_STATIC, SQLITE_UTF8);
    return db_run(db, put, err);
}

enum event_kind event_row_kind(sqlite3_stmt *row, int column)
{
    const char *name = (const char *)sqlite3_column_text(row, column);
    return name ? event_kind_named(name, strlen(name)) : EVENT_UNKNOWN;
}

bool event_row_put_session(const struct db *db, const struct event_row *row, struct err *err)
{
    static const char *const sql = "INSERT INTO session(run, task, agent, session, at_ms)"
                                   " VALUES(?,?,?,?,?)";
    const struct event *event = row->event;
    sqlite3_stmt *put = NULL;
    if (!event->session.session || event->task < 0)
        return true;
    bool ok = db_prepare(db, &sql, 1, &put, err);
    if (ok) {
        (void)sqlite3_bind_int64(put, 1, row->run);
        (void)sqlite3_bind_int(put, 2, event->task);
        db_bind_text(put, 3, event->session.agent ? event->session.agent : "");
        db_bind_text(put, 4, event->session.session);
        (void)sqlite3_bind_int64(put, 5, event->at.at_ms);
        ok = db_run(db, put, err);
    }
    db_finalize(&put, 1);
    return ok;
}
