/*
 * log_try.h - what tests do with a log: query its tables, change them like another program, read a
 * run, write to it. Each function fails the test if it cannot.
 */
#ifndef DEVS_LOG_TRY_H
#define DEVS_LOG_TRY_H

#include <sys/types.h>

#include "db.h"
#include "follower.h"
#include "log_sample.h"

/* Opens the file like any other program: with the views and triggers that our own connections
 * disable (db.h). */
void other_program_open(struct db *db, const struct place *place, enum db_mode mode);

/* The first column of the query's first row. */
int64_t log_number(const struct place *place, const char *sql);
void log_change(const struct place *place, const char *sql);

/* The caller closes. */
struct log_reader *log_reader_of(const struct place *place);
/* Reads all events of the run; 0 = the newest. The caller closes. */
struct follower *log_follow(const struct place *place, int64_t run);
/* Checks that the run's events fold to the state with this digest (run_state_digest()). */
void log_check_fold(const struct place *place, int64_t run, uint64_t digest);

void log_commit(struct log_writer *writer, const struct log_batch *batch);
/* Commits `count` notes, numbered from `seq`. */
void log_commit_notes(struct log_writer *writer, int64_t seq, size_t count);
/* Commits one piece of output; `len` 0 = the whole text. */
void log_commit_output(struct log_writer *writer, struct log_output output);

void check_mode(const char *path, mode_t mode);
/* Waits for the child process, which must exit with 0. */
void check_exit(pid_t pid);

/* Closes the writer: the run has no owner any more. */
void sample_close_log(struct sample *sample);

#endif
