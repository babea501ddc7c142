/*
 * classify_candidates.h - the lines of a stream that a rule may hold on. Pure.
 */
#ifndef DEVS_CLASSIFY_CANDIDATES_H
#define DEVS_CLASSIFY_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify_scan.h"

/* The lines that may match, the last first, each once: those with a literal of
 * the rule, or all of them. */
struct candidates {
    const struct scan_stream *stream;
    int32_t hits[RULE_NEEDS_MAX]; /* the next one of each literal; SCAN_NO_HIT at its end */
    int hit_count;
    size_t before; /* without a literal: lines before this one are left */
    int left;      /* tries */
    bool all;
};

/* False if there are none. */
bool candidates_find(const struct scan *scan, int index, const struct rule *rule,
                     struct candidates *out);

/* The next one; false after the last, and when the tries are used up. */
bool candidates_next(struct candidates *candidates, size_t *line_out);

#endif
