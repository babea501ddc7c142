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

/* For a screen or a line: enough to say something, and read in well under a second. */
enum { RETRY_LOG_BRIEF = 20000 };

/* Add the attempts of one run to *help; part of them where it fails. O(events of the run). */
ATTR_MUST_USE bool retry_log_add(struct log_reader *reader, int64_t run, struct retry_help *help,
                                 struct err *err);
/* The newest runs, until they had so many attempts or there is none left; 0: all of them. */
ATTR_MUST_USE bool retry_log_read(struct log_reader *reader, int64_t attempts,
                                  struct retry_help *out, struct err *err);

#endif
