/*
 * retry_hint.h - when a server asks us to come back, from its own words. Pure.
 */
#ifndef DEVS_RETRY_HINT_H
#define DEVS_RETRY_HINT_H

#include <stdbool.h>
#include <stdint.h>

#include "classify_scan.h"

struct retry_hint {
    int64_t ms;              /* from now; HINT_NONE */
    const struct rule *rule; /* borrowed; NULL for none */
    int stream;              /* where it stands, as in struct scan_match */
    size_t line;
};

/* The best hint of a scan: the first rule in the list of hints that gives a time.
 * False if there is none. */
bool retry_hint_find(struct scan *scan, struct retry_hint *out);

/* The time in a verdict rule's own group, HINT_NONE if there is none. */
int64_t retry_hint_of_group(const struct scan *scan, const struct scan_match *match);

#endif
