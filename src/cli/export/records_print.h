/*
 * records_print.h - `devs debug --logs`: a run's records, or its replay on a terminal.
 */
#ifndef DEVS_RECORDS_PRINT_H
#define DEVS_RECORDS_PRINT_H

#include "debug_mode.h"

/* Returns the exit code; errors are printed. */
int records_run(const struct debug_call *call);

#endif
