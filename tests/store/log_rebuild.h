/*
 * log_rebuild.h - what a log keeps beside a run's events, made again of them. Test's thread.
 */
#ifndef DEVS_LOG_REBUILD_H
#define DEVS_LOG_REBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Throw the projections of a run away and make them again by folding its events.
 * Takes the owner lock: ERR_BUSY while somebody owns the run. */
ATTR_MUST_USE bool log_rebuild(const struct place *place, int64_t run, struct err *err);

#endif
