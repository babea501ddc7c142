/*
 * verify_run.h - `devs debug --verify`: recorded runs held against this build. Main thread.
 */
#ifndef DEVS_VERIFY_RUN_H
#define DEVS_VERIFY_RUN_H

#include "debug_mode.h"

/* Returns EXIT_WOULD_CHANGE where something is decided otherwise; errors are printed. */
int verify_run_print(const struct debug_call *call);

#endif
