/*
 * log_rebuild.h - rebuilds the tables that a log keeps beside a run's events.
 */
#ifndef DEVS_LOG_REBUILD_H
#define DEVS_LOG_REBUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* Deletes the projections of a run and rebuilds them by folding its events. Takes the owner lock:
 * fails with ERR_BUSY while somebody owns the run. */
ATTR_MUST_USE bool log_rebuild(const struct place *place, int64_t run, struct err *err);

#endif
