/*
 * bundle.h - exports one run as a file to share: a read-only log of its own.
 *
 * A bundle contains the run's row, plan, rules, events, outputs, captures, controls, bookmarks and
 * projections. An additional table, `bundle`, identifies it. All text and output is redacted again
 * with the current secrets. The bundle is built under a temporary name next to the target (0600),
 * read back once, and gets its final name only when the caller says so. Belongs to one thread. The
 * log is read in one transaction, which pins its WAL for the duration.
 */
#ifndef DEVS_BUNDLE_H
#define DEVS_BUNDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"
#include "redact.h"

enum {
    BUNDLE_CUTS_MAX = 128, /* maximum number of secrets that are counted by name; all others are
                              counted together */
    BUNDLE_SEGMENT_MAX =
        16 * 1024 * 1024, /* maximum number of contiguous bytes that are redacted at once */
};

struct bundle_asked {
    const struct place *place;       /* the log; borrowed for the call */
    int64_t run;                     /* run number */
    const char *file;                /* target path; borrowed for the call */
    const struct redactor *redactor; /* borrowed for the call; NULL: no additional redaction */
    /* Called with the number of events copied so far and in total; the two are equal while the
     * output is copied and the bundle is read back. Return false with *err set to abort. May be
     * NULL. */
    bool (*tell)(void *ctx, int64_t done, int64_t all, struct err *err);
    void *ctx; /* borrowed for the call; for tell() */
};

/* How often the secret with this name was redacted. */
struct bundle_cut {
    char name[REDACT_NAME_MAX + 1];
    int64_t recorded; /* redactions while the run was recorded */
    int64_t now;      /* redactions while the bundle was written */
};

/* The contents of a bundle. A plain value. */
struct bundle_contents {
    int64_t run, tasks, attempts, events, captures, controls, bookmarks;
    int64_t output_bytes;
    int64_t bytes; /* file size */
    struct bundle_cut cuts[BUNDLE_CUTS_MAX];
    int cut_count;
    struct bundle_cut other_cuts; /* secrets that did not fit in `cuts` */
};

struct bundle;

/* Returns true if the file is a bundle; false also if it cannot be read. */
bool bundle_is_one(const struct place *place);

/* Builds the bundle. Fails with ERR_NOT_FOUND if there is no such run, ERR_INVALID if `file` exists
 * or part of the run is in a second log. The caller closes *out with bundle_close(). */
ATTR_MUST_USE bool bundle_open(struct bundle **out, const struct bundle_asked *asked,
                               struct err *err);
/* Returns the contents. Borrowed; valid until bundle_close(). */
const struct bundle_contents *bundle_contents(const struct bundle *bundle);
/* Returns the location of the bundle until it gets its final name: an ordinary log with the same
 * run number. */
const struct place *bundle_place(const struct bundle *bundle);
/* Gives the bundle its final name; it is on disk when this returns. Fails with ERR_IO, also if a
 * file with that name exists by then. */
ATTR_MUST_USE bool bundle_keep(struct bundle *bundle, struct err *err);
/* Closes the bundle and deletes it unless it was kept. `bundle` may be NULL. */
void bundle_close(struct bundle *bundle);

#endif
