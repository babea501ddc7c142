/*
 * recorder.h - commits to the log, and handles a log that cannot be written.
 *
 * A failed commit stops nothing: the run continues in a second log (spill.h), and the main log is
 * retried once a second. When it accepts what it lacks, the spill log is merged into it in order
 * and removed. If no spill log can be made either, events are kept in memory and retried at most
 * once a second; output of that time is lost. If such a retry fails while more than
 * RECORDER_KEPT_BYTES are waiting, recording stops for good, since a log must have no gaps. Data
 * that was written but could not be synced to disk is reported once and not retried. Belongs to the
 * thread that opened it.
 */
#ifndef DEVS_RECORDER_H
#define DEVS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_writer.h"

enum {
    RECORDER_KEPT_BYTES = 1024 * 1024,
    RECORDER_RETRY_MS = 1000,
    RECORDER_FINISH_MS = 10000,
};

struct recorder {
    struct log_writer *writer; /* owned; of the log */
    struct log_writer *spill;  /* owned; NULL while the log can be written */
    struct event *kept;        /* owned, including texts; events that neither log has, oldest
                                  first */
    size_t kept_count, kept_cap, kept_bytes;
    bool failing;     /* the last commit failed */
    bool busy;        /* because another process held the log */
    bool lost;        /* some data will never be logged */
    bool over;        /* no more commits */
    int64_t retry_ms; /* when the next commit to the failing log may be tried */
    struct err err;   /* the error that started the latest series of failures */

    /* Controls that were already returned: of the log and, from `spill_controls` on, of the spill
     * log. */
    int64_t control_seen, spill_control_seen, spill_controls;

    bool has_output;  /* some output was committed */
    bool left_output; /* it is in a log that was removed: the spill log only has the events */

    /* For recorder_news(). */
    bool spilled, home;  /* a spill log was started; it was merged */
    bool recovered;      /* a commit succeeded after failures */
    bool output_lost;    /* since this was last reported */
    bool unsynced, told; /* data that was written may not be on disk; that was reported */
    struct err sync_err;
};

/* Opens the log for writing. End it with recorder_done(), even if this fails. */
ATTR_MUST_USE bool recorder_init(struct recorder *recorder, const struct place *place,
                                 struct err *err);
void recorder_done(struct recorder *recorder);

enum recorder_urgency {
    RECORDER_IN_TIME, /* on disk within LOG_FULL_SYNC_MS; the writer takes care of that */
    RECORDER_NOW,     /* on disk on return; tried even if the last commit has just failed */
};

/* Returns false if the batch is not completely in the log (yet). */
bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms);

/* Returns controls that were requested in the log or the spill log and not returned before; see
 * log_writer_controls(). */
ATTR_MUST_USE bool recorder_controls(struct recorder *recorder, struct control *out, size_t max,
                                     size_t *count_out, struct err *err);
/* Returns whether controls must be polled for. The spill log's bell is not watched. */
bool recorder_is_away(const struct recorder *recorder);

/* Call before the end: tries the log once more, for up to RECORDER_FINISH_MS if another process
 * holds it. A spill log that cannot be merged stays. */
void recorder_finish(struct recorder *recorder);

/* News about the log for the user. */
struct recorder_news {
    const char *what; /* static; NULL = nothing */
    const char *why;  /* the cause, owned by the recorder; "" = none */
};
/* Returns the next piece of news. Each is returned only once. */
struct recorder_news recorder_news(struct recorder *recorder);

/* Returns when recorder_commit() must be called even without new events; INT64_MAX unless something
 * is waiting to be retried. */
int64_t recorder_due(const struct recorder *recorder);

#endif
