/*
 * log_merge.h - merges a spill (spill.h) into its log once nobody owns the run. Any thread.
 */
#ifndef DEVS_LOG_MERGE_H
#define DEVS_LOG_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* The result of a merge. */
struct log_merged {
    int64_t run;    /* number of the run in the log */
    int64_t events; /* number of events that the log lacked; 0 = none */
};

/* Merges `spill` into the log. A run that the log does not know is created if the spill has it from
 * its first event. Fails with ERR_INVALID if the file is not a spill; ERR_BUSY if the run is alive,
 * since its owner will merge it; ERR_DAMAGED if events are missing between the log's last and the
 * spill's first. After a failure, merged events stay in the log, and the merge can be repeated.
 * Does not delete the spill. */
ATTR_MUST_USE bool log_merge(const struct place *home, const struct place *spill,
                             struct log_merged *out, struct err *err);

#endif
