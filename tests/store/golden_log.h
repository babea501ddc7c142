/*
 * golden_log.h - the recorded runs of tests/data/golden, put into logs of their own.
 */
#ifndef DEVS_TEST_GOLDEN_LOG_H
#define DEVS_TEST_GOLDEN_LOG_H

#include "place.h"

/* The names of the runs: the files without ".sql". NULL past the last. */
const char *golden_log_name(int index);
int golden_log_count(void);

/* The SQL of a run; the caller frees. */
char *golden_log_sql(const char *name);

/* Makes a new log with the rules of the golden runs and the SQL's rows: run 1. */
struct place golden_log_make(const char *sql);
struct place golden_log_place(const char *name);

#endif
