/*
 * zone.h - how far a time zone is ahead of UTC, from the system's zone files
 * (TZif, RFC 8536). Not for core.
 */
#ifndef DEVS_ZONE_H
#define DEVS_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

/* How many seconds `zone` ("Europe/Berlin", "UTC") is ahead of UTC at at_s, in seconds since 1970.
 * `folder` holds the zone files; NULL: TZDIR, or else /usr/share/zoneinfo. False if there is no
 * such zone or its file is damaged. Any thread. */
ATTR_MUST_USE bool zone_offset(void *folder, const char *zone, int64_t at_s, int *offset_s_out);

/* The same as the rule at the end of a zone file says it: it holds after the last change that the
 * file lists, as in "CET-1CEST,M3.5.0,M10.5.0/3" (POSIX TZ as RFC 8536 extends it). False if the
 * text is not such a rule. Pure. */
ATTR_MUST_USE bool zone_rule_offset(const char *rule, size_t len, int64_t at_s, int *offset_s_out);

#endif
