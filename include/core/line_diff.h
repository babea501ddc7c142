/*
 * line_diff.h - what was added and removed between two texts, line by line. Pure.
 *
 * The shortest list of changes, as E. W. Myers finds it: "An O(ND) difference algorithm and its
 * variations", Algorithmica 1 (1986), 251-266. Lines are told apart by their digests, so whoever
 * asks decides what makes two lines equal.
 */
#ifndef DEVS_LINE_DIFF_H
#define DEVS_LINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "digest.h"

enum {
    LINE_DIFF_LINES_MAX = 100 * 1000, /* of each text */
    LINE_DIFF_CHANGES_MAX = 1000,     /* lines added and removed that are looked for; 4 MB */
};

enum line_change { LINE_SAME, LINE_REMOVED, LINE_ADDED };

/* Lines that follow each other in one text, or in both. */
struct line_diff_span {
    enum line_change change;
    size_t first, second; /* of the first line, from 0; one of them says where in the other text */
    size_t count;
};

struct line_diff {
    struct line_diff_span *spans; /* owned; in order; a removal stands before what took its place */
    size_t count, cap;
    size_t same, removed, added; /* lines */
    bool is_cut; /* beyond LINE_DIFF_CHANGES_MAX changes: all that follows is told as removed and
                    added, whatever of it is equal */
};

/* What stands for a line: equal for equal bytes, and else as good as never. */
struct digest line_digest(const char *bytes, size_t len);

struct line_diff_text {
    const struct digest *lines; /* borrowed for the call */
    size_t count;               /* at most LINE_DIFF_LINES_MAX */
};

/* *out is made anew. O((lines of both) x changes). */
void line_diff_read(struct line_diff *out, const struct line_diff_text *first,
                    const struct line_diff_text *second);
/* Frees what *diff holds. */
void line_diff_done(struct line_diff *diff);

#endif
