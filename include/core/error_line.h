/*
 * error_line.h - whether a line looks like an error, and which line tells most about a failure.
 * For display and navigation only; no verdict depends on it. Pure.
 *
 * A line looks like an error if it contains one of these words, ignoring case: error, errors,
 * fail, failed, failure, failures, fatal, panic, panicked, exception, traceback, abort, aborted,
 * segfault, "not ok"; or a word that ends in Error or Exception, such as TypeError. It does not
 * if the word before or after denies it: "0 errors", "no failures", "without error", "failed: 0",
 * "errors=0"; or if the word is part of a name (error.c, error-handler, no_error).
 */
#ifndef DEVS_ERROR_LINE_H
#define DEVS_ERROR_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { ERROR_LINE_BYTES = 512 }; /* bytes of a line that are read */

/* Returns true if the line looks like an error. Needs no NUL. */
bool line_is_error(const char *text, size_t len);

/* Returns the line of a failed program's output that tells most: the last one that looks like an
 * error, else the last one. Lines that only report an exit code ("make: *** [all] Error 1")
 * count only if there is no other. Sets *len_out; the line is trimmed. Returns NULL if all lines
 * are blank. */
const char *line_telling(const char *text, size_t len, size_t *len_out);

#endif
