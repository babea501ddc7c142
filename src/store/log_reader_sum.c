/* log_reader_sum.c - what can be said of runs without their events. */
#include <limits.h>

#include "log_read.h"
#include "run_state.h"

bool log_reader_totals(struct log_reader *reader, struct log_totals *out, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_TOTALS];
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && row)
        *out = (struct log_totals){.runs = log_read_nearest(query, 0),
                                   .attempts = log_read_nearest(query, 1)};
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

enum {
    AT_RUNNING,
    AT_FAILED,
    AT_PRINTS,
    AT_HI,
    AT_LO = 5,
    AT_CLASS = 7,
    AT_TYPE = 9,
    AT_REASON = 11,
    AT_END = 13,
    AT_RAN = AT_END
};

/* Least and most stand side by side. */
static bool are_alike(sqlite3_stmt *row)
{
    bool alike = sqlite3_column_int64(row, AT_PRINTS) == sqlite3_column_int64(row, AT_FAILED);
    for (int i = AT_HI; i < AT_END; i += 2)
        alike = alike && sqlite3_column_int64(row, i) == sqlite3_column_int64(row, i + 1);
    return alike;
}

static bool take_sum(sqlite3_stmt *row, struct log_run_sum *out)
{
    struct log_run_sum sum = {.ran_ms = log_read_nearest(row, AT_RAN)};
    int class = 0;
    int type = 0;
    int reason = 0;
    bool ok = log_read_int(row, AT_RUNNING, 0, INT_MAX, &sum.running) &&
              log_read_int(row, AT_FAILED, 0, INT_MAX, &sum.failed) &&
              log_read_int(row, AT_CLASS, 0, VERDICT_CLASS_COUNT - 1, &class) &&
              log_read_int(row, AT_TYPE, 0, TRANSIENT_TYPE_COUNT - 1, &type) &&
              log_read_int(row, AT_REASON, 0, REASON_COUNT - 1, &reason);
    sum.alike = sum.failed > 0 && are_alike(row);
    if (sum.alike) {
        sum.fault = (struct digest){.hi = (uint64_t)sqlite3_column_int64(row, AT_HI),
                                    .lo = (uint64_t)sqlite3_column_int64(row, AT_LO)};
        sum.class = (enum verdict_class) class;
        sum.type = (enum transient_type)type;
        sum.reason = (enum reason)reason;
    }
    if (ok)
        *out = sum;
    return ok;
}

/* How many tasks are in which state. */
static bool count_states(struct log_reader *reader, int64_t run, struct log_run_sum *out,
                         struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_STATES];
    (void)sqlite3_bind_int64(query, 1, run);
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    while (ok && row) {
        int status = 0;
        int count = 0;
        if (log_read_int(query, 0, 0, TASK_STATUS_COUNT - 1, &status) &&
            log_read_int(query, 1, 0, INT_MAX, &count))
            out->states[status] = count;
        ok = db_next(&reader->db, query, &row, err);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

bool log_reader_sum(struct log_reader *reader, int64_t run, struct log_run_sum *out,
                    struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_SUM];
    (void)sqlite3_bind_int64(query, 1, run);
    (void)sqlite3_bind_int(query, 2, TASK_GAVE_UP);
    (void)sqlite3_bind_int(query, 3, TASK_STUCK);
    (void)sqlite3_bind_int(query, 4, TASK_NEEDS_YOU);
    (void)sqlite3_bind_int(query, 5, TASK_RUNNING);
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && row && !take_sum(query, out))
        ok = err_set(err, ERR_DAMAGED, "what the log counts of run #%lld cannot be true",
                     (long long)run);
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok && count_states(reader, run, out, err);
}
