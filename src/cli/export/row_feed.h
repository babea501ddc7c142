/*
 * row_feed.h - rows of JSON in, one answer each out: what the commands that judge share.
 *
 * Reads files or standard input line by line and writes the answers as soon as their rows
 * have come: the other end may wait for them. A bad row is said on stderr with its place
 * and does not keep the others back.
 */
#ifndef DEVS_ROW_FEED_H
#define DEVS_ROW_FEED_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "str.h"

enum { ROW_FEED_LINE_MAX = 16 * 1024 * 1024 /* bytes; a longer row is not read */ };

/* Append the answer to one row. False: the row is wrong, err says why. */
typedef bool row_feed_fn(void *ctx, const struct str *row, struct str *out, struct err *err);

struct row_feed {
    const char *command; /* for messages: "classify" */
    row_feed_fn *answer;
    void *ctx; /* borrowed for the call */
};

/* Reads the named files, "-" for standard input, or standard input alone where there is
 * no name. Returns the exit code: EXIT_USAGE if a row was bad, EXIT_NO_INPUT if a file
 * could not be read. */
ATTR_MUST_USE int row_feed_run(const struct row_feed *feed, int count, char **names);

#endif
