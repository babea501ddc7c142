/*
 * log_gc.h - taking runs out of the log: by name, and by limits of age, number and size.
 *
 * A run goes with all that was recorded of it. It is marked expired first, by which no reader
 * finds it any more and its events may be deleted, then its rows go in small transactions, each in
 * a turn of its own, so that nobody waits long; what a collection leaves that was killed the next
 * one finishes. Kept whatever the limits: a run that somebody owns, one that has a bookmark, one of
 * which a part lies in a spill, and, where nobody names it, the newest.
 *
 * Belongs to the thread that opened it.
 */
#ifndef DEVS_LOG_GC_H
#define DEVS_LOG_GC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

enum {
    LOG_GC_RUNS_MAX = 100000,                    /* that are looked at in one go */
    LOG_GC_NAME_MAX = 63,                        /* bytes */
    LOG_GC_SESSION_MS = 7 * 24 * 60 * 60 * 1000, /* a session that was silent for so long is
                                                    over, whether or not its end is recorded */
    LOG_GC_SLICE_PAGES = 256, /* given back to the file system in one transaction */
};

/* What the log may keep; -1 = as much as there is. */
struct log_limits {
    int64_t age_ms; /* since a run's last event */
    int64_t runs;
    int64_t bytes; /* of all runs together: what they hold, not what the file takes */
};
/* No limits: everything stays. */
struct log_limits log_limits_new(void);

enum log_gc_why {
    LOG_GC_WITHIN, /* stays: within the limits */
    LOG_GC_NEWEST, /* stays, for it is */
    LOG_GC_ALIVE,
    LOG_GC_BOOKMARKED,
    LOG_GC_SPILLED,
    LOG_GC_NAMED, /* goes, as do those below */
    LOG_GC_OLD,
    LOG_GC_MANY,
    LOG_GC_LARGE,
    LOG_GC_BEGUN, /* an earlier collection did not come to its end */
    LOG_GC_WHY_COUNT,
};
/* Does a run with this reason go? */
bool log_gc_goes(enum log_gc_why why);

struct log_gc_run {
    int64_t number;
    char name[LOG_GC_NAME_MAX + 1];
    int64_t last_at_ms; /* UTC */
    int64_t bytes;      /* about, of its rows; -1: not counted, for nobody asks */
    enum log_gc_why why;
};

/* What is wanted. All borrowed. */
struct log_gc_asked {
    const struct place *place;
    struct log_limits limits;
    const int64_t *named; /* numbers of runs that go whatever the limits */
    size_t named_count;
    int64_t now_ms; /* UTC */
};
/* Is the run of this number among those that are named? */
bool log_gc_is_named(const struct log_gc_asked *asked, int64_t number);

/* Looks only: each run and what would become of it, newest first. ERR_NOT_FOUND: a named run is not
 * there. The caller frees *out. */
ATTR_MUST_USE bool log_gc_plan(const struct log_gc_asked *asked, struct log_gc_run **out,
                               size_t *count_out, struct err *err);

struct log_gc;
/* Open the log for taking runs out. ERR_DAMAGED, ERR_IO: it is none, or cannot be written. The
 * caller ends *out with log_gc_close(). */
ATTR_MUST_USE bool log_gc_open(struct log_gc **out, const struct place *place, struct err *err);
/* Take one run out. ERR_BUSY: somebody owns it; ERR_INVALID: it has a bookmark; then all of it is
 * there. After another failure it is gone for readers, and done again it goes on. */
ATTR_MUST_USE bool log_gc_remove(struct log_gc *gc, int64_t run, struct err *err);
/* Give room that nothing needs back to the file system, at most `bytes_max` (0 = all); *bytes_out
 * says how much. ERR_BUSY, ERR_IO: what was given back until then stays given back. */
ATTR_MUST_USE bool log_gc_shrink(struct log_gc *gc, int64_t bytes_max, int64_t *bytes_out,
                                 struct err *err);
/* Free; what was begun stays as it is. NULL is allowed. */
void log_gc_close(struct log_gc *gc);

#endif
