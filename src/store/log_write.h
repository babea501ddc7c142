/*
 * log_write.h - internals of the writer, for the files of store that share them. Belongs to the
 * thread that opened it, like log_writer.h.
 */
#ifndef DEVS_LOG_WRITE_H
#define DEVS_LOG_WRITE_H

#include <limits.h>

#include "db.h"
#include "log_writer.h"
#include "projection.h"
#include "turns.h"
#include "wal.h"

enum log_statement {
    LOG_BEGIN,
    LOG_COMMIT,
    LOG_PUT_EVENT,
    LOG_PUT_OUTPUT,
    LOG_DROP_TAIL,
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
    bool new_owner;                /* its row still names the previous owner */
    const struct run_state *state; /* borrowed */
    int64_t last_seq;              /* appended so far */
    int64_t committed_seq;         /* of these, committed */
    bool behind;                   /* a rollback made the projections stale */
    bool is_spill;                 /* a second log: spill.h */
    int64_t first_control;         /* for a spill */
    bool cut_off;                  /* the file at the log's path is not the open one */
    struct err damage;             /* why committed data was lost; permanent */
    uint64_t db_inode;             /* of the open files; 0 = unknown */
    uint64_t shm_inode;
    int64_t db_bytes;         /* size of the database at the last check */
    int64_t owner_checked_us; /* monotonic; when the owner lock was last verified */
    struct err unsynced;      /* for log_writer_synced() */
    bool in_vain;             /* the last wait for another program's transaction failed */
    int64_t waited_us;        /* for transactions and the disk, total */

    /* The current transaction. */
    bool in_turn;
    size_t spent; /* approximate bytes */

    /* For checkpoints. */
    int wal_pages;       /* after the last commit */
    int wal_pages_asked; /* when the last checkpoint was requested */
    bool appended;       /* the WAL has grown in this turn */
    bool idle;           /* nothing follows the current commit */
};

/* Begins a transaction in a turn of its own. log_write_spend() counts what is written to it and
 * starts another transaction when it is large. After a failure call log_write_abort(). */
ATTR_MUST_USE bool log_write_begin(struct log_writer *writer, struct err *err);
/* Counts the bytes of a row that is about to be written. */
ATTR_MUST_USE bool log_write_spend(struct log_writer *writer, size_t bytes, struct err *err);
/* Commits, ends the turn and requests a checkpoint if needed. */
ATTR_MUST_USE bool log_write_end(struct log_writer *writer, struct err *err);
/* Rolls back to the last commit. Does nothing outside a transaction. */
void log_write_abort(struct log_writer *writer);

/* Writes an answer to a control that is not in this file. Call it in a transaction. */
ATTR_MUST_USE bool log_write_answer_alone(struct log_writer *writer, const struct event *event,
                                          const char *answer, struct err *err);

/* log_merge.c: copies everything in the run's spill into the log, as run `number`. Idempotent.
 * Fails with ERR_DAMAGED if events are missing between the two. The writer need not have a run. */
ATTR_MUST_USE bool log_write_merge(struct log_writer *writer, int64_t number,
                                   const struct place *spill, struct err *err);

/* Makes the writer append to this run; `state` is its state after all events. */
void log_write_follow(struct log_writer *writer, int64_t number, const struct run_state *state);

/* log_writer_resume.c: makes this process, its boot and its version the owner in the row of a
 * continued run. This happens in the transaction with our first event, because both clocks of an
 * event must belong to the same boot. Call it in a transaction. Does nothing for a run that this
 * process began. */
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
