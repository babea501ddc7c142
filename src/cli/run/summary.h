/*
 * summary.h - the result of a run in about ten lines.
 */
#ifndef DEVS_SUMMARY_H
#define DEVS_SUMMARY_H

#include <stdint.h>

#include "log_reader.h"
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

#endif
