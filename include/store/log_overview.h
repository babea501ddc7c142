/*
 * log_overview.h - a run at a glance without its events: from the tables that the engine writes of
 * the fold's own state, in the transaction of the events (docs/run-log.md, "projections").
 */
#ifndef DEVS_LOG_OVERVIEW_H
#define DEVS_LOG_OVERVIEW_H

#include "log_reader.h"
#include "overview.h"

struct log_overview {
    struct log_run_info run; /* owned: log_run_info_done(); plan_text is NULL */
    bool orphaned;           /* it has no end, and nobody owns it */
    /* False: what is kept does not belong to the last event, or the run is one of which it does
     * not say enough (a source has a gate, a sandbox may lack something, its devs is newer, the log
     * lies beside its spill). Then `tasks` says nothing, and the events have to be read. */
    bool is_known;
    struct overview tasks;
};

/* Of a run (0 = the current one). What it says is of one moment. O(tasks), and where the run goes
 * on O(events) of a few words each at worst. Errors are those of log_reader_run(). */
ATTR_MUST_USE bool log_reader_overview(struct log_reader *reader, int64_t number,
                                       struct log_overview *out, struct err *err);

#endif
