/*
 * moment_text.h - points in time as servers and people write them. Pure.
 */
#ifndef DEVS_MOMENT_TEXT_H
#define DEVS_MOMENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"

/* Reads the three forms of RFC 9110: "Sat, 21 Nov 2026 01:19:00 GMT", "Saturday, 21-Nov-26 01:19:00
 * GMT", "Sat Nov 21 01:19:00 2026". Stores seconds since 1970. now_s determines the century of the
 * second form. */
ATTR_MUST_USE bool moment_text_http(const char *text, size_t len, int64_t now_s, int64_t *out_s);

/* Reads RFC 3339: "2026-11-21T01:20:20.5Z", "2026-11-21 03:20:20+02:00". Stores milliseconds since
 * 1970. */
ATTR_MUST_USE bool moment_text_rfc3339(const char *text, size_t len, int64_t *out_ms);

/* A time of day, optionally with a date before it: "3am", "3:30 pm", "15:00", "Nov 24, 3am",
 * "Nov 24th, 2026 3:00 AM". */
struct clock_text {
    int year, month, day; /* 0 = not given */
    int minute;           /* minutes since midnight */
};
/* Reads the whole string. Returns false, with *out undefined, if it is not a time of this form. */
ATTR_MUST_USE bool moment_text_clock(const char *text, size_t len, struct clock_text *out);

#endif
