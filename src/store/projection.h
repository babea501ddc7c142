/*
 * projection.h - the tables `task` and `attempt` and the summary in `run`: what the
 * fold says, written down for quick answers. Private to store.
 *
 * They can be dropped and made again from the events at any time. Belongs to the
 * thread of its connection.
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

/* A row that has to be written again; step -1: the task's own. */
struct projection_row {
    int task, step, attempt;
};

struct projection {
    const struct db *db;           /* borrowed */
    const struct run_state *state; /* borrowed */
    int64_t run;
    sqlite3_stmt *statements[PROJECTION_STATEMENTS]; /* owned */
    struct projection_row *rows;                     /* owned; a list of what is stale */
    size_t count, cap;
    size_t done;                   /* of the rows, already written */
    struct projection_mark *marks; /* owned; one for each task: is it in the list? */
    size_t mark_cap;               /* there is room for so many */
    int mark_count;
    unsigned stamp; /* of this list */
};

/* Prepare its statements on `db`, which is borrowed. */
ATTR_MUST_USE bool projection_init(struct projection *projection, const struct db *db,
                                   struct err *err);
void projection_done(struct projection *projection);

/* Of which run; nothing is stale yet. */
void projection_follow(struct projection *projection, int64_t run, const struct run_state *state);

/* Rows that this event (folded in already) can have changed are stale now. */
void projection_touch(struct projection *projection, const struct event *event);
/* All rows of all tasks are; with their attempts. */
void projection_touch_all(struct projection *projection);

/* Write one stale row; *more says if there was one. Within a transaction. */
ATTR_MUST_USE bool projection_write(struct projection *projection, bool *more, struct err *err);

/* For a commit while rows are stale, which ends a transaction and not its batch: one of these tasks
 * has no row until all are written, so that who reads between the two, or after a crash, sees that
 * the table is not of the last event. Within a transaction. */
ATTR_MUST_USE bool projection_set_behind(struct projection *projection, struct err *err);

/* Write the summary into the run's row. Within a transaction. */
ATTR_MUST_USE bool projection_summary(struct projection *projection, int64_t last_seq,
                                      struct err *err);

#endif
