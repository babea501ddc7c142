/*
 * control_row.h - a row of the table `control` as an act. Private to store.
 */
#ifndef DEVS_CONTROL_ROW_H
#define DEVS_CONTROL_ROW_H

#include "control.h"
#include "db.h"

/* In this order control_row_read() wants them. */
#define CONTROL_ROW_COLUMNS "id, verb, task, step, attempt, args, by, key_at_ms"

/* False for what is not understood; the id is set all the same. Another program may have written
 * the row: nothing in it is taken for granted. */
ATTR_MUST_USE bool control_row_read(sqlite3_stmt *row, struct control *out);

#endif
