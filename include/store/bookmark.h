/*
 * bookmark.h - places in a run that a person wants to find again, kept in the log.
 *
 * A bookmark is beside what happened, not of it: it can be made and removed at any time
 * and by any process, while the run goes on and after its end. A run that has one is kept by gc
 * (log_gc.h). Any thread; those that write block until it is their turn (turns.h).
 */
#ifndef DEVS_BOOKMARK_H
#define DEVS_BOOKMARK_H

#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "place.h"

enum {
    BOOKMARK_NAME_MAX = 120, /* bytes */
    BOOKMARK_BY_MAX = 64,
    BOOKMARKS_MAX = 1000, /* of one run */
};

/* A plain value. The texts may come from a file of anybody's: clean them before they are shown. */
struct bookmark {
    int64_t id;                       /* of its row: what it is removed by */
    int64_t run;                      /* its number */
    int64_t seq;                      /* the last event that had happened, 0 = none yet */
    int64_t at_ms;                    /* the moment, UTC: that of the event, or later */
    int64_t made_at_ms;               /* UTC */
    char name[BOOKMARK_NAME_MAX + 1]; /* "" = none */
    char by[BOOKMARK_BY_MAX + 1];     /* who made it */
};

/* Put it into the log: all but the id is the caller's, who has cut secrets out of the name; the id
 * is filled in, and the name is made one clean line. ERR_NOT_FOUND: no such run, or no such event
 * of it; ERR_LIMIT: it has BOOKMARKS_MAX; ERR_INVALID: the log is a bundle; ERR_BUSY: somebody
 * keeps the log. */
ATTR_MUST_USE bool bookmark_add(const struct place *place, struct bookmark *bookmark,
                                struct err *err);
/* Take the one of that id out of the log. ERR_NOT_FOUND: it is gone already; ERR_INVALID and
 * ERR_BUSY as above. */
ATTR_MUST_USE bool bookmark_remove(const struct place *place, int64_t id, struct err *err);

/* Those of a run by place in it (moment, then id), at most `max`; run 0: of all runs, the newest
 * run first. On the reader's thread; a log from before there were bookmarks has none. Fails as the
 * reader does (log_reader.h). */
ATTR_MUST_USE bool bookmark_list(struct log_reader *reader, int64_t run, struct bookmark *out,
                                 size_t max, size_t *count_out, struct err *err);

#endif
