/*
 * log_overview.h - summarizes a run without reading its events, from the tables that the engine
 * writes together with the events (docs/run-log.md, "projections").
 */
#ifndef DEVS_LOG_OVERVIEW_H
#define DEVS_LOG_OVERVIEW_H

#include "log_reader.h"
#include "overview.h"

struct log_overview {
    struct log_run_info run; /* owned: log_run_info_done(); plan_text is NULL */
    bool orphaned;           /* no recorded end and no owner */
    /* False if the tables do not match the last event, or do not say enough about this run (it has
     * a gate, its sandbox may be incomplete, its devs is newer, or part of it is in a spill). Then
     * `tasks` is not set, and the caller has to read the events. */
    bool is_known;
    struct overview tasks;
};

/* Reads the summary of a run (0 = the current one), consistent for one point in time. O(tasks); for
 * a live run O(events) in the worst case, reading only a few columns of each. Fails like
 * log_reader_run(). */
ATTR_MUST_USE bool log_reader_overview(struct log_reader *reader, int64_t number,
                                       struct log_overview *out, struct err *err);

#endif
