/*
 * what_if_run.h - `devs debug --what-if POLICY.json [RUN...]`: what other policies would have
 * decided. Main thread.
 */
#ifndef DEVS_WHAT_IF_RUN_H
#define DEVS_WHAT_IF_RUN_H

#include "debug_mode.h"

/* Returns the exit code: 3 if a decision differs. Errors are printed. */
int what_if_run(const struct debug_call *call);

#endif
