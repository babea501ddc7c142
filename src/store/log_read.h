/*
 * log_read.h - internals of the reader, for the files of store that share them. Belongs to the
 * thread that opened it, like log_reader.h.
 */
#ifndef DEVS_LOG_READ_H
#define DEVS_LOG_READ_H

#include "db.h"
#include "follower.h"
#include "log_reader.h"
#include "log_writer.h"

#define LOG_NUMBER_MAX (INT64_C(1) << 53)

enum log_query {
    LOG_QUERY_RUN,
    LOG_QUERY_PLAN,
    LOG_QUERY_RUNS,
    LOG_QUERY_UNENDED,
    LOG_QUERY_EVENTS,
    LOG_QUERY_ATTEMPT_EVENTS,
    LOG_QUERY_AGENT_EVENTS,
    LOG_QUERY_OUTPUT,
    LOG_QUERY_OUTPUT_SIZES,
    LOG_QUERY_STREAM_END,
    LOG_QUERY_ANSWER,
    LOG_QUERY_CAPTURE,
    LOG_QUERY_TOTALS,
    LOG_QUERY_SUM,
    LOG_QUERY_STATES,
    LOG_QUERY_COUNT,
};

/* SQL for totals over all runs, and for the tasks of one run. */
#define LOG_TOTALS_SQL "SELECT count(*), ifnull(sum(attempts),0) FROM run WHERE expired=0"
#define LOG_STATES_SQL "SELECT status, count(*) FROM task WHERE run=?1 GROUP BY status"
/* The last attempt of each failed task (?3 to ?5); with max(), SQLite takes the other columns from
 * the same row. */
#define LOG_SUM_SQL                                                                                \
    "SELECT (SELECT count(*) FROM task WHERE run=?1 AND status=?2), count(*), count(hi),"          \
    " min(hi), max(hi), min(lo), max(lo), min(class), max(class), min(type), max(type),"           \
    " min(reason), max(reason), (SELECT ifnull(sum(ran_ms),0) FROM attempt WHERE run=?1)"          \
    " FROM (SELECT a.print_hi AS hi, a.print_lo AS lo, ifnull(a.class,0) AS class,"                \
    " ifnull(a.type,0) AS type, ifnull(a.reason,0) AS reason, max(a.attempt)"                      \
    " FROM task t JOIN attempt a ON a.run=t.run AND a.task=t.task AND a.step=t.step"               \
    " WHERE t.run=?1 AND t.status IN(?3,?4,?5) GROUP BY t.task)"

struct log_reader {
    struct place place;
    struct db db;
    sqlite3_stmt *queries[LOG_QUERY_COUNT]; /* owned; reset between calls */
    int newer;                              /* schema version, if newer than this build */
    bool still;                             /* the location is read-only and the WAL unreadable */

    /* The spill of the run that was read last. A spill has no spill itself. */
    struct log_reader *spill; /* owned */
    bool is_spill;
    uint64_t spill_inode;
    int64_t spill_run; /* 0 = none */
    char spill_uid[LOG_UID_MAX];
};

/* Returns the run's spill, if there is one now. Owned by the reader, valid until the next call.
 * Call this only between queries. */
struct log_reader *log_read_spill(struct log_reader *reader, int64_t run);
/* Returns true if somebody owns the run, in the log or next to its spill. */
bool log_read_has_owner(const struct log_reader *reader, const char *uid);

/* Reads a column that must be in least..most; NULL counts as `least`. Returns false if the value is
 * out of range, as it may be in an untrusted file. */
ATTR_MUST_USE bool log_read_int(sqlite3_stmt *row, int at, int least, int most, int *out);

/* Like log_read_int(), for values that decide nothing: returns the nearest valid number. */
int64_t log_read_nearest(sqlite3_stmt *row, int at);

/* Returns the follower's state, for the process that takes over an orphaned run: it changes the
 * state through the scheduler and appends the resulting events. */
struct run_state *follower_own_state(struct follower *follower);

#endif
