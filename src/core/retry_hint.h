/*
 * retry_hint.h - how long a server asks us to wait, from its own words. Pure.
 *
 * Dates and clock times need the time of day, which is not known here: they
 * give no hint.
 */
#ifndef DEVS_RETRY_HINT_H
#define DEVS_RETRY_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "classify_scan.h"

enum { RETRY_HINT_NONE = -1 };
#define RETRY_HINT_MAX_MS ((int64_t)366 * 24 * 3600 * 1000) /* more is no wait but a mistake */

/* "120", "1.574s", "564ms", "6m12.5s", "45 seconds"; a number without a unit
 * counts unit_ms. RETRY_HINT_NONE for anything else, and for too much. */
int64_t retry_hint_parse(const char *text, size_t len, int64_t unit_ms);

/* The best hint of a scan: the first rule in the list of hints that holds. */
int64_t retry_hint_find(struct scan *scan);

#endif
