/*
 * log_write.h - internals of the writer, for the files of store that share them: the tables that
 * follow from the run state (projection_), and the writer itself. Belongs to the thread that opened
 * it, like log_writer.h.
 */
#ifndef DEVS_LOG_WRITE_H
#define DEVS_LOG_WRITE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "db.h"
#include "err.h"
#include "log_writer.h"
#include "run_state.h"
#include "turns.h"

/*
 * Maintains the tables `task` and `attempt` and the summary in `run`: the run state, stored for
 * fast queries. The tables can be rebuilt from the events at any time.
 */

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
    struct projection_mark *marks; /* owned; for each task, which of its rows are in the list */
    size_t mark_cap;               /* allocated marks */
    int mark_count;
    unsigned stamp; /* stamp of the current list */
};

/* Prepares the statements on `db`, which is borrowed. */
ATTR_MUST_USE bool projection_init(struct projection *projection, const struct db *db,
                                   struct err *err);
void projection_done(struct projection *projection);

/* Sets the run. Afterwards no rows are stale. */
void projection_follow(struct projection *projection, int64_t run, const struct run_state *state);

/* Marks rows that this event may have changed as stale. The event must already be applied to the
 * state. */
void projection_touch(struct projection *projection, const struct event *event);
/* Marks all rows of all tasks and attempts as stale. */
void projection_touch_all(struct projection *projection);

/* Writes one stale row; *more is false if there was none. Call this in a transaction. */
ATTR_MUST_USE bool projection_write(struct projection *projection, bool *more, struct err *err);

/* Prepares a commit in the middle of a batch, while rows are stale: deletes the row of one of these
 * tasks, so that readers can tell, even after a crash, that the table does not match the last
 * event. Call this in a transaction. */
ATTR_MUST_USE bool projection_set_behind(struct projection *projection, struct err *err);

/* Writes the summary into the run's row. Call this in a transaction. */
ATTR_MUST_USE bool projection_summary(struct projection *projection, int64_t last_seq,
                                      struct err *err);

enum log_statement {
    LOG_BEGIN,
    LOG_COMMIT,
    LOG_PUT_EVENT,
    LOG_PUT_OUTPUT,
    LOG_DROP_PART,
    LOG_PUT_CAPTURE,
    LOG_PUT_GAIN,
    LOG_DROP_GAIN,
    LOG_GET_GAIN,
    LOG_ANSWER,
    LOG_REFUSE_REST,
    LOG_OPEN_CONTROLS,
    LOG_ASK,
    LOG_PUT_RUN,
    LOG_PUT_PLAN,
    LOG_PUT_RULES,
    LOG_FIND_RUN,
    LOG_STATEMENT_COUNT,
};

struct log_writer {
    struct place place;
    char wal_path[PATH_MAX];
    char shm_path[PATH_MAX];
    struct db db;
    struct turns turns;
    struct bell bell;
    struct checkpointer *checkpointer; /* owned */
    struct projection projection;
    sqlite3_stmt *statements[LOG_STATEMENT_COUNT]; /* owned */

    /* The run, once there is one. */
    int64_t run; /* 0 = none yet */
    char uid[LOG_UID_MAX];
    int owner_fd;                  /* -1 = none yet */
    bool new_owner;                /* the run's row still names the previous owner */
    const struct run_state *state; /* borrowed */
    int64_t last_seq;              /* number of the last appended event */
    int64_t committed_seq;         /* number of the last committed event */
    bool behind;                   /* a rollback made the projections stale */
    bool is_spill;                 /* a second log: spill.h */
    int64_t first_control;         /* for a spill: the ids of its controls begin here */
    bool cut_off;                  /* the file at the log's path is not the open one */
    struct err damage;             /* why committed data was lost; permanent */
    uint64_t db_inode;             /* inodes of the open files; 0 = unknown */
    uint64_t shm_inode;
    int64_t db_bytes;         /* size of the database at the last check */
    int64_t owner_checked_us; /* monotonic time at which the owner lock was last verified */
    struct err unsynced;      /* sync error, for log_writer_synced() */
    bool in_vain;             /* the last wait for another program's transaction failed */
    int64_t waited_us;        /* total time spent waiting for transactions and the disk */

    /* The current transaction. */
    bool in_turn;
    size_t spent; /* approximate number of bytes written in this transaction */

    /* For checkpoints. */
    int wal_pages;       /* number of pages in the WAL after the last commit */
    int wal_pages_asked; /* number of pages in the WAL when the last checkpoint was requested */
    bool appended;       /* the WAL has grown in this turn */
    bool idle;           /* nothing follows the current commit */
};

/* Begins a transaction in a turn of its own. log_write_spend() counts the bytes written to it and
 * starts another transaction when it is large. After a failure call log_write_abort(). */
ATTR_MUST_USE bool log_write_begin(struct log_writer *writer, struct err *err);
/* Counts the bytes of a row that is about to be written. */
ATTR_MUST_USE bool log_write_spend(struct log_writer *writer, size_t bytes, struct err *err);
/* Commits, ends the turn and requests a checkpoint if needed. */
ATTR_MUST_USE bool log_write_end(struct log_writer *writer, struct err *err);
/* Rolls back to the last commit. Does nothing outside a transaction. */
void log_write_abort(struct log_writer *writer);

/* For a spill: writes the answer to a control whose row is in the log. Call this in a
 * transaction. */
ATTR_MUST_USE bool log_write_answer_alone(struct log_writer *writer, const struct event *event,
                                          const char *answer, struct err *err);

/* log_merge.c: copies everything in the run's spill into the log, as run `number`. Idempotent.
 * Fails with ERR_DAMAGED if events are missing between the two. The writer need not have a run. */
ATTR_MUST_USE bool log_write_merge(struct log_writer *writer, int64_t number,
                                   const struct place *spill, struct err *err);

/* Makes the writer append to this run; `state` is its state after all events. */
void log_write_follow(struct log_writer *writer, int64_t number, const struct run_state *state);

/* log_writer_resume.c: makes this process, its boot and its version the owner in the row of a
 * continued run. This happens in the transaction with this process's first event, because both
 * clocks of an event must belong to the same boot. Call this in a transaction. Does nothing for a
 * run that this process began. */
ATTR_MUST_USE bool log_write_owner(struct log_writer *writer, struct err *err);

/* Writes all stale projection rows. */
ATTR_MUST_USE bool log_write_projections(struct log_writer *writer, struct err *err);

/* Continues a run of the log: takes its owner lock. Fails with ERR_BUSY if another process has the
 * lock, or if the run has newer events than `state`, which is borrowed until the writer closes. */
ATTR_MUST_USE bool log_writer_resume(struct log_writer *writer, int64_t number,
                                     const struct run_state *state, struct err *err);

/* Rejects a control without an event, because its run cannot take one. */
ATTR_MUST_USE bool log_writer_refuse(struct log_writer *writer, int64_t control, const char *answer,
                                     struct err *err);

#endif
