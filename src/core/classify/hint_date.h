/*
 * hint_date.h - points in time as servers write them. Pure.
 */
#ifndef DEVS_HINT_DATE_H
#define DEVS_HINT_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

/* The three forms of RFC 9110: "Sat, 21 Nov 2026 01:19:00 GMT",
 * "Saturday, 21-Nov-26 01:19:00 GMT", "Sat Nov 21 01:19:00 2026". now_s tells
 * the century of the second. Seconds since 1970. */
ATTR_MUST_USE bool hint_http_date(const char *text, size_t len, int64_t now_s, int64_t *out_s);

/* RFC 3339: "2026-11-21T01:20:20.5Z", "2026-11-21 03:20:20+02:00". Milliseconds
 * since 1970. */
ATTR_MUST_USE bool hint_rfc3339(const char *text, size_t len, int64_t *out_ms);

/* A time of the day, maybe with a date before it: "3am", "3:30 pm", "15:00",
 * "Nov 24, 3am", "Nov 24th, 2026 3:00 AM". */
struct hint_clock {
    int year, month, day; /* 0: not given */
    int minute;           /* of the day */
};
/* Read all of it; false: that is no such time, *out is then of no use. */
ATTR_MUST_USE bool hint_clock_time(const char *text, size_t len, struct hint_clock *out);

#endif
