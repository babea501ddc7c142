/*
 * bundle_parts.h - what the files that make a bundle share: bundle*.c only.
 */
#ifndef DEVS_BUNDLE_PARTS_H
#define DEVS_BUNDLE_PARTS_H

#include <limits.h>

#include "bundle.h"
#include "db.h"

struct bundle {
    int64_t run;
    struct place temp; /* the file that is built, */
    bool made;         /* and is to be removed */
    char file[PATH_MAX];
    struct db from, to;               /* owned; the log, within one transaction; the bundle */
    const struct redactor *redactor;  /* borrowed; NULL = none */
    struct redact_counts counts;      /* owned; of the second pass */
    const struct bundle_asked *asked; /* borrowed while it is built */
    int64_t last_seq;                 /* of the run */
    struct bundle_contents contents;
};

/* Of an event that says what was cut: add it up. */
void bundle_count_recorded(struct bundle *bundle, const char *text);

/* Say how far it is; false: it is to end. While it is built. */
ATTR_MUST_USE bool bundle_tell(const struct bundle *bundle, struct err *err);

/* bundle_tables.c: every table but the output. */
ATTR_MUST_USE bool bundle_copy_tables(struct bundle *bundle, struct err *err);
/* bundle_output.c: the output, streams in one piece as far as they were kept in one. */
ATTR_MUST_USE bool bundle_copy_output(struct bundle *bundle, struct err *err);

#endif
