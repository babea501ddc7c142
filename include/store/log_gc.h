/*
 * log_gc.h - deletes runs from the log: by name, and by limits for age, number and size.
 *
 * A run is deleted with everything recorded for it. It is first marked as expired, which hides it
 * from readers and permits deleting its events. Then its rows are deleted in small transactions,
 * each in its own turn, so that nobody waits long. If a collection is killed, the next one finishes
 * its work. Limits never delete runs that somebody owns, that have a bookmark, or that are partly
 * in a spill, nor the newest run unless it is named.
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
    LOG_GC_RUNS_MAX = 100000, /* maximum number of runs examined per collection */
    LOG_GC_NAME_MAX = 63,     /* maximum bytes of a run's name */
    LOG_GC_SESSION_MS = 7 * 24 * 60 * 60 * 1000, /* a session that was silent this long is treated
                                                    as over, even without a recorded end */
    LOG_GC_SLICE_PAGES = 256, /* pages returned to the file system per transaction */
};

/* How much the log may keep; -1 = no limit. */
struct log_limits {
    int64_t age_ms; /* time since a run's last event */
    int64_t runs;
    int64_t bytes; /* total size of the runs' data, not of the file */
};
/* Returns limits that keep everything. */
struct log_limits log_limits_new(void);

enum log_gc_why {
    LOG_GC_WITHIN, /* kept: within the limits */
    LOG_GC_NEWEST, /* kept: the newest run */
    LOG_GC_ALIVE,
    LOG_GC_BOOKMARKED,
    LOG_GC_SPILLED,
    LOG_GC_NAMED, /* deleted, as for all reasons below */
    LOG_GC_OLD,
    LOG_GC_MANY,
    LOG_GC_LARGE,
    LOG_GC_BEGUN, /* a previous collection did not finish */
    LOG_GC_WHY_COUNT,
};
/* Returns true if a run with this reason is deleted. */
bool log_gc_goes(enum log_gc_why why);

struct log_gc_run {
    int64_t number;
    char name[LOG_GC_NAME_MAX + 1];
    int64_t last_at_ms; /* time of the last event, UTC */
    int64_t bytes; /* approximate size of its rows; -1 = not counted because no limit needs it */
    enum log_gc_why why;
};

/* What to delete. Everything is borrowed. */
struct log_gc_asked {
    const struct place *place;
    struct log_limits limits;
    const int64_t *named; /* runs to delete regardless of the limits */
    size_t named_count;
    int64_t now_ms; /* current time, UTC */
};
/* Returns true if the run is in `named`. */
bool log_gc_is_named(const struct log_gc_asked *asked, int64_t number);

/* Lists every run, newest first, with the reason why it would be kept or deleted. Changes nothing.
 * Fails with ERR_NOT_FOUND if a named run does not exist. The caller frees *out. */
ATTR_MUST_USE bool log_gc_plan(const struct log_gc_asked *asked, struct log_gc_run **out,
                               size_t *count_out, struct err *err);

struct log_gc;
/* Opens the log for deleting runs. Fails with ERR_DAMAGED or ERR_IO if it is not a log or cannot be
 * written. The caller closes *out with log_gc_close(). */
ATTR_MUST_USE bool log_gc_open(struct log_gc **out, const struct place *place, struct err *err);
/* Deletes one run. Fails with ERR_BUSY if somebody owns it, ERR_INVALID if it has a bookmark; then
 * nothing was deleted. After any other failure the run is hidden from readers; call it again to
 * finish. */
ATTR_MUST_USE bool log_gc_remove(struct log_gc *gc, int64_t run, struct err *err);
/* Returns unused space to the file system, at most `bytes_max` (0 = all). Sets *bytes_out to the
 * number of bytes returned. Fails with ERR_BUSY or ERR_IO, but space that was already returned
 * stays returned. */
ATTR_MUST_USE bool log_gc_shrink(struct log_gc *gc, int64_t bytes_max, int64_t *bytes_out,
                                 struct err *err);
/* Frees the handle and leaves unfinished deletions as they are. `gc` may be NULL. */
void log_gc_close(struct log_gc *gc);

#endif
