/*
 * call_rows.h - the rows of one session's run: found, read and added to over a connection that
 * has nothing but what that needs, for it is opened anew for each call. Private to store; belongs
 * to one thread.
 */
#ifndef DEVS_CALL_ROWS_H
#define DEVS_CALL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_used.h"
#include "attr.h"
#include "call_log.h"
#include "circles.h"
#include "db.h"
#include "entropy_memory.h"
#include "err.h"
#include "event.h"
#include "log_writer.h"
#include "moment.h"
#include "place.h"
#include "str.h"
#include "turns.h"

/* Nobody may have the log open between two calls: then the first one that opens it reads the whole
 * WAL, which for that is kept shorter than LOG_CHECKPOINT_BYTES. */
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
    int wal_pages;                                  /* after the last commit */
};

/* The log must be there. One that an older devs made lacks what is asked for: ERR_IO, and
 * log_writer_open() adds it. */
ATTR_MUST_USE bool call_rows_open(struct call_rows *rows, const struct place *place,
                                  struct err *err);
void call_rows_close(struct call_rows *rows);

/* A session's run, as the log has it. */
struct call_run {
    int64_t number; /* 0 = there is none */
    char uid[LOG_UID_MAX];
    int64_t last_seq;
    bool ended;
};

/* The latest run of this session; number 0 if it has none. */
ATTR_MUST_USE bool call_rows_find(struct call_rows *rows, const char *agent, const char *session,
                                  struct call_run *out, struct err *err);
/* Append what is kept of the run to *out, or nothing if nothing is kept. */
ATTR_MUST_USE bool call_rows_kept(struct call_rows *rows, int64_t run, struct str *out,
                                  struct err *err);

/* A piece of words, all of one time: what stands before `end` and behind the piece before. */
struct call_words {
    size_t end;
    int64_t at_ms;
};

/* The same, but only the first bytes of it, at most `max`: the rest is not read. */
ATTR_MUST_USE bool call_rows_kept_head(struct call_rows *rows, int64_t run, size_t max,
                                       struct str *out, struct err *err);

/* What one commit holds. */
struct call_batch {
    int64_t run;
    const struct event *events;
    size_t count;
    const struct str *kept;          /* after the last of them */
    const struct str *words;         /* of the agent, for people; may be empty */
    const struct call_words *pieces; /* all of them, in order */
    size_t piece_count;
};

/* In our turn and one transaction, then the bell is rung. What makes the log longer than
 * CALL_WAL_BYTES is brought into the file itself. */
ATTR_MUST_USE bool call_rows_commit(struct call_rows *rows, const struct place *place,
                                    const struct call_batch *batch, struct err *err);

#define CALL_TURNED_AWAY "turned away: " /* prefix of the line of a denied call */

/* All zero but for the limits and the memory is a session without a call. */
struct call_kept {
    int64_t seq;                  /* the last event that is in here */
    struct moment last;           /* of that event */
    int64_t number;               /* of the last call, message or prompt */
    struct agent_used used;       /* so far */
    int turned_away;              /* calls, since the agent was found to be stuck */
    int64_t stuck_first;          /* the segment's step that the circles begin at */
    bool stop_asked;              /* a person wants it to end, and has said nothing since */
    bool turn_failed;             /* the last thing that happened: its service said no */
    struct entropy_limits limits; /* those of the run's plan */
    struct circles circles;
    struct entropy_memory *memory; /* owned */
};

/* A session without a call. */
void call_kept_init(struct call_kept *kept, const struct entropy_limits *limits);
void call_kept_done(struct call_kept *kept);

/* Fold in an event of the run that follows the last one. */
void call_kept_apply(struct call_kept *kept, const struct event *event);

/* What the rungs say of the fact of the last call or message: in kept->circles. A message
 * alone does not end a loop whose calls were denied. */
void call_kept_judge(struct call_kept *kept, const struct entropy_fact *fact, bool is_call,
                     const struct moment *at);
/* A person has spoken: what the agent did before counts for no circle any more. */
void call_kept_forget(struct call_kept *kept);

/* Append it as bytes. */
void call_kept_save(const struct call_kept *kept, struct str *out);
/* Take the place of *kept, which was initialised. ERR_INVALID, and *kept unchanged, for bytes
 * that call_kept_save() of this build did not write. */
ATTR_MUST_USE bool call_kept_load(struct call_kept *kept, const void *bytes, size_t len,
                                  struct err *err);

enum { CALL_KEPT_HEAD_BYTES = 128 }; /* the first bytes of what is saved: enough for this: */
/* Do these bytes say that the agent is stuck or is to stop, or are they behind the log, whose
 * last event is `seq`? True also where they are none. */
bool call_kept_is_alarming(const void *bytes, size_t len, int64_t seq);

/* Begin a run for the session, whose attempt is under way when it returns, and free its owner
 * lock again. A log that is not there is made, an older one brought up to date. */
ATTR_MUST_USE bool call_run_begin(const struct place *place, const struct call_session *session,
                                  const struct moment *now, struct err *err);

/* End it: its attempt ended with this code. ERR_BUSY: somebody owns it. What has ended already
 * stays as it is. */
ATTR_MUST_USE bool call_run_end(const struct place *place, int64_t run, int exit,
                                const struct moment *at, struct err *err);

/* The thresholds of the detector in the run's plan. */
ATTR_MUST_USE bool call_run_limits(const struct place *place, int64_t run,
                                   struct entropy_limits *out, struct err *err);

#endif
