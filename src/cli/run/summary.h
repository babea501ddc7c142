/*
 * summary.h - what is said after a run: its result in about ten lines, a crash, and what its log
 * lacks.
 */
#ifndef DEVS_SUMMARY_H
#define DEVS_SUMMARY_H

#include <stdint.h>
#include <sys/types.h>

#include "log_reader.h"
#include "place.h"
#include "run_state.h"
#include "str.h"

struct summary {
    const struct run_state *state; /* borrowed */
    struct log_reader *reader;     /* borrowed; of the run's log, for the output of failed tasks */
    int64_t run;
};

/* For a run that has ended or that was left. Appends the failed tasks, each with its most
 * informative line and how to look at it, what passed and waited, and how to replay the run. */
void summary_write(const struct summary *summary, struct str *out);

/* Prints one line and a hint to stderr about a devs that crashed: the signal, the log, and which
 * processes of its attempts are still running. `db` as for place_find(); `pid` is the devs that
 * crashed. Called in the process that waited for it. */
void summary_crash(const char *db, pid_t pid, int signal_number);

/* Prints to stderr what the log of a finished run lacks and how to add it; nothing if it is
 * complete. */
void summary_spill(const struct place *place, const char *uid);

#endif
