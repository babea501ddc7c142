/*
 * log_copy.h - writes runs of another log, which arrive as the messages of a feed (feed_frame.h),
 * into a log here.
 *
 * A mirror is a private log of its own in which runs keep their numbers, for a screen here. A
 * collection adds runs to this project's log, with new numbers; each run has a row in `origin`, so
 * that the next time continues after the last row, and nobody continues the run here. Everything
 * that arrives may be hostile: events must be in sequence, rows belong to runs that were announced,
 * and their size is limited. Belongs to one thread.
 */
#ifndef DEVS_LOG_COPY_H
#define DEVS_LOG_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "feed_frame.h"
#include "place.h"
#include "str.h"

enum {
    LOG_COPY_RUNS_MAX = 20000,            /* runs that a feed may announce */
    LOG_COPY_ROWS_MAX = 64 * 1024 * 1024, /* bytes of the rows of runs whose plan has not arrived */
    LOG_COPY_PROJECT_MS = 1000, /* how often the tables `task` and `attempt` are written */
    LOG_COPY_HOST_MAX = 256,
};
/* Maximum bytes that are taken from a feed. */
#define LOG_COPY_BYTES_MAX (INT64_C(16) * 1024 * 1024 * 1024)

struct log_copy;

/* Opens a copy in this log, creating it if needed. Fails like log_writer_open(), and with ERR_BUSY
 * if another process collects into it. The caller closes *out with log_copy_close(). */
ATTR_MUST_USE bool log_copy_open(struct log_copy **out, const struct place *place, const char *host,
                                 bool is_mirror, struct err *err);
/* Writes what was not committed yet, as far as possible. `copy` may be NULL. */
void log_copy_close(struct log_copy *copy);

/* Takes a message with a row, or about a run, in a transaction; other kinds are ignored. Fails with
 * ERR_INVALID if it contradicts earlier ones; otherwise like a commit. After a failure, what was
 * not committed is rolled back, and the feed must begin again. */
ATTR_MUST_USE bool log_copy_take(struct log_copy *copy, const struct feed_message *message,
                                 struct err *err);
/* Commits, and wakes readers. `now_ms` is the steady clock. Call it also from time to time without
 * new messages. */
ATTR_MUST_USE bool log_copy_commit(struct log_copy *copy, int64_t now_ms, struct err *err);
/* Rolls back what was not committed: the feed has ended. */
void log_copy_drop(struct log_copy *copy);

/* Appends FEED_HAVE for each run of which there are rows, for a feed that begins again. */
ATTR_MUST_USE bool log_copy_have(struct log_copy *copy, struct str *out, struct err *err);
/* Mirror: wants the output of this run, now and whenever a feed begins. */
void log_copy_want(struct log_copy *copy, int64_t run);
/* Mirror: returns whether all events of the run that existed at some moment have arrived. */
bool log_copy_is_synced(const struct log_copy *copy, int64_t run);
/* Sets how many events of the run have arrived, and how many there are; 0 if it is not known. */
void log_copy_progress(const struct log_copy *copy, int64_t run, int64_t *done, int64_t *all);
/* Returns the uid of a run; NULL = it is not known. Borrowed until the next message. */
const char *log_copy_uid(const struct log_copy *copy, int64_t run);
/* Returns the next run whose output must be sent again; 0 = none. Returns each one once. */
int64_t log_copy_again(struct log_copy *copy);

/* What a collection has done. */
struct log_copy_sum {
    int64_t runs, unchanged, ours, refused; /* runs of the other log */
    int64_t added, continued;               /* runs of which something was new */
    int64_t events, output_bytes;           /* that were new */
};
/* Collection: decides after FEED_LISTED which runs are wanted: appends FEED_HAVE for each. */
ATTR_MUST_USE bool log_copy_choose(struct log_copy *copy, struct str *out, struct err *err);
/* Collection: returns whether all runs that were chosen have arrived. */
bool log_copy_is_whole(const struct log_copy *copy);
/* Collection: returns the totals. */
struct log_copy_sum log_copy_sum(const struct log_copy *copy);

/* A run that a collection has added or continued. Everything is borrowed. */
struct log_copy_run {
    int64_t run, far_run; /* its number here and there */
    const char *uid;
    int64_t events; /* that were new */
    bool is_new, has_ended;
};
/* Returns the next one; *at counts them, from 0. False = there are no more. */
bool log_copy_next(const struct log_copy *copy, size_t *at, struct log_copy_run *out);

#endif
