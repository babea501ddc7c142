/*
 * log_merge.h - bringing a spill (spill.h) into the log that it belongs to, when nobody owns
 * the run any more. Any thread.
 */
#ifndef DEVS_LOG_MERGE_H
#define DEVS_LOG_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

/* What was brought in. */
struct log_merged {
    int64_t run;    /* its number in the log */
    int64_t events; /* that the log did not have; 0: all of it was there */
};

/* Bring `spill` into the log. A run that the log does not know is entered anew, if the spill
 * holds it from its first event. ERR_INVALID: no spill; ERR_BUSY: the run is alive and brings it
 * home itself; ERR_DAMAGED: events are missing between the log's last and the spill's first.
 * Where it fails, what was brought in so far stays, and it can be done again. The spill's files
 * are left alone. */
ATTR_MUST_USE bool log_merge(const struct place *home, const struct place *spill,
                             struct log_merged *out, struct err *err);

#endif
