/*
 * run_state_copy.h - a state as it is at one event, kept for going back to it. Pure.
 */
#ifndef DEVS_RUN_STATE_COPY_H
#define DEVS_RUN_STATE_COPY_H

#include "run_state.h"

/* Not where the plan grows: its tasks are the state's own. */
bool run_state_can_copy(const struct run_state *state);

/* A copy that shares nothing with the state but its plan; the same events change both alike. The
 * caller owns it: run_state_done(). O(tasks + steps + attempts). */
void run_state_copy(struct run_state *out, const struct run_state *state);

#endif
