/*
 * log_read.h - the reader from inside: for the files of store that share it. Belongs
 * to the thread that opened it, as log_reader.h says.
 */
#ifndef DEVS_LOG_READ_H
#define DEVS_LOG_READ_H

#include "db.h"
#include "follower.h"
#include "log_reader.h"

enum log_query {
    LOG_QUERY_RUN,
    LOG_QUERY_PLAN,
    LOG_QUERY_RUNS,
    LOG_QUERY_EVENTS,
    LOG_QUERY_ATTEMPT_EVENTS,
    LOG_QUERY_OUTPUT,
    LOG_QUERY_OUTPUT_SIZES,
    LOG_QUERY_STREAM_END,
    LOG_QUERY_ANSWER,
    LOG_QUERY_CAPTURE,
    LOG_QUERY_COUNT,
};

struct log_reader {
    struct place place;
    struct db db;
    sqlite3_stmt *queries[LOG_QUERY_COUNT]; /* owned; reset between calls */
};

/* As log_reader_run() without the plan (plan_text NULL). */
ATTR_MUST_USE bool log_read_run_row(struct log_reader *reader, int64_t number,
                                    struct log_run_info *out, struct err *err);

/* A column that must hold least to most, NULL being the least. False if it does not:
 * the file may be anybody's. */
ATTR_MUST_USE bool log_read_int(sqlite3_stmt *row, int at, int least, int most, int *out);

/* The follower's state, for the one who takes an orphaned run over: it changes it
 * through the scheduler and appends the events that come of it. */
struct run_state *follower_own_state(struct follower *follower);

#endif
