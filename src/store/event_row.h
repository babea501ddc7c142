/*
 * event_row.h - writes events as rows of the log, and reads and writes the rows of controls.
 * Private to store; belongs to the thread of its connection.
 */
#ifndef DEVS_EVENT_ROW_H
#define DEVS_EVENT_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "db.h"
#include "err.h"
#include "event.h"
#include "str.h"

/* The columns of EVENT_ROW_SQL, which may also be copied from one log to another. */
#define EVENT_ROW_COLUMNS                                                                          \
    "run, seq, at_ms, mono_ms, kind, task, task_no, step, round, grant_no, attempt, data"
#define EVENT_ROW_SQL "INSERT INTO event(" EVENT_ROW_COLUMNS ") VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"

/* An event as a row. Everything is borrowed. */
struct event_row {
    int64_t run;
    const struct event *event;
    const char *task; /* id of the event's task; NULL = none */
};

/* Inserts the event with a statement prepared from EVENT_ROW_SQL; *data becomes its JSON object.
 * Call this in a transaction. */
ATTR_MUST_USE bool event_row_put(const struct db *db, sqlite3_stmt *put,
                                 const struct event_row *row, struct str *data, struct err *err);

/* Returns the kind that a column names; EVENT_UNKNOWN if this build does not know it. */
enum event_kind event_row_kind(sqlite3_stmt *row, int column);

/* Inserts the row of `session` for an EVENT_AGENT_SESSION, so that a session's run can be found.
 * Call this in a transaction. */
ATTR_MUST_USE bool event_row_put_session(const struct db *db, const struct event_row *row,
                                         struct err *err);

/* Rows of the table `control`, and struct control. */

/* The column order that control_row_read() expects. */
#define CONTROL_ROW_COLUMNS "id, verb, task, step, attempt, args, by, key_at_ms"

/* SQL that adds a row if the run exists, for control_row_insert(). */
#define CONTROL_ROW_INSERT                                                                         \
    "INSERT INTO control(run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms)"        \
    " SELECT id,?2,?3,?4,?5,?6,?7,?8,?9 FROM run WHERE id=?1"

/* Runs CONTROL_ROW_INSERT for an action that is requested now. Fails with ERR_NOT_FOUND if there is
 * no such run. */
ATTR_MUST_USE bool control_row_insert(const struct db *db, sqlite3_stmt *insert, int64_t run,
                                      const struct control *control, struct err *err);

/* Reads a control from a row. Returns false if the row is not understood, but sets the id anyway.
 * Assumes nothing about the contents: another program may have written the row. */
ATTR_MUST_USE bool control_row_read(sqlite3_stmt *row, struct control *out);

#endif
