/*
 * diff_runs.h - `devs debug --diff RUN RUN`: two runs side by side. Main thread.
 */
#ifndef DEVS_DIFF_RUNS_H
#define DEVS_DIFF_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "debug_mode.h"

/* Do the words name two runs, and no task and no try? */
bool diff_runs_are_meant(char *const *words, size_t count);
/* What both came to, and each task that ended otherwise or is in one of them alone, in the order of
 * the first one's plan. Returns the exit code; errors are printed. */
int diff_runs(const struct debug_call *call);

#endif
