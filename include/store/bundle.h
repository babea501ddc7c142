/*
 * bundle.h - one run as one file, to hand to somebody: a log of its own that is read only.
 *
 * It has the run's row, its plan, rules, events, outputs, captures, controls and bookmarks, the
 * projections, and one table more, `bundle`, by which it is known as one. Every text and every
 * byte of output passes the secrets of now once more on its way. It is built beside where it is to
 * be (0600), read through once, and takes its name only when the caller says so. Belongs to one
 * thread; the log is read in one transaction, which holds its WAL for as long as that takes.
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
    BUNDLE_CUTS_MAX = 128, /* names of secrets that are told apart; the rest is counted together */
    BUNDLE_SEGMENT_MAX = 16 * 1024 * 1024, /* bytes of one stream in a row that are looked at at
                                              once */
};

struct bundle_asked {
    const struct place *place;       /* the log; borrowed for the call */
    int64_t run;                     /* its number */
    const char *file;                /* where it is to be; borrowed for the call */
    const struct redactor *redactor; /* borrowed for the call; NULL: nothing more is cut */
    /* So many of so many events are in it, which is all of them while the output is copied and
     * while it is read through; false ends it, with *err set. NULL: nobody asks. */
    bool (*tell)(void *ctx, int64_t done, int64_t all, struct err *err);
    void *ctx; /* borrowed for the call; for tell() */
};

/* A secret by its name, and how often it was cut. */
struct bundle_cut {
    char name[REDACT_NAME_MAX + 1];
    int64_t recorded; /* when the run was recorded */
    int64_t now;      /* on the way into the bundle */
};

/* What is in it. A plain value. */
struct bundle_contents {
    int64_t run, tasks, attempts, events, captures, controls, bookmarks;
    int64_t output_bytes;
    int64_t bytes; /* of the file */
    struct bundle_cut cuts[BUNDLE_CUTS_MAX];
    int cut_count;
    struct bundle_cut other_cuts; /* under names that there was no room for */
};

struct bundle;

/* Is the file a bundle? False also where that cannot be read. */
bool bundle_is_one(const struct place *place);

/* Build it. ERR_NOT_FOUND if there is no such run, ERR_INVALID if `file` is there already, or
 * where a part of the run lies in a second log. The caller ends *out with bundle_close(). */
ATTR_MUST_USE bool bundle_open(struct bundle **out, const struct bundle_asked *asked,
                               struct err *err);
/* What was put in. Borrowed; stays until bundle_close(). */
const struct bundle_contents *bundle_contents(const struct bundle *bundle);
/* Where it lies until it has its name: a log like any other, of the same run number. */
const struct place *bundle_place(const struct bundle *bundle);
/* Give it its name; it is on the disk when this returns. ERR_IO, also where something has that name
 * by now. */
ATTR_MUST_USE bool bundle_keep(struct bundle *bundle, struct err *err);
/* What was not kept is removed. NULL is allowed. */
void bundle_close(struct bundle *bundle);

#endif
