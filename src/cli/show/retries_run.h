/*
 * retries_run.h - `devs debug --retries`: does retrying help, and where did the time go. Main
 * thread.
 */
#ifndef DEVS_RETRIES_RUN_H
#define DEVS_RETRIES_RUN_H

#include "debug_mode.h"

/* Over the runs that are named, or all of the log. Returns the exit code; errors are printed. */
int retries_run(const struct debug_call *call);

#endif
