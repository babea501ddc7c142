/*
 * report_rows.h - the rows of a report: two attempts compared, or a run replayed under other
 * policies. A value; any one thread.
 */
#ifndef DEVS_REPORT_ROWS_H
#define DEVS_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "str.h"

/* What a row means, which decides its style. */
enum report_mark {
    REPORT_ROW_PLAIN,
    REPORT_ROW_HEAD,
    REPORT_ROW_DIFFERS, /* a fact that differs between the two sides */
    REPORT_ROW_FOLD,    /* replaces a run of equal lines */
    REPORT_ROW_SAME,    /* a line in both */
    REPORT_ROW_REMOVED, /* a line only in the first */
    REPORT_ROW_ADDED,   /* a line only in the second */
};
struct report_row {
    size_t start, len; /* byte range in `text`, without the trailing line feed */
    enum report_mark mark;
};
/* {0} is an empty report. */
struct report_rows {
    struct str text; /* owned, as is `items`; the rows, each ending in a line feed */
    struct report_row *items;
    size_t count, cap;
};
enum { REPORT_ROWS_MAX = 20 * 1000 };

/* Appends a copy of `len` bytes as a row. Returns false and appends nothing if there are already
 * REPORT_ROWS_MAX rows. */
ATTR_MUST_USE bool report_rows_add(struct report_rows *rows, const char *text, size_t len,
                                   enum report_mark mark);
/* Removes all rows and keeps their memory for reuse. */
void report_rows_clear(struct report_rows *rows);
/* Frees all memory and leaves an empty report. */
void report_rows_done(struct report_rows *rows);

#endif
