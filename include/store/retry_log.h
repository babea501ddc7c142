/*
 * retry_log.h - the cases of retry_help.h, read from the log: from the projection `attempt`, and
 * from the few events that say what it leaves out (corrections, hints, rounds, silence).
 *
 * What a run has in a spill (spill.h) and not yet in the log is not counted. The thread that opened
 * the reader.
 */
#ifndef DEVS_RETRY_LOG_H
#define DEVS_RETRY_LOG_H

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "retry_help.h"

/* Add the attempts of one run to *help; part of them where it fails, as the
 * reader does (log_reader.h). O(events of the run). */
ATTR_MUST_USE bool retry_log_add(struct log_reader *reader, int64_t run, struct retry_help *help,
                                 struct err *err);
/* Which runs are looked at: the newest before `before` (0: of all), as far as they have together at
 * most so many events. One that is too long for what is left is passed over. */
struct retry_log_scope {
    int64_t before;
    int64_t events;
};
enum {
    RETRY_LOG_RUNS_MAX = 1000, /* no more are looked at */
    RETRY_LOG_LINE = 500000,   /* events, for a line of text: well under a second */
    RETRY_LOG_SCREEN = 30000,  /* likewise, for a screen: some 10 ms */
};
/* Read the runs of the scope. *out is made anew, its classes in order. Fails as the reader does. */
ATTR_MUST_USE bool retry_log_read(struct log_reader *reader, const struct retry_log_scope *scope,
                                  struct retry_help *out, struct err *err);

#endif
