/*
 * shop_log.h - writes the run log of a made-up shop: one run with every state a task can be in, and
 * three earlier runs. Screens, pictures and tests use it. The bytes of the events are always the
 * same.
 */
#ifndef DEVS_SHOP_LOG_H
#define DEVS_SHOP_LOG_H

#include <stdbool.h>

#include "err.h"
#include "place.h"

/* Writes the four runs, the newest as it was at 14:02:37 on 20 November 2025, UTC. Any thread. */
bool shop_log_write(const struct place *place, struct err *err);

#endif
