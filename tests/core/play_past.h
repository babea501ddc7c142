/*
 * play_past.h - seeking in a played run: the state at any event is the one that folding gave.
 */
#ifndef DEVS_TEST_PLAY_PAST_H
#define DEVS_TEST_PLAY_PAST_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "plan.h"

/* Keep the past each `every` events (run_state.h), fold them all, go to events here and there, back
 * and on, and compare. Nothing where the plan grows. */
void play_past_check(const struct plan *plan, const struct event *events, size_t count,
                     int64_t every);

#endif
