/*
 * feed_source.h - reads a log for a feed: which rows the other side lacks, as frames.
 *
 * Each call reads a limited number of rows, without a transaction that outlasts it, so a slow
 * reader neither makes the WAL grow nor costs memory. Belongs to one thread.
 */
#ifndef DEVS_FEED_SOURCE_H
#define DEVS_FEED_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "feed_frame.h"
#include "place.h"
#include "str.h"

enum {
    FEED_RUNS_MAX = 200,           /* newest runs that are followed, with their events */
    FEED_COLLECT_RUNS_MAX = 10000, /* newest runs that are collected */
    FEED_OLD_EVENTS_MAX = 500000,  /* events of runs that nobody has opened; no more are begun */
    FEED_PAGE_BYTES = 256 * 1024,  /* about how much a call of feed_source_fill() appends */
    FEED_CHECK_MS = 2000,          /* minimum interval between two checks of the output of a run */
};

struct feed_source;

/* Opens the log. Fails like log_reader_open(). The caller closes *out with feed_source_close(). */
ATTR_MUST_USE bool feed_source_open(struct feed_source **out, const struct place *place,
                                    enum feed_mode mode, struct err *err);
/* `source` may be NULL. */
void feed_source_close(struct feed_source *source);

/* Returns the log's reader, for look-ups in the same thread. */
struct log_reader *feed_source_reader(struct feed_source *source);

/* Wants this run with its output. Returns false if it is not among the runs that are followed. */
bool feed_source_want(struct feed_source *source, int64_t run);
/* Takes what the other side has of a run, before the first feed_source_fill(). Appends FEED_RESET
 * if it is another run, or its events are others. */
ATTR_MUST_USE bool feed_source_have(struct feed_source *source, const struct feed_message *have,
                                    struct str *out, struct err *err);
/* Sends the output of this run again. */
void feed_source_again(struct feed_source *source, int64_t run);
/* Returns whether the run of that number has this uid. */
bool feed_source_is_run(const struct feed_source *source, int64_t run,
                        const struct feed_message *message, size_t uid_at);

/* Looks for new runs and for changes. To follow, call it when the log has changed; to collect,
 * once: it appends all runs, and FEED_LISTED. */
ATTR_MUST_USE bool feed_source_look(struct feed_source *source, struct str *out, struct err *err);
/* Appends the next rows, about FEED_PAGE_BYTES; nothing if the other side has everything. `now_ms`
 * is the steady clock. */
ATTR_MUST_USE bool feed_source_fill(struct feed_source *source, int64_t now_ms, struct str *out,
                                    struct err *err);

/* Appends the row of a control. *answered says whether it has an answer. */
ATTR_MUST_USE bool feed_source_control(struct feed_source *source, int64_t run, int64_t control,
                                       struct str *out, bool *answered, struct err *err);

#endif
