/*
 * report_rows.h - the rows of a report: two tries compared, or what other policies would have made
 * of a run. A value; any one thread.
 */
#ifndef DEVS_REPORT_ROWS_H
#define DEVS_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "str.h"

/* How a row is meant. */
enum report_mark {
    REPORT_ROW_PLAIN,
    REPORT_ROW_HEAD,
    REPORT_ROW_DIFFERS, /* a fact that is not the same in both */
    REPORT_ROW_FOLD,    /* stands for lines that are equal */
    REPORT_ROW_SAME,    /* a line of both */
    REPORT_ROW_REMOVED, /* of the first only */
    REPORT_ROW_ADDED,   /* of the second only */
};
struct report_row {
    size_t start, len; /* bytes in `text`, without the line feed behind it */
    enum report_mark mark;
};
/* {0} is one without rows. */
struct report_rows {
    struct str text; /* owned, like items: the rows, each with a line feed */
    struct report_row *items;
    size_t count, cap;
};
enum { REPORT_ROWS_MAX = 20 * 1000 };

/* Append a row of `len` bytes; they are copied as they are. False, and nothing is appended, where
 * there are REPORT_ROWS_MAX. */
ATTR_MUST_USE bool report_rows_add(struct report_rows *rows, const char *text, size_t len,
                                   enum report_mark mark);
/* The last row goes; there has to be one. */
void report_rows_drop(struct report_rows *rows);
/* All rows go; what they took is kept for the next ones. */
void report_rows_clear(struct report_rows *rows);
/* Frees what it holds; one without rows afterwards. */
void report_rows_done(struct report_rows *rows);

#endif
