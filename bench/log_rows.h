/*
 * log_rows.h - records the statements that a log writer runs, and runs the same ones in a bare loop
 * of prepared statements.
 */
#ifndef DEVS_BENCH_LOG_ROWS_H
#define DEVS_BENCH_LOG_ROWS_H

#include <stddef.h>

enum log_row_kind { LOG_ROW_EVENT, LOG_ROW_TASK, LOG_ROW_ATTEMPT, LOG_ROW_RUN, LOG_ROW_COMMIT };
enum { LOG_ROW_KEYS = 4 };

/* A statement that was run, and the key of its row. */
struct log_row {
    enum log_row_kind kind;
    long long keys[LOG_ROW_KEYS]; /* run, and seq or task, step, attempt */
};

struct log_rows {
    struct log_row *items; /* owned */
    size_t count, cap;
};

/* Until log_rows_stop(), every connection that this process opens records the rows that it
 * writes. */
void log_rows_start(struct log_rows *rows);
void log_rows_stop(void);

/* Writes the rows from the log `from` into the log `to`, which has the tables and the run, with the
 * same transactions, settings and syncs. `which`: only events, or all rows. Returns the wall time
 * in ms. */
enum log_rows_which { LOG_ROWS_ALL, LOG_ROWS_EVENTS };
double log_rows_write(const struct log_rows *rows, enum log_rows_which which, const char *from,
                      const char *to);

#endif
