/*
 * zone.h - the UTC offset of a time zone, from the system's zone files (TZif, RFC 8536). Not for
 * core.
 */
#ifndef DEVS_ZONE_H
#define DEVS_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

/* Sets *offset_s_out to how many seconds `zone` ("Europe/Berlin", "UTC") is ahead of UTC at `at_s`,
 * in seconds since 1970. `folder` contains the zone files; NULL means TZDIR or, if unset,
 * /usr/share/zoneinfo. Returns false if the zone does not exist or its file is damaged. Any
 * thread. */
ATTR_MUST_USE bool zone_offset(void *folder, const char *zone, int64_t at_s, int *offset_s_out);

/* Like zone_offset(), for the rule at the end of a zone file, such as "CET-1CEST,M3.5.0,M10.5.0/3",
 * which applies after the last transition that the file lists (POSIX TZ with the extensions of RFC
 * 8536). Returns false if the text is not such a rule. Pure. */
ATTR_MUST_USE bool zone_rule_offset(const char *rule, size_t len, int64_t at_s, int *offset_s_out);

#endif
