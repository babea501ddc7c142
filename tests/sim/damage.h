/*
 * damage.h - a log that was damaged: events that cannot follow what was before.
 */
#ifndef DEVS_SIM_DAMAGE_H
#define DEVS_SIM_DAMAGE_H

#include <stdbool.h>

#include "event.h"
#include "plot.h"

enum { DAMAGE_WAYS = 34 };

/* Damage an event of a sound log in one of the ways, so that it cannot follow there. False
 * if that way does nothing to an event of its kind. */
bool damage_event(struct event *event, int way, const struct plot *plot);

#endif
