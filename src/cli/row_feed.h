/* row_feed.h - reads JSON rows and writes an answer to each one; shared by the commands that judge
 * rows.
 *
 * Reads files or standard input line by line and writes each answer as soon as its row has arrived,
 * because the other end may be waiting. Reports a bad row on stderr with its position and
 * continues. */
#ifndef DEVS_ROW_FEED_H
#define DEVS_ROW_FEED_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum { ROW_FEED_LINE_MAX = 16 * 1024 * 1024 /* bytes; a longer row is not read */ };

/* Appends the answer to one row. Returns false, with *err set, if the row is invalid. */
typedef bool row_feed_fn(void *ctx, const struct str *row, struct str *out, struct err *err);

struct row_feed {
    const char *command; /* for messages: "classify" */
    row_feed_fn *answer;
    void *ctx; /* borrowed for the call */
};

/* Reads the named files, "-" for standard input, or only standard input if there are no names.
 * Returns the exit code: EXIT_USAGE if a row was bad, EXIT_NO_INPUT if a file could not be read. */
ATTR_MUST_USE int row_feed_run(const struct row_feed *feed, int count, char **names);

#endif
