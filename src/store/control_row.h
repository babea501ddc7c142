/*
 * control_row.h - converts between rows of the table `control` and struct control. Private to
 * store.
 */
#ifndef DEVS_CONTROL_ROW_H
#define DEVS_CONTROL_ROW_H

#include "control.h"
#include "db.h"

/* The column order that control_row_read() expects. */
#define CONTROL_ROW_COLUMNS "id, verb, task, step, attempt, args, by, key_at_ms"

/* Adds a row if the run exists: control_row_insert(). */
#define CONTROL_ROW_INSERT                                                                         \
    "INSERT INTO control(run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms)"        \
    " SELECT id,?2,?3,?4,?5,?6,?7,?8,?9 FROM run WHERE id=?1"

/* Runs that statement for an action that is requested now. Fails with ERR_NOT_FOUND if there is no
 * such run. */
ATTR_MUST_USE bool control_row_insert(const struct db *db, sqlite3_stmt *insert, int64_t run,
                                      const struct control *control, struct err *err);

/* Returns false if the row is not understood, but sets the id anyway. Assumes nothing about the
 * contents: another program may have written the row. */
ATTR_MUST_USE bool control_row_read(sqlite3_stmt *row, struct control *out);

#endif
