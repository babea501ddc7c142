/*
 * bookmark.h - named positions in a run, kept in the log.
 *
 * Bookmarks are independent of what happened in the run: any process can add and remove them at any
 * time, during the run and after its end. gc keeps runs that have a bookmark (log_gc.h). Any
 * thread; functions that write block until it is their turn (turns.h).
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
    BOOKMARK_NAME_MAX = 120, /* maximum bytes of a name */
    BOOKMARK_BY_MAX = 64,
    BOOKMARKS_MAX = 1000, /* maximum bookmarks of a run */
};

/* A plain value. The strings may come from an untrusted file: sanitize them before showing them. */
struct bookmark {
    int64_t id;         /* row id, for bookmark_remove() */
    int64_t run;        /* run number */
    int64_t seq;        /* the last event at the bookmarked time; 0 = none yet */
    int64_t at_ms;      /* the bookmarked time, UTC: the time of the event, or later */
    int64_t made_at_ms; /* time when the bookmark was added, UTC */
    char name[BOOKMARK_NAME_MAX + 1]; /* the bookmark's name; "" = none */
    char by[BOOKMARK_BY_MAX + 1];     /* the person who added it */
};

/* Adds a bookmark. The caller sets all fields but the id, and removes secrets from the name; the
 * function sets the id and reduces the name to one clean line. Fails with ERR_NOT_FOUND if there is
 * no such run or event, ERR_LIMIT if the run already has BOOKMARKS_MAX bookmarks, ERR_INVALID if
 * the log is a bundle, ERR_BUSY if another process keeps the log locked. */
ATTR_MUST_USE bool bookmark_add(const struct place *place, struct bookmark *bookmark,
                                struct err *err);
/* Removes a bookmark by its id. Fails with ERR_NOT_FOUND if it no longer exists; ERR_INVALID and
 * ERR_BUSY like bookmark_add(). */
ATTR_MUST_USE bool bookmark_remove(const struct place *place, int64_t id, struct err *err);

/* Lists at most `max` bookmarks of a run, ordered by position (time, then id). Run 0 means all
 * runs, newest first. Thread: the reader's. Logs that predate bookmarks have none. Fails like the
 * reader (log_reader.h). */
ATTR_MUST_USE bool bookmark_list(struct log_reader *reader, int64_t run, struct bookmark *out,
                                 size_t max, size_t *count_out, struct err *err);

#endif
