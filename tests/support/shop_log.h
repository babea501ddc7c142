/*
 * shop_log.h - a run log of a made-up shop's day: one run with every state a task can be in, and
 * three earlier runs. Screens, pictures and tests come from it; the same bytes of events each time.
 */
#ifndef DEVS_SHOP_LOG_H
#define DEVS_SHOP_LOG_H

#include <stdbool.h>

#include "err.h"
#include "place.h"

/* Write the four runs, the newest as it was at 14:02:37 on 20 November 2025, UTC. Any thread. */
bool shop_log_write(const struct place *place, struct err *err);

#endif
