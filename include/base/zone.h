/*
 * zone.h - how far a time zone is ahead of UTC, from the system's zone files
 * (TZif, RFC 8536). Not for core.
 */
#ifndef DEVS_ZONE_H
#define DEVS_ZONE_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"

/* Seconds that `zone` ("Europe/Berlin", "UTC") is ahead of UTC at at_s seconds
 * since 1970. folder holds the zone files; NULL: TZDIR, else
 * /usr/share/zoneinfo. False if there is no such zone or its file is damaged.
 * Any thread. */
ATTR_MUST_USE bool zone_offset(void *folder, const char *zone, int64_t at_s, int *offset_s_out);

#endif
