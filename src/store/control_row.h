/*
 * control_row.h - a row of the table `control` as an act. Private to store.
 */
#ifndef DEVS_CONTROL_ROW_H
#define DEVS_CONTROL_ROW_H

#include "control.h"
#include "db.h"

/* In this order control_row_read() wants them. */
#define CONTROL_ROW_COLUMNS "id, verb, task, step, attempt, args, by, key_at_ms"

/* Adds a row, if the run is there: control_row_insert(). */
#define CONTROL_ROW_INSERT                                                                         \
    "INSERT INTO control(run, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms)"        \
    " SELECT id,?2,?3,?4,?5,?6,?7,?8,?9 FROM run WHERE id=?1"

/* Run that statement as an act that is asked for now. ERR_NOT_FOUND: there is no such run. */
ATTR_MUST_USE bool control_row_insert(const struct db *db, sqlite3_stmt *insert, int64_t run,
                                      const struct control *control, struct err *err);

/* False for what is not understood; the id is set all the same. Another program may have written
 * the row: nothing in it is taken for granted. */
ATTR_MUST_USE bool control_row_read(sqlite3_stmt *row, struct control *out);

#endif
