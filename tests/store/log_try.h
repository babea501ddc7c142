/*
 * log_try.h - what tests do with a log that lies somewhere: look into its tables, change them as
 * another program would, read a run, write to it. What cannot be done fails the test.
 */
#ifndef DEVS_LOG_TRY_H
#define DEVS_LOG_TRY_H

#include <sys/types.h>

#include "db.h"
#include "follower.h"
#include "log_sample.h"

/* Opens the file as any other program does: with the views and triggers that our own connections
 * do without (db.h). */
void other_program_open(struct db *db, const struct place *place, enum db_mode mode);

/* The first column of the query's first row, and what the statements do. */
int64_t log_number(const struct place *place, const char *sql);
void log_change(const struct place *place, const char *sql);

/* The caller closes. */
struct log_reader *log_reader_of(const struct place *place);
/* All events of the run are read; 0 is the newest run. The caller closes. */
struct follower *log_follow(const struct place *place, int64_t run);
/* The run's events fold to this state (run_state_digest()). */
void log_check_fold(const struct place *place, int64_t run, uint64_t digest);

void log_commit(struct log_writer *writer, const struct log_batch *batch);
/* So many notes, numbered on from `seq`. */
void log_commit_notes(struct log_writer *writer, int64_t seq, size_t count);
/* One piece of output; of a text if `len` is 0. */
void log_commit_output(struct log_writer *writer, struct log_output output);

void check_mode(const char *path, mode_t mode);
/* The child process exits with 0. */
void check_exit(pid_t pid);

/* The run's owner goes. */
void sample_close_log(struct sample *sample);

#endif
