/* lines.h - functions on lines of text: the difference of two texts, wrapping, and finding the line
 * that names an error. Pure.
 *
 * The difference is the shortest list of changes, as in E. W. Myers, "An O(ND) difference algorithm
 * and its variations", Algorithmica 1 (1986), 251-266. Lines are compared by digest, so the caller
 * decides what makes two lines equal. */
#ifndef DEVS_LINES_H
#define DEVS_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "digest.h"

enum {
    LINE_DIFF_LINES_MAX = 100 * 1000, /* maximum lines of each text */
    LINE_DIFF_CHANGES_MAX =
        1000, /* maximum changed lines, after which the search gives up; takes 4 MB */
};

enum line_change { LINE_SAME, LINE_REMOVED, LINE_ADDED };

/* Consecutive lines of one text, or of both. */
struct line_diff_span {
    enum line_change change;
    size_t first, second; /* positions of the first line in both texts, from 0; in a text without
                             these lines, where they would be */
    size_t count;
};

struct line_diff {
    struct line_diff_span *spans; /* owned; in order; a removal comes before its replacement */
    size_t count, cap;
    size_t same, removed, added; /* numbers of lines */
    bool is_cut; /* there are more than LINE_DIFF_CHANGES_MAX changes: all lines after them count as
                    removed and added, even if equal */
};

/* Returns the digest of a line. */
struct digest line_digest(const char *bytes, size_t len);

struct line_diff_text {
    const struct digest *lines; /* borrowed for the call */
    size_t count;               /* at most LINE_DIFF_LINES_MAX */
};

/* Overwrites *out. O((lines of both) x changes). */
void line_diff_read(struct line_diff *out, const struct line_diff_text *first,
                    const struct line_diff_text *second);
/* Frees the members of *diff. */
void line_diff_done(struct line_diff *diff);

/* Wrapping a long line, which must have passed text_clean(). Pure. */

/* Returns how many bytes fit into the columns: up to a blank, if there is one near the end, and at
 * least one character unless the text is empty. */
size_t line_wrap_fit(const char *text, size_t len, int columns);
/* Returns the number of rows of the line; an empty line has one. */
int line_wrap_rows(const char *text, size_t len, int columns);
/* Returns the offset of the first byte of this row (from 0); `len` after the last row. */
size_t line_wrap_at(const char *text, size_t len, int columns, int row);
/* Returns the offset of the first byte at or to the right of this column. Sets *lack to the number
 * of blanks to draw before it, if half of a wide character is cut off. */
size_t line_wrap_skip(const char *text, size_t len, int column, int *lack);

/* Recognizing errors: whether a line looks like an error, and which line says most about a failure.
 * For display and navigation only; no verdict depends on it. Pure.
 *
 * A line looks like an error if it contains one of these words, ignoring case: error, errors, fail,
 * failed, failure, failures, fatal, panic, panicked, exception, traceback, abort, aborted,
 * segfault, "not ok"; or a word that ends in Error or Exception, such as TypeError. The word does
 * not count if the word before or after it denies it ("0 errors", "no failures", "without error",
 * "failed: 0", "errors=0"), or if it is part of a name (error.c, error-handler, no_error). */

enum { ERROR_LINE_BYTES = 512 }; /* maximum bytes of a line that are read */

/* Returns true if the line looks like an error. The text need not be NUL-terminated. */
bool line_is_error(const char *text, size_t len);

/* Returns the most informative line of a failed program's output: the last one that looks like an
 * error, else the last one. Lines that only report an exit code ("make: *** [all] Error 1") count
 * only if there is no other line. Sets *len_out; the line is trimmed. Returns NULL if all lines are
 * blank. */
const char *line_telling(const char *text, size_t len, size_t *len_out);

#endif
