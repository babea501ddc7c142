/*
 * projection.h - maintains the tables `task` and `attempt` and the summary in `run`: the run state,
 * stored for fast queries. Private to store.
 *
 * The tables can be rebuilt from the events at any time. Belongs to the thread of its connection.
 */
#ifndef DEVS_PROJECTION_H
#define DEVS_PROJECTION_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "db.h"
#include "err.h"
#include "run_state.h"

enum { PROJECTION_STATEMENTS = 3, PROJECTION_ROW_BYTES = 128 };

/* A row to be written; step -1 means the row of the task. */
struct projection_row {
    int task, step, attempt;
};

struct projection {
    const struct db *db;           /* borrowed */
    const struct run_state *state; /* borrowed */
    int64_t run;
    sqlite3_stmt *statements[PROJECTION_STATEMENTS]; /* owned */
    struct projection_row *rows;                     /* owned; the stale rows */
    size_t count, cap;
    size_t done;                   /* number of rows already written */
    struct projection_mark *marks; /* owned; per task: is it in the list? */
    size_t mark_cap;               /* allocated marks */
    int mark_count;
    unsigned stamp; /* stamp of the current list */
};

/* Prepares the statements on `db`, which is borrowed. */
ATTR_MUST_USE bool projection_init(struct projection *projection, const struct db *db,
                                   struct err *err);
void projection_done(struct projection *projection);

/* Sets the run; no rows are stale then. */
void projection_follow(struct projection *projection, int64_t run, const struct run_state *state);

/* Marks rows that this event may have changed as stale. The event must already be applied to the
 * state. */
void projection_touch(struct projection *projection, const struct event *event);
/* Marks all rows of all tasks and attempts as stale. */
void projection_touch_all(struct projection *projection);

/* Writes one stale row; *more is false if there was none. Call it in a transaction. */
ATTR_MUST_USE bool projection_write(struct projection *projection, bool *more, struct err *err);

/* Prepares a commit in the middle of a batch, while rows are stale: deletes the row of one of these
 * tasks, so that readers can tell, even after a crash, that the table does not match the last
 * event. Call it in a transaction. */
ATTR_MUST_USE bool projection_set_behind(struct projection *projection, struct err *err);

/* Writes the summary into the run's row. Call it in a transaction. */
ATTR_MUST_USE bool projection_summary(struct projection *projection, int64_t last_seq,
                                      struct err *err);

#endif
