/*
 * damage.h - damages a log with events that cannot follow the previous ones.
 */
#ifndef DEVS_SIM_DAMAGE_H
#define DEVS_SIM_DAMAGE_H

#include <stdbool.h>

#include "event.h"
#include "plot.h"

enum { DAMAGE_WAYS = 37 };

/* Damages an event of a valid log in one of several ways, so that it is not valid there. Returns
 * false if that way does not apply to events of its kind. */
bool damage_event(struct event *event, int way, const struct plot *plot);

#endif
