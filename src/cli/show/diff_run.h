/*
 * diff_run.h - `devs debug --diff`: two attempts side by side. Main thread.
 */
#ifndef DEVS_DIFF_RUN_H
#define DEVS_DIFF_RUN_H

#include "debug_mode.h"

/* [RUN/]TASK#N and #N, N or another [RUN/]TASK#N; [RUN/]TASK alone: its last two attempts. Two
 * runs: diff_runs(). Returns the exit code; errors are printed. */
int diff_run(const struct debug_call *call);

#endif
