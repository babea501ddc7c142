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

#include "attr.h"
#include "bell.h"
#include "db.h"
#include "err.h"
#include "event.h"
#include "log_writer.h"
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
/* Append what is kept of the run to *out, nothing where there is none. */
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

#endif
