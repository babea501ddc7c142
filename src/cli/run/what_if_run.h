/*
 * what_if_run.h - `devs debug --what-if POLICY.json [RUN...]`: what other policies would have
 * decided, and what the policy careful would have saved. Main thread.
 */
#ifndef DEVS_WHAT_IF_RUN_H
#define DEVS_WHAT_IF_RUN_H

#include "debug_mode.h"
#include "place.h"
#include "str.h"

/* Returns the exit code: 3 if a decision differs. Errors are printed. */
int what_if_run(const struct debug_call *call);

/* Appends "  policy careful: 6 attempts and 2:10 less, same result" and a line feed if the steps
 * with the default policy would have reached the same result with fewer attempts. Appends
 * nothing otherwise, or if the log cannot be read. */
void what_if_careful(const struct place *place, int64_t run, struct str *out);

#endif
