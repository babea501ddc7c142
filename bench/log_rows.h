/*
 * log_rows.h - what a log writer has SQLite do for a batch of events, and the same done by a bare
 * loop of prepared statements.
 */
#ifndef DEVS_BENCH_LOG_ROWS_H
#define DEVS_BENCH_LOG_ROWS_H

#include <stddef.h>

enum log_row_kind { LOG_ROW_EVENT, LOG_ROW_TASK, LOG_ROW_ATTEMPT, LOG_ROW_RUN, LOG_ROW_COMMIT };
enum { LOG_ROW_KEYS = 4 };

/* A statement that was run, and whose row it was. */
struct log_row {
    enum log_row_kind kind;
    long long keys[LOG_ROW_KEYS]; /* run, and seq or task, step, attempt */
};

struct log_rows {
    struct log_row *items; /* owned */
    size_t count, cap;
};

/* From here on every connection that this process opens notes what it writes; until
 * log_rows_stop(). */
void log_rows_start(struct log_rows *rows);
void log_rows_stop(void);

/* Write the rows as they are in the log `from` into the log `to`, which has the tables and the run,
 * in the same transactions, with the same settings, brought to the disk as often. Which of the
 * rows: events alone, or what else was written as well. How long it took, in ms of the clock. */
enum log_rows_which { LOG_ROWS_ALL, LOG_ROWS_EVENTS };
double log_rows_write(const struct log_rows *rows, enum log_rows_which which, const char *from,
                      const char *to);

#endif
