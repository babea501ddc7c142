/*
 * call_rows.h - finds, reads and extends the rows of a session's run. Prepares only the statements
 * that it needs, because the connection is opened again for each call. Private to store; belongs to
 * one thread.
 */
#ifndef DEVS_CALL_ROWS_H
#define DEVS_CALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "attr.h"
#include "call_log.h"
#include "circles.h"
#include "db.h"
#include "entropy.h"
#include "err.h"
#include "event.h"
#include "log_writer.h"
#include "moment.h"
#include "place.h"
#include "str.h"
#include "turns.h"

/* If nobody has the log open between two calls, the first process that opens it reads the whole
 * WAL. So the WAL is kept shorter than LOG_CHECKPOINT_BYTES here. */
enum { CALL_WAL_BYTES = 1024 * 1024 };

enum call_statement {
    CALL_FIND_RUN,
    CALL_GET_KEPT,
    CALL_FIND_KEPT,
    CALL_BEGIN,
    CALL_COMMIT,
    CALL_PUT_EVENT,
    CALL_PUT_KEPT,
    CALL_PUT_RUN,
    CALL_PUT_WORDS,
    CALL_WORDS_END,
    CALL_STATEMENT_COUNT,
};

struct call_rows {
    struct db db;
    struct turns turns;
    struct bell bell;
    sqlite3_stmt *statements[CALL_STATEMENT_COUNT]; /* owned */
    int wal_pages; /* number of pages in the WAL after the last commit */
};

/* Opens an existing log. Fails with ERR_IO if an older devs made it and it lacks a table;
 * log_writer_open() adds the table. */
ATTR_MUST_USE bool call_rows_open(struct call_rows *rows, const struct place *place,
                                  struct err *err);
void call_rows_close(struct call_rows *rows);

/* The row of a session's run. */
struct call_run {
    int64_t number; /* 0 = none */
    char uid[LOG_UID_MAX];
    int64_t last_seq;
    bool ended;
};

/* Finds the latest run of this session; number 0 if there is none. */
ATTR_MUST_USE bool call_rows_find(struct call_rows *rows, const char *agent, const char *session,
                                  struct call_run *out, struct err *err);
/* Appends the saved state of the run to *out; nothing if there is none. */
ATTR_MUST_USE bool call_rows_kept(struct call_rows *rows, int64_t run, struct str *out,
                                  struct err *err);

/* A piece of text with one time: the bytes from the end of the previous piece to `end`. */
struct call_words {
    size_t end;
    int64_t at_ms;
};

/* Like call_rows_kept(), but reads only the first bytes, at most `max`. */
ATTR_MUST_USE bool call_rows_kept_head(struct call_rows *rows, int64_t run, size_t max,
                                       struct str *out, struct err *err);

/* The contents of one commit. */
struct call_batch {
    int64_t run;
    const char *task; /* id of the session's only task */
    const struct event *events;
    size_t count;
    const struct str *kept;          /* the state after the last event */
    const struct str *words;         /* text of the agent, for people; may be empty */
    const struct call_words *pieces; /* all pieces of `words`, in order */
    size_t piece_count;
};

/* Commits in one turn and one transaction, then notifies readers. Does a checkpoint if the WAL is
 * longer than CALL_WAL_BYTES. */
ATTR_MUST_USE bool call_rows_commit(struct call_rows *rows, const struct place *place,
                                    const struct call_batch *batch, struct err *err);

#define CALL_TURNED_AWAY "turned away: " /* prefix of a denied call's line */

/* The state of a session. Without any call, everything is zero except the limits and the memory. */
struct call_kept {
    int64_t seq;            /* the last event included in this state */
    struct moment last;     /* time of that event */
    int64_t number;         /* number of the last call, message or prompt */
    struct agent_used used; /* usage so far */
    int turned_away;        /* denied calls since the agent was found to be stuck */
    int64_t stuck_first;    /* step of the segment where the loop begins */
    bool stop_asked;        /* the user wants the session to end, and has not sent a prompt since */
    bool turn_failed;       /* the last event was a failed turn: the service refused */
    struct entropy_limits limits; /* limits in the run's plan */
    struct circles circles;
    struct entropy_memory *memory; /* owned */
};

/* Initializes the state of a session without calls. */
void call_kept_init(struct call_kept *kept, const struct entropy_limits *limits);
void call_kept_done(struct call_kept *kept);

/* Applies the next event of the run. */
void call_kept_apply(struct call_kept *kept, const struct event *event);

/* Passes the fact of the last call or message to the loop detector; the result is in kept->circles.
 * A message alone does not end a loop whose calls were denied. */
void call_kept_judge(struct call_kept *kept, const struct entropy_fact *fact, bool is_call,
                     const struct moment *at);
/* Starts loop detection over after a prompt of the user. */
void call_kept_forget(struct call_kept *kept);

/* Appends the state in binary form. */
void call_kept_save(const struct call_kept *kept, struct str *out);
/* Replaces *kept, which must be initialized. Fails with ERR_INVALID and leaves *kept unchanged if
 * the bytes were not written by call_kept_save() of this build. */
ATTR_MUST_USE bool call_kept_load(struct call_kept *kept, const void *bytes, size_t len,
                                  struct err *err);

enum { CALL_KEPT_HEAD_BYTES = 128 }; /* number of bytes that call_kept_is_alarming() needs */
/* Returns true if these bytes say that the agent is stuck or should stop, or if they are older than
 * the log, whose last event is `seq`. Also returns true if the bytes are invalid. */
bool call_kept_is_alarming(const void *bytes, size_t len, int64_t seq);

/* Begins a run for the session; its attempt is running on return and the owner lock is free.
 * Creates the log if there is none, and migrates an old one. */
ATTR_MUST_USE bool call_run_begin(const struct place *place, const struct call_session *session,
                                  const struct moment *now, struct err *err);

/* Ends the run, whose attempt ended with this exit code. Fails with ERR_BUSY if somebody owns the
 * run. Does nothing if it has already ended. */
ATTR_MUST_USE bool call_run_end(const struct place *place, int64_t run, int exit,
                                const struct moment *at, struct err *err);

/* Reads the detector's thresholds from the run's plan. */
ATTR_MUST_USE bool call_run_limits(const struct place *place, int64_t run,
                                   struct entropy_limits *out, struct err *err);

#endif
