/*
 * summary.h - what a run came to, in ten lines at most.
 */
#ifndef DEVS_SUMMARY_H
#define DEVS_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "run_state.h"
#include "str.h"

/* What passed, failed and waited, and how to play it back. `left`: nobody goes on
 * with it, though it has not ended. */
void summary_write(const struct run_state *state, int64_t run, bool left, struct str *out);

#endif
