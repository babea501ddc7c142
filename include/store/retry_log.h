/*
 * retry_log.h - reads the attempts for retry_help.h from the log: from the projection `attempt`,
 * plus corrections, hints, rounds and silence from the events.
 *
 * Ignores events that are in a spill (spill.h) and not yet in the log. Thread: the reader's.
 */
#ifndef DEVS_RETRY_LOG_H
#define DEVS_RETRY_LOG_H

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "retry_help.h"

/* Adds the attempts of one run to *help. Fails like the reader (log_reader.h); some attempts may
 * have been added by then. O(events of the run). */
ATTR_MUST_USE bool retry_log_add(struct log_reader *reader, int64_t run, struct retry_help *help,
                                 struct err *err);
/* The runs to read: the newest runs before run `before` (0 = of all runs) that together have at
 * most `events` events. A run that is too long for the remainder is skipped. */
struct retry_log_scope {
    int64_t before;
    int64_t events;
};
enum {
    RETRY_LOG_RUNS_MAX = 1000, /* upper limit for the number of runs */
    RETRY_LOG_LINE =
        500000, /* maximum number of events to read for a line of text: well under a second */
    RETRY_LOG_SCREEN = 30000, /* maximum number of events to read for a screen: about 10 ms */
};
/* Reads the runs of the scope into *out, which is initialized first, and sorts its classes. Fails
 * like the reader. */
ATTR_MUST_USE bool retry_log_read(struct log_reader *reader, const struct retry_log_scope *scope,
                                  struct retry_help *out, struct err *err);

#endif
