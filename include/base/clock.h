/*
 * clock.h - the only place that reads the clocks, plus parsing and formatting of times. Not for
 * core.
 */
#ifndef DEVS_CLOCK_H
#define DEVS_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "moment.h"

/* Returns the current time on both clocks. Any thread. */
struct moment clock_now(void);

/* Detects that the wall clock was set, by comparing it with the steady clock on each call. Time
 * that merely passes does not count. A plain value; initialize to zero. */
struct clock_jump {
    bool has_looked;
    int64_t apart_ms; /* wall clock minus steady clock, at the last call */
};
enum { CLOCK_JUMP_MS = 2000 }; /* smaller steps are normal corrections */
/* Returns true if the wall clock was set since the last call, and sets *moved_ms_out to the
 * difference (negative: backward). */
bool clock_jump_look(struct clock_jump *jump, const struct moment *now, int64_t *moved_ms_out);

/* Returns CLOCK_BOOTTIME in microseconds, for measurements. */
int64_t clock_mono_us(void);

enum { CLOCK_TEXT_MAX = 32 };

/* Selects UTC or local time for the formatting functions below. Applies to the whole process; any
 * thread. */
void clock_show_utc(bool utc);

/* Formats local time as HH:MM:SS, or UTC after clock_show_utc(true). Returns out. */
const char *clock_hms(int64_t at_ms, char out[CLOCK_TEXT_MAX]);
/* Like clock_hms(), with milliseconds: HH:MM:SS.mmm. */
const char *clock_hms_ms(int64_t at_ms, char out[CLOCK_TEXT_MAX]);
/* Formats local time as HH:MM; as "Sun HH:MM" if the day differs from that of `now_ms`, and as "29
 * Nov HH:MM" if it is a week or more away. Returns out. */
const char *clock_short(int64_t at_ms, int64_t now_ms, char out[CLOCK_TEXT_MAX]);
/* Formats local date and time as YYYY-MM-DD HH:MM:SS. Returns out. */
const char *clock_date(int64_t at_ms, char out[CLOCK_TEXT_MAX]);
/* Formats UTC as RFC 3339 with milliseconds, for JSON. Returns out. */
const char *clock_rfc3339(int64_t at_ms, char out[CLOCK_TEXT_MAX]);

/* The period that user-supplied times refer to: UTC, ms. */
struct clock_span {
    int64_t from_ms, until_ms;
};

/* Parses a time that a user typed:
 *   14:00, 14:00:31              on the day on which the span begins, or on the next day if that is
 *                                within the span or nearer to it
 *   2025-11-20 14:00[:31]        local time; 'T' may replace the blank
 *   2025-11-20T14:00[:31]Z       UTC
 *   -2m, -90s, -1h, -1:30        that long before the end of the span
 * Fails with ERR_INVALID for anything else. *out_ms may be outside the span. Any thread. */
ATTR_MUST_USE bool clock_find(const char *words, const struct clock_span *span, int64_t *out_ms,
                              struct err *err);

#endif
