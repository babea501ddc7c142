/*
 * error_line.h - does a line of output look like an error, and which line says most of a failure?
 * For showing and for jumping through a log: no verdict depends on it. Pure.
 *
 * It does if it has one of these as a whole word, capitals and small letters alike: error, errors,
 * fail, failed, failure, failures, fatal, panic, panicked, exception, traceback, abort, aborted,
 * segfault, "not ok"; or a word that ends in Error or Exception, as TypeError. It does not where
 * the word before or after says that there were none: "0 errors", "no failures", "without error",
 * "failed: 0", "errors=0", nor where the word is part of a name (error.c, error-handler, no_error).
 */
#ifndef DEVS_ERROR_LINE_H
#define DEVS_ERROR_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { ERROR_LINE_BYTES = 512 }; /* so much of a line is looked at */

/* Does this line of output (no NUL needed) begin as errors do: "error", "FAIL", "not ok"? */
bool line_is_error(const char *text, size_t len);

/* The line of a failed program's output that says most: the last that looks like an error, else the
 * last. Lines that only report an exit code ("make: *** [all] Error 1") count if there is no other.
 * Returns its beginning and sets *len_out, without blanks at both ends; NULL if all lines are
 * blank. */
const char *line_telling(const char *text, size_t len, size_t *len_out);

#endif
