/*
 * summary.h - what a run came to, in about ten lines.
 */
#ifndef DEVS_SUMMARY_H
#define DEVS_SUMMARY_H

#include <stdint.h>

#include "log_reader.h"
#include "run_state.h"
#include "str.h"

struct summary {
    const struct run_state *state; /* borrowed */
    struct log_reader *reader;     /* borrowed; of its log, for what failed tasks wrote */
    int64_t run;
};

/* Of a run that has ended, or that its engine has left. Appends what failed, each with the line
 * that says most and how to look at it, what passed and waited, and how to play the run back. */
void summary_write(const struct summary *summary, struct str *out);

#endif
