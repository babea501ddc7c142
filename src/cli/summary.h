/*
 * summary.h - what a run came to, in ten lines at most.
 */
#ifndef DEVS_SUMMARY_H
#define DEVS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "run_state.h"
#include "str.h"

enum { SUMMARY_LINES_MAX = 10 };

/* What passed, failed and waited, and how to play it back. `orphaned`: its devs
 * died before the end. */
void summary_write(const struct run_state *state, int64_t run, bool orphaned, struct str *out);

#endif
