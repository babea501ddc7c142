/*
 * log_write.h - the writer from inside: for the files of store that share it. Belongs
 * to the thread that opened it, as log_writer.h says.
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
    int64_t run; /* 0 before */
    char uid[LOG_UID_MAX];
    int owner_fd;                  /* -1 before */
    bool new_owner;                /* its row still names the process that had it before */
    const struct run_state *state; /* borrowed */
    int64_t last_seq;              /* appended so far */
    int64_t committed_seq;         /* of these, committed */
    bool behind;           /* something was rolled back: the projections are to be made again */
    bool is_spill;         /* the second log of its run: spill.h */
    int64_t first_control; /* of a spill */
    bool cut_off;          /* the file under the log's name is not the one that is open */
    struct err damage;     /* what was committed is gone, for this reason; for good */
    uint64_t db_inode;     /* of the files that are open; 0 = not known yet */
    uint64_t shm_inode;
    int64_t db_bytes;         /* size of the database at the last check */
    int64_t owner_checked_us; /* monotonic; when the owner lock was found in place */
    struct err unsynced;      /* what log_writer_synced() will tell */
    bool in_vain;             /* the last wait for somebody else's transaction was */
    int64_t waited_us;        /* for those and for the disk, in all */

    /* The transaction under way. */
    bool in_turn;
    size_t spent; /* bytes, about */

    /* For checkpoints. */
    int wal_pages;       /* after the last commit */
    int wal_pages_asked; /* when a checkpoint was asked for last */
    bool appended;       /* in this turn, to the WAL */
    bool idle;           /* nothing goes on after what is committed now */
};

/* A transaction of our turn. log_write_spend() says how much was put into it and
 * starts another one when that is enough. After a failure: log_write_abort(). */
ATTR_MUST_USE bool log_write_begin(struct log_writer *writer, struct err *err);
/* Count the bytes of a row that is about to be written. */
ATTR_MUST_USE bool log_write_spend(struct log_writer *writer, size_t bytes, struct err *err);
/* Commit, give the turn back, and let the checkpointer look. */
ATTR_MUST_USE bool log_write_end(struct log_writer *writer, struct err *err);
/* Roll back; the log is as it was at the last commit. Nothing where none has begun. */
void log_write_abort(struct log_writer *writer);

/* Write an answer to a control that is not in this file. Within a transaction. */
ATTR_MUST_USE bool log_write_answer_alone(struct log_writer *writer, const struct event *event,
                                          const char *answer, struct err *err);

/* log_merge.c: everything of the run's spill into this log, run by run number; done again it
 * changes nothing. ERR_DAMAGED: events are missing between the two. The writer need not be of
 * any run. */
ATTR_MUST_USE bool log_write_merge(struct log_writer *writer, int64_t number,
                                   const struct place *spill, struct err *err);

/* Append to this run from now on; `state` is the fold of all its events. */
void log_write_follow(struct log_writer *writer, int64_t number, const struct run_state *state);

/* log_writer_resume.c: the row of a run that was gone on with names this process, its boot and
 * its version, from the transaction on that holds our first event: the two clocks of an event
 * are of one boot. Within a transaction; true and nothing done for a run of our own. */
ATTR_MUST_USE bool log_write_owner(struct log_writer *writer, struct err *err);

/* Write every projection row that is stale. */
ATTR_MUST_USE bool log_write_projections(struct log_writer *writer, struct err *err);

/* Append to a run that is in the log already: takes its owner lock (ERR_BUSY if
 * somebody has it). `state` is the fold of all its events, ERR_BUSY if there are
 * more by now; borrowed until the writer closes. */
ATTR_MUST_USE bool log_writer_resume(struct log_writer *writer, int64_t number,
                                     const struct run_state *state, struct err *err);

/* Answer a control with no event: what it was about cannot take one. */
ATTR_MUST_USE bool log_writer_refuse(struct log_writer *writer, int64_t control, const char *answer,
                                     struct err *err);

#endif
