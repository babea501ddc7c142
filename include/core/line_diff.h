/*
 * line_diff.h - the difference of two texts, line by line. Pure.
 *
 * The shortest list of changes, as in E. W. Myers, "An O(ND) difference algorithm and its
 * variations", Algorithmica 1 (1986), 251-266. Lines are compared by digest, so the caller
 * decides what makes two lines equal.
 */
#ifndef DEVS_LINE_DIFF_H
#define DEVS_LINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "digest.h"

enum {
    LINE_DIFF_LINES_MAX = 100 * 1000, /* of each text */
    LINE_DIFF_CHANGES_MAX = 1000,     /* changed lines before the search gives up; 4 MB */
};

enum line_change { LINE_SAME, LINE_REMOVED, LINE_ADDED };

/* Consecutive lines of one text, or of both. */
struct line_diff_span {
    enum line_change change;
    size_t first, second; /* of the first line, from 0; the other one is the position in the
                             other text */
    size_t count;
};

struct line_diff {
    struct line_diff_span *spans; /* owned; in order; a removal comes before what replaced it */
    size_t count, cap;
    size_t same, removed, added; /* lines */
    bool is_cut; /* more than LINE_DIFF_CHANGES_MAX changes: everything after them counts as
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
/* Frees what *diff holds. */
void line_diff_done(struct line_diff *diff);

#endif
