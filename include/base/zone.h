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
 * /usr/share/zoneinfo. Returns false if the zone does not exist, its file is damaged, or the zone
 * has daylight saving time and `at_s` is after the last change that the file lists (2037 in the
 * files of Linux distributions). Any thread. */
ATTR_MUST_USE bool zone_offset(void *folder, const char *zone, int64_t at_s, int *offset_s_out);

#endif
