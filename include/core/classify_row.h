/*
 * classify_row.h - one failure as a JSON row, and the verdict on it as another:
 * what `devs classify` reads and writes. Pure.
 */
#ifndef DEVS_CLASSIFY_ROW_H
#define DEVS_CLASSIFY_ROW_H

#include "classify.h"
#include "str.h"

/* What pure code cannot know. */
struct classify_edge {
    int64_t now_ms; /* for rows that do not say when they happened */
    zone_offset_fn *zone_offset;
    void *zone_ctx;
    const struct adapters *adapters; /* borrowed; agents that rows may name; NULL = built-in ones */
};

/* Append the verdict's row and a line feed. ERR_INVALID says what of the row is
 * wrong; nothing is appended then. */
ATTR_MUST_USE bool classify_row(const struct classifier *classifier, const struct str *row,
                                const struct classify_edge *edge, struct str *out, struct err *err);

#endif
